import { expect } from '@playwright/test'
import { inEvery } from '../../fixtures/faults/building/answers.ts'
import type { Row } from '../../fixtures/service/row.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { entriesOf, everythingOf, reportOf } from './child-run.ts'
import { dataset, DATASET_FILE, test } from './own-target.ts'
import { spellingsOf } from './token-spellings.ts'

const TOKEN = 'aK9/+x~Q.z-81_hTqW3=='

/** Tells every caller its token, in all spellings: in headers, in answers, in refusals and in errors. */
const ECHO: Deviation = {
  reply: (call, reply) => {
    const token = (call.request.headers.get('authorization') ?? '').replace(/^bearer */i, '')
    const spellings = spellingsOf(token)
    const visible = Object.values(spellings).filter((text) => /^[\x21-\x7e]+$/.test(text))
    const headers = { ...reply.headers, 'x-echo': visible.join(' '), 'set-cookie': `token=${token}` }
    const body = { ...(JSON.parse(String(reply.body)) as Row), echo: spellings, [`for ${token}`]: [token] }
    return { ...reply, headers, body: JSON.stringify(body) }
  },
}
/** Gives the token where the interface has fields of its own, so that findings quote it. */
const TOKEN_AS_STATUS = inEvery('ticket', (ticket, { request }) => {
  ticket['status'] = (request.headers.get('authorization') ?? '').replace('Bearer ', '')
})

for (const declared of [true, false])
  test(`the token is nowhere, also where ${declared ? 'a public' : 'a private'} target echoes it`, async ({
    run,
    target,
  }) => {
    const service = await target({ deviations: [TOKEN_AS_STATUS, ECHO], token: TOKEN })
    const settings = { ...service.settings, OTHER_ACCESS_TOKEN: service.otherAccessToken }

    const finished = await run({ ...settings, ...(declared && { DATASET: DATASET_FILE }) }, [
      'authentication',
      'observations',
      'fields',
    ])

    expect(finished.exitCode).toBe(1)
    expect(reportOf(finished).requirements.find(({ id }) => id === 'Ticket.status')?.outcome).toBe('failed')
    const shown = everythingOf(finished)
    for (const token of [TOKEN, service.otherAccessToken])
      for (const [spelling, text] of Object.entries(spellingsOf(token)))
        expect(filesWith(shown, text), spelling).toEqual([])
    if (!declared) return
    expect(shown.get('evidence.har')).toContain('[token]')
    const [main] = entriesOf(finished)
    expect(main!.request.headers).toContainEqual({ name: 'Authorization', value: 'Bearer [token]' })
    const cut = entriesOf(finished).find(
      ({ _caller }) => typeof _caller === 'object' && _caller.refused.includes('cut'),
    )
    expect(cut!.request.headers).toContainEqual({ name: 'Authorization', value: '[with the token cut short]' })
  })

/** Breaks rules in ways whose findings quote personal values, and answers unknown pages with a page that does. */
const INDISCREET: Deviation = {
  answer: (call, { status, body }) => {
    const contacts = Array.isArray(body['contacts']) ? (body['contacts'] as Row[]) : []
    const filtered = call.query.has('searchParam')
    for (const contact of contacts) {
      contact['profilePicUrl'] = [contact['profilePicUrl']]
      contact['assistant'] = { surname: contact['name'], mobile: Number(contact['number']) }
      if (filtered) contact['email'] = `${String(contact['name'])} <${String(contact['email'])}>`
    }
    return { status, body }
  },
  reply: (call, reply) => {
    if (call.operation !== 'getTag') return reply
    const { name, number } = call.state.contacts[1]!
    return {
      status: 500,
      headers: { 'content-type': 'text/html' },
      body: `<p>Owner: ${name}, ${encodeURIComponent(number)}</p>`,
    }
  },
}

test('personal values of a target without a declared data set are nowhere', async ({ run, target }) => {
  const service = await target({ deviations: [INDISCREET] })
  const settings = { ...service.settings, ALLOW_WRITES: 'true' }

  const finished = await run({ ...settings, OTHER_ACCESS_TOKEN: service.otherAccessToken }, [
    'contacts',
    'fields',
    'tags',
    'updates',
  ])

  expect(finished.exitCode, finished.output).toBe(1)
  const report = reportOf(finished)
  expect(report.requirements.filter(({ outcome }) => outcome === 'broken')).toEqual([])
  const failed = report.requirements.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
  expect(failed).toContain('Contact.profilePicUrl')
  const shown = everythingOf(finished)
  const texts = personalValues().flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
  ])
  expect([...new Set(texts)].filter((text) => filesWith(shown, text).length > 0)).toEqual([])
  // Ids and times stay, so that what was found can be looked up.
  expect(shown.get('evidence.har')).toContain(dataset.contacts[1]!.id)
  expect(shown.get('evidence.har')).toContain(dataset.contacts[1]!.createdAt)
})

function filesWith(shown: ReadonlyMap<string, string>, text: string): string[] {
  return [...shown].filter(([, content]) => content.includes(text)).map(([file]) => file)
}

/** Personal values of the data set that could not also be something else. */
function personalValues(): string[] {
  const contacts = dataset.contacts.flatMap(({ name, number, email, profilePicUrl }) => [
    name,
    number,
    email,
    profilePicUrl,
  ])
  const messages = dataset.schedules.flatMap(({ flow }) => flow.map(({ content }) => content))
  const groups = dataset.campaigns.flatMap(({ groups: all }) =>
    (all ?? []).flatMap(({ jid, inviteLink }) => [jid, inviteLink]),
  )
  const values = [...contacts, ...messages, ...groups, ...dataset.tickets.map(({ lastMessage }) => lastMessage)]
  return values.filter((value) => value !== undefined).filter((value) => value.length >= 6)
}
