import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { entriesOf, reportOf } from './child-run.ts'
import { DATASET_FILE, test } from './own-target.ts'

const EMPTY: Deviation = {
  load: (dataset) => {
    for (const records of [dataset.contacts, dataset.tickets, dataset.schedules, dataset.tags, dataset.campaigns])
      records.splice(0)
  },
}
const WRONG_STATUS: Deviation = { filters: (_, filters) => filters.filter(({ parameter }) => parameter !== 'status') }
/** Text that would break a page, an XML file and a terminal, were it taken for more than text. */
const HOSTILE = '</script><img src=x onerror=alert(1)>]]>\u001b[31m\u0000\u0008\uFFFE&"\''
const HOSTILE_STATUS: Deviation = {
  answer: (call, { status, body }) => {
    if (call.operation === 'listTickets' && Array.isArray(body['tickets']))
      for (const ticket of body['tickets'] as { status?: string }[]) ticket.status = HOSTILE
    return { status, body }
  },
}

test('a target without records is incomplete, and fails nothing', async ({ run, target }) => {
  const service = await target({ deviations: [EMPTY] })

  const finished = await run({ BASE_URL: service.url, ACCESS_TOKEN: service.accessToken })

  expect(finished.exitCode).toBe(0)
  expect(reportOf(finished)).toMatchObject({ verdict: 'incomplete', totals: { failed: 0, broken: 0 } })
})

test('a finding names the exchange that shows it, in every report', async ({ run, target }) => {
  const service = await target({ deviations: [WRONG_STATUS] })

  const finished = await run({ BASE_URL: service.url, ACCESS_TOKEN: service.accessToken, DATASET: DATASET_FILE }, [
    'tickets',
  ])

  expect(finished.exitCode).toBe(1)
  const open = reportOf(finished).requirements.find(({ id }) => id === 'listTickets.filter.status-open')!
  const { exchange } = open.findings[0]!
  const { _exchange, request, response } = entriesOf(finished)[exchange - 1]!
  expect(_exchange).toBe(exchange)
  expect(new URL(request.url).searchParams.get('status')).toBe('open')
  expect(response.content.text).toContain('"pending"')
  const line = new RegExp(`listTickets.filter.status-open: GET /api/tickets\\?status=open: .*; exchange ${exchange}\\)`)
  expect(finished.output).toMatch(line)
  expect(readFileSync(path.join(finished.folder, 'junit.xml'), 'utf8').replaceAll('&amp;', '&')).toMatch(line)
  expect(finished.output).not.toContain('    at ')
})

test('at LEVEL=stated, what only an implied requirement has against a target fails nothing', async ({
  run,
  target,
}) => {
  const service = await target({ deviations: [WRONG_STATUS] })
  const settings = { BASE_URL: service.url, ACCESS_TOKEN: service.accessToken, LEVEL: 'stated' }

  const finished = await run(settings, ['tickets'])

  expect(finished.exitCode).toBe(0)
  expect(reportOf(finished)).toMatchObject({ verdict: 'incomplete', settings: { level: 'stated' } })
  expect(reportOf(finished).totals.failed).toBeGreaterThan(0)
})

test('hostile text of a target breaks neither XML nor a terminal', async ({ run, target }) => {
  const service = await target({ deviations: [HOSTILE_STATUS] })
  const settings = { BASE_URL: service.url, ACCESS_TOKEN: service.accessToken, DATASET: DATASET_FILE }

  const finished = await run(settings, ['--grep', 'Ticket.status:'])

  expect(finished.exitCode).toBe(1)
  expect(finished.output).toContain('onerror')
  const xml = readFileSync(path.join(finished.folder, 'junit.xml'), 'utf8')
  for (const text of [finished.output, xml]) expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\uFFFE]/u)
  expect(xml.replaceAll(/message="[^"]*"/g, '')).not.toContain(']]>')
  expect(xml).not.toContain('<img')
  expect(readFileSync(path.join(finished.folder, 'playwright/index.html'), 'utf8')).not.toContain('onerror=alert(1)')
})
