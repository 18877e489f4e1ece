import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from '@playwright/test'
import { Contract, type OperationId } from '../engine/contract.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import { Masking } from '../reporting/redaction/masking.ts'
import { register } from '../requirements/register.ts'

const contract = new Contract()
const titles = register(contract).map(({ title }) => title)

const CONTACT = {
  id: 'con_1',
  name: 'Inês Carvalho',
  number: '447700900142',
  email: 'ines.carvalho@example.com',
  profilePicUrl: 'https://images.example.com/4Hq8Zt.jpg',
  utmCampaign: 'spring-2026',
  isGroup: false,
  channel: 'whatsapp',
  companyId: 'com_7Wd2Rk',
  createdAt: '2026-03-02T09:14:27.000Z',
  nickname: 'Nezinha',
  loyalty: { tier: 'gold', phone: 447700900143, points: 12 },
}

test('a contact keeps ids, labels, times and flags; the rest keeps length, case and punctuation alone', () => {
  const masked = maskAnswer('listContacts', { contacts: [CONTACT], count: 1 })

  const [contact] = masked['contacts'] as [typeof CONTACT]
  const { id, utmCampaign, isGroup, channel, companyId, createdAt } = CONTACT
  expect(contact).toMatchObject({ id, utmCampaign, isGroup, channel, companyId, createdAt })
  expect(masked['count']).toBe(1)
  for (const field of ['name', 'number', 'email', 'profilePicUrl', 'nickname'] as const) {
    expect(contact[field], field).not.toBe(CONTACT[field])
    expect(shape(contact[field]), field).toBe(shape(CONTACT[field]))
  }
  expect(contact.loyalty.tier).not.toBe('gold')
  expect(contact.loyalty.phone).not.toBe(CONTACT.loyalty.phone)
  expect(String(contact.loyalty.phone)).toHaveLength(12)
  expect(contact.loyalty.points).toBe(12)
})

test('the same value is masked in the same way wherever it occurs, and others in others', () => {
  const names = ['Ana', 'Ana', 'Bia', 'ANA', 'Zé', 'Zá', '李明', '李红', '👩🏽 Ana']
  const masked = maskAnswer('listContacts', { contacts: names.map((name) => ({ name })) })

  const results = (masked['contacts'] as { name: string }[]).map(({ name }) => name)
  expect(results[0]).toBe(results[1])
  expect(new Set(results).size).toBe(new Set(names).size)
  expect(results.map(({ length }) => length)).toEqual(names.map(({ length }) => length))
})

test('each resource has its own personal fields', () => {
  const schedule = {
    id: 'sch_1',
    status: 'sent',
    flow: [{ content: 'See you at ten', delay: '5 min', fileName: 'map.pdf' }],
    user: { id: 'usr_1', name: 'Rui Dias' },
    contact: CONTACT,
  }
  const [masked] = maskAnswer('listSchedules', { schedules: [schedule] })['schedules'] as [typeof schedule]

  expect(masked).toMatchObject({ id: 'sch_1', status: 'sent', user: { id: 'usr_1' }, flow: [{ delay: '5 min' }] })
  expect(masked.flow[0]!.content).not.toBe('See you at ten')
  expect(masked.flow[0]!.fileName).toMatch(/^[a-z]{3}\.[a-z]{3}$/)
  expect(masked.user.name).toMatch(/^[A-Z][a-z]{2} [A-Z][a-z]{3}$/)
  expect(masked.contact.email).not.toBe(CONTACT.email)

  const tags = maskAnswer('listTags', { tags: [{ id: '1', name: 'Buyers', color: '#aa0000', contacts: [CONTACT] }] })
  expect(tags['tags']).toMatchObject([{ name: 'Buyers', color: '#aa0000', contacts: [{ id: 'con_1' }] }])
  expect(JSON.stringify(tags)).not.toContain('Inês')
})

test('where the shape is open, everything is masked: names that are numbers, and ids too', () => {
  const group = { id: 'g1', status: 'full', initialMembers: { '447700900142@s.net': { id: 'x1', admin: true } } }
  const masked = maskAnswer('listCampaigns', { campaigns: [{ id: 'c', name: 'Spring', groups: [group] }] })

  const text = JSON.stringify(masked)
  expect(text).not.toContain('447700900142')
  expect(masked).toMatchObject({ campaigns: [{ name: 'Spring', groups: [{ id: 'g1', status: 'full' }] }] })
  expect(text).toMatch(/"\d{12}@[a-z]\.[a-z]{3}":\{"id":"[a-z]\d","admin":true\}/)
})

test('a value of another type than it should be keeps that type', () => {
  const masked = maskAnswer('listContacts', {
    contacts: [{ number: 447700900142, name: null, email: ['a@b.example'] }],
  })

  expect(masked['contacts']).toMatchObject([{ number: expect.any(Number), name: null, email: [expect.any(String)] }])
  expect(JSON.stringify(masked)).not.toMatch(/447700900142|a@b\.example/)
})

test('an id or a path that is a telephone number is masked as that number is', () => {
  const masking = maskingOf(CONTACT)

  const ticket = JSON.parse(
    masking.responseBody(exchange('listTickets', { tickets: [{ contactId: CONTACT.number }] })),
  ) as {
    tickets: [{ contactId: string }]
  }

  expect(ticket.tickets[0].contactId).toMatch(/^\d{12}$/)
  expect(masking.target(`/api/contacts/${CONTACT.number}`)).toBe(`/api/contacts/${ticket.tickets[0].contactId}`)
})

test('a telephone number is masked in an id and in a time, in bodies and addresses alike', () => {
  const masking = maskingOf()
  const id = `${CONTACT.number}@c.us`
  const shown = masking.responseBody(
    exchange('listContacts', { contacts: [CONTACT, { id, createdAt: `${CONTACT.name} 2026` }] }),
  )
  const { contacts } = JSON.parse(shown) as { contacts: { id: string; createdAt: string }[] }

  expect(contacts[1]!.id).toMatch(/^\d{12}@c\.us$/)
  expect(masking.target(`/api/tickets?contactId=${encodeURIComponent(id)}`)).toBe(
    `/api/tickets?contactId=${encodeURIComponent(contacts[1]!.id)}`,
  )
  for (const personal of [CONTACT.number, CONTACT.name]) expect(shown).not.toContain(personal)
})

test('an id stays where a search is for it', () => {
  const id = '6f1c2f0e-7b7c-4a59-9c7e-0d5a3f7f0b11'
  const masking = maskingOf({ ...CONTACT, id })

  expect(masking.target(`/api/contacts?searchParam=${id}`)).toBe(`/api/contacts?searchParam=${id}`)
  expect(masking.text(`contact ${id}: name is ${CONTACT.name}`)).toContain(`contact ${id}: name is `)
})

test('a search text is masked in the address and in every text that quotes it', () => {
  const masking = maskingOf()
  const target = '/crm/api/contacts?searchParam=In%C3%AAs&pageNumber=2&dateStart=2026-01-01'

  const masked = masking.target(target)

  expect(masked).toMatch(/^\/crm\/api\/contacts\?searchParam=\S+&pageNumber=2&dateStart=2026-01-01$/)
  expect(masked).not.toContain('In%C3%AAs')
  expect(masking.text(`GET ${target} gave no answer to Inês, INÊS or In&#xEA;s`)).toBe(
    `GET ${masked} gave no answer to ${String(masking.value('Inês'))}, ${masking.text('INÊS')} or ${String(masking.value('Inês'))}`,
  )
})

test('a name that begins others is masked where an escaped text ends with it', () => {
  const names = ['Ana Prado', 'Ana Prado ', 'Ana Prado Nunes da Silva']
  const masking = maskingOf(...names.map((name) => ({ name })))

  for (const text of ['a Ana%20Prado', 'Ana%20Prado', 'no &quot;Ana Prado', String.raw`b\u0041na Prado`])
    expect(masking.text(text)).not.toMatch(/na(%20| )Prado/)
})

test('names without end in a map are masked, and do not fill the memory', () => {
  const masking = maskingOf()
  const begun = heapBytes()
  for (let answer = 0; answer < 20; answer++) {
    const custom = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`+44${answer}${at}7700`, 1]))
    const shown = masking.responseBody(exchange('listContacts', { contacts: [{ name: 'Rui', custom }] }))
    expect(shown).not.toContain(`+44${answer}77700`)
  }
  expect(heapBytes() - begun).toBeLessThan(100e6)
})

test('what was masked is found in texts, pages and values; the words of the suite are not', () => {
  const masking = maskingOf(CONTACT, { name: 'Ticket' }, { name: 'open' }, { name: 'Rui' })

  const page = '<h1>No reply to In&ecirc;s, ines.carvalho@example.com or &#73;n\u00eas Carvalho</h1>'
  const shown = masking.responseBody(exchange('listContacts', page, 502))
  expect(shown).not.toMatch(/ines\.carvalho|n\u00eas Carvalho/)
  expect(shown).toContain('No reply to')
  expect(masking.value({ name: 'Somebody Else', id: 'con_2' })).toMatchObject({ id: 'con_2' })
  expect(JSON.stringify(masking.value({ name: 'Somebody Else' }))).not.toContain('Somebody')
  expect(masking.value('Rui')).not.toBe('Rui')
  expect(masking.value(447700900142)).not.toBe(447700900142)
  expect(masking.text('a ticket whose status is open')).toBe('a ticket whose status is open')
})

test('an error keeps its explanation, without the person', () => {
  const masking = maskingOf(CONTACT)

  const body = { error: 'NOT_FOUND', message: 'no contact 447700900142', owner: 'Rui Dias' }
  const shown = JSON.parse(masking.responseBody(exchange('getTag', body, 404))) as typeof body

  expect(shown.error).toBe('NOT_FOUND')
  expect(shown.message).toMatch(/^no contact \d{12}$/)
  expect(shown.message).not.toBe(body.message)
  expect(shown.owner).not.toBe(body.owner)
})

test('what is nearly JSON shows no text', () => {
  const masking = maskingOf()

  const cut = masking.responseBody(
    exchange('listContacts', '{"contacts":[{"name":"Inês \\"Nê\\" Carvalho","email":"ines.c'),
  )

  expect(cut).not.toMatch(/Inês|Carvalho|ines/)
  expect(cut).toContain('{"contacts":[{"name":"')
})

test('a body in another encoding is masked too, and stays in it', () => {
  const masking = maskingOf()
  const latin1 = Buffer.from('{"contacts":[{"name":"Inês"}]}', 'latin1')
  const original = exchange('listContacts', '')

  const shown = masking.responseBody({ ...original, response: { ...original.response!, body: latin1 } })

  expect(shown).toMatch(/^\{"contacts":\[\{"name":"[A-Z][a-z][\u00e0-\u00ff][a-z]"\}\]\}$/)
  expect(shown).not.toContain('Inês')
})

/** Bytes of all that is still in use. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

/** A masking that has seen some contacts. */
function maskingOf(...contacts: readonly object[]): Masking {
  const masking = new Masking(contract, titles)
  if (contacts.length > 0) masking.learn(exchange('listContacts', { contacts }))
  return masking
}

function maskAnswer(operation: OperationId, body: unknown): Record<string, unknown> {
  return JSON.parse(maskingOf().responseBody(exchange(operation, body))) as Record<string, unknown>
}

function exchange(operation: OperationId, body: unknown, status = 200): Exchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const target = '/api/contacts'
  return {
    number: 1,
    operation,
    purpose: 'answer',
    request: { method: 'GET', url: `http://host${target}`, target, headers: [], caller: 'main' },
    response: { status, statusText: '', headers: [], body: Buffer.from(text) },
    startedAt: new Date(0),
    durationMs: 1,
  }
}

/** What masking keeps of a text: where its letters, capitals and digits are, and everything else. */
function shape(text: string): string {
  return text
    .replace(/\p{Lu}/gu, 'A')
    .replace(/\p{L}/gu, (letter) => (letter === 'A' ? letter : 'a'))
    .replace(/\d/g, '9')
}
