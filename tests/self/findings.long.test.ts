import { expect } from '@playwright/test'
import { inAnswersOf, inEvery, setting } from '../../fixtures/faults/building/answers.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { entriesOf, reportOf, textOf } from './child-run.ts'
import { DATASET_FILE, test, WITHOUT_RECORDS } from './own-target.ts'

const WRONG_STATUS: Deviation = { filters: (_, filters) => filters.filter(({ parameter }) => parameter !== 'status') }
const NO_CONTACT_ON_PAGE_TWO = inAnswersOf('listContacts', ({ contacts }, { query }) => {
  if (query.get('pageNumber') === '2') (contacts as unknown[])[0] = null
})
/** Text that would break a page, an XML file and a terminal, were it taken for more than text. */
const HOSTILE = '</script><img src=x onerror=alert(1)>]]>\u001b[31m\u0000\u0008\uFFFE&"\''
const HOSTILE_STATUS = setting('ticket', 'status', () => HOSTILE)

test('a target without records is incomplete, and fails nothing', async ({ run, target }) => {
  const { settings } = await target({ deviations: [WITHOUT_RECORDS] })

  const finished = await run(settings)

  expect(finished.exitCode).toBe(0)
  expect(reportOf(finished)).toMatchObject({ verdict: 'incomplete', totals: { failed: 0, broken: 0 } })
})

test('a finding names the exchange that shows it, in every report', async ({ run, target }) => {
  const { settings } = await target({ deviations: [WRONG_STATUS] })

  const finished = await run({ ...settings, DATASET: DATASET_FILE }, ['tickets'])

  expect(finished.exitCode).toBe(1)
  const open = reportOf(finished).requirements.find(({ id }) => id === 'listTickets.filter.status-open')!
  const { exchange, pointer, record } = open.findings[0]!
  const { _exchange, request, response } = entriesOf(finished)[exchange - 1]!
  expect(_exchange).toBe(exchange)
  expect(new URL(request.url).searchParams.get('status')).toBe('open')
  const { tickets } = JSON.parse(response.content.text!) as { tickets: { id: string; status: string }[] }
  expect(tickets.find(({ id }) => id === record)?.status).not.toBe('open')
  expect(tickets[Number(pointer.split('/')[2])]?.id).toBe(record)
  expect(finished.output).toContain(`of the record "${record}";`)
  const line = new RegExp(`listTickets.filter.status-open: GET /api/tickets\\?status=open: .*; exchange ${exchange}\\)`)
  expect(finished.output).toMatch(line)
  expect(textOf(finished, 'junit.xml').replaceAll('&amp;', '&')).toMatch(line)
  expect(finished.output).not.toContain('    at ')
})

test('what rests on an answer that cannot be used is not exercised, and names that answer', async ({ run, target }) => {
  const { settings } = await target({ deviations: [NO_CONTACT_ON_PAGE_TWO] })

  const finished = await run({ ...settings, DATASET: DATASET_FILE }, ['contacts', 'known-answers', 'answers'])

  const { requirements } = reportOf(finished)
  expect(requirements.flatMap(({ id, outcome }) => (outcome === 'failed' ? [id] : []))).toEqual([
    'ContactList.contacts',
  ])
  const found = requirements.find(({ id }) => id === 'listContacts.known.found')!
  expect(found).toMatchObject({
    outcome: 'not exercised',
    reason: expect.stringMatching(/\?pageNumber=2 gave no answer/),
  })
})

test('at LEVEL=stated, what only an implied requirement has against a target fails nothing', async ({
  run,
  target,
}) => {
  const { settings } = await target({ deviations: [WRONG_STATUS] })

  const finished = await run({ ...settings, LEVEL: 'stated' }, ['tickets'])

  expect(finished.exitCode).toBe(0)
  expect(reportOf(finished)).toMatchObject({ verdict: 'incomplete', settings: { level: 'stated' } })
  const { failed } = reportOf(finished).totals
  expect(failed).toBeGreaterThan(1)
  const sentence = `Nothing stated failed; ${failed} implied requirements failed, which LEVEL=stated does not count.`
  expect(finished.output).toContain(`\n${sentence}\n`)
  for (const file of ['summary.md', 'index.html']) expect(textOf(finished, file), file).toContain(sentence)
})

test('a field that all records have under another spelling is missed with the name that they have', async ({
  run,
  target,
}) => {
  const renamed = { lastMessage: 'last_message', queueId: 'QueueID', chatappId: `${'_'.repeat(50)}chatappId` }
  const renaming = inEvery('ticket', (ticket) => {
    for (const [name, other] of Object.entries(renamed)) {
      ticket[other] = ticket[name]
      delete ticket[name]
    }
  })
  const { settings } = await target({ deviations: [renaming] })

  const finished = await run(settings, ['--grep', 'Ticket\\.'])

  const reasonOf = (wanted: string): string | undefined =>
    reportOf(finished).requirements.find(({ id }) => id === wanted)?.reason
  expect(reasonOf('Ticket.lastMessage')).toMatch(
    /^Needs a Ticket that has lastMessage; none of \d+ seen had it; all of them have last_message, which is not documented\.$/,
  )
  expect(finished.output).toContain('all of them have last_message, which is not documented.')
  expect(reasonOf('Ticket.queueId')).toMatch(/; all of them have QueueID, which is not documented\.$/)
  expect(reasonOf('Ticket.chatappId')).toMatch(/^Needs a Ticket that has chatappId; none of \d+ seen had it\.$/)
})

test('a call that is refused, and a count that is no number, are named as such', async ({ run, target }) => {
  const { settings } = await target({
    deviations: [
      inAnswersOf('listTags', (body) => ({ ...body, count: String(body['count']) })),
      { answer: ({ operation }, answer) => (operation === 'listCampaigns' ? { status: 400, body: {} } : answer) },
    ],
  })

  const finished = await run(settings, [
    '--grep',
    String.raw`listCampaigns\.answer\.status|CampaignList\.|listTags\.tags\.count`,
  ])

  const { requirements } = reportOf(finished)
  expect(finished.output).toMatch(/^ {2}\d\. listCampaigns: answered a valid call with status 400$/m)
  expect(requirements.find(({ id }) => id === 'listTags.tags.count')?.reason).toBe(
    'Needs a tag list whose count is a number; see TagList.count.',
  )
  expect(requirements.find(({ id }) => id === 'CampaignList.campaigns')?.reason).toMatch(
    /^GET \/api\/campaigns gave no usable answer \(exchange \d+\); see the answer requirements\.$/,
  )
})

test('hostile text of a target breaks neither XML nor a terminal', async ({ run, target }) => {
  const { settings } = await target({ deviations: [HOSTILE_STATUS] })

  const finished = await run({ ...settings, DATASET: DATASET_FILE }, ['--grep', 'Ticket.status:'])

  expect(finished.exitCode).toBe(1)
  expect(finished.output).toContain('onerror')
  const xml = textOf(finished, 'junit.xml')
  for (const text of [finished.output, xml]) expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\uFFFE]/u)
  expect(xml.replaceAll(/message="[^"]*"/g, '')).not.toContain(']]>')
  expect(xml).not.toContain('<img')
  expect(textOf(finished, 'playwright/index.html')).not.toContain('onerror=alert(1)')
})
