import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { buildDataset, LARGEST_SIZE, SMALLEST_SIZE } from '../../fixtures/dataset/build.ts'
import { setting } from '../../fixtures/faults/building/answers.ts'
import { combine } from '../../fixtures/faults/variants/combinations.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { shortcomings } from '../certification/data-check.ts'
import { Contract } from '../engine/contract.ts'
import { readDataset } from '../engine/data/dataset.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { lacking } from '../proving/poor-data.ts'
import { register } from '../requirements/register.ts'
import { runScript } from '../run/node-process.ts'
import { judgeEverything, told } from './judge-everything.ts'
import { DATASET_FILE } from './own-target.ts'

const PAGE_SIZE = 20
const DAY_MS = 86_400_000

const contract = new Contract()
const dataset = buildDataset()
const ofMain = <T extends { companyId: string }>(records: readonly T[]): T[] =>
  records.filter(({ companyId }) => companyId === dataset.companyId)
const contacts = ofMain(dataset.contacts)
const tickets = ofMain(dataset.tickets)
const schedules = ofMain(dataset.schedules)
const tags = ofMain(dataset.tags)
const campaigns = ofMain(dataset.campaigns)

/** Records are paired by these where a target gives ids of its own. */
const NATURAL_KEYS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  'contact number': dataset.contacts.map(({ number }) => number),
  'ticket lastMessage': dataset.tickets.map(({ lastMessage }) => lastMessage),
  'content of the first flow item of a schedule': dataset.schedules.map(({ flow }) => flow[0]?.content),
  'tag name': dataset.tags.map(({ name }) => name),
  'campaign name': dataset.campaigns.map(({ name }) => name),
  'group jid': dataset.campaigns.flatMap(({ groups = [] }) => groups.map(({ jid }) => jid)),
}

/** What a record may go without, as in life; everything else is there in every record. */
const MAY_BE_ABSENT: Readonly<Record<string, readonly string[]>> = {
  Schedule: ['sentAt', 'sequenceId', 'sequenceStageId', 'ticketId'],
  Tag: ['contacts', 'kanban'],
}
const MAY_BE_NULL: Readonly<Record<string, readonly string[]>> = { Ticket: ['chatConversationId', 'queueId'] }

const groups = dataset.campaigns.flatMap(({ groups: all = [] }) => all)

/** Both companies' objects by schema. */
const OBJECTS: Readonly<Record<string, readonly object[]>> = {
  Contact: dataset.contacts,
  Ticket: dataset.tickets,
  Schedule: dataset.schedules,
  FlowItem: dataset.schedules.flatMap(({ flow }) => flow),
  ScheduleUser: dataset.schedules.flatMap(({ user = [] }) => user),
  Tag: dataset.tags,
  Campaign: dataset.campaigns,
  CampaignGroup: groups,
}

/** Every field that names something by its id: the records that have it, and those that it names. */
const REFERENCES: readonly (readonly [field: string, from: readonly object[], to: readonly { companyId: string }[]])[] =
  [
    [
      'chatappId',
      [...dataset.contacts, ...dataset.tickets, ...dataset.schedules, ...dataset.campaigns],
      dataset.connections,
    ],
    ['userId', [...dataset.tickets, ...dataset.schedules], dataset.users],
    ['queueId', dataset.tickets, dataset.queues],
    ['contactId', [...dataset.tickets, ...dataset.schedules], dataset.contacts],
    ['ticketId', dataset.schedules, dataset.tickets],
    ['flowId', dataset.schedules, dataset.flows],
    ['sequenceId', [...dataset.schedules, ...dataset.sequenceStages], dataset.sequences],
    ['sequenceStageId', dataset.schedules, dataset.sequenceStages],
    ['campaignId', groups, dataset.campaigns],
  ]

/** Telephone numbers that are kept for fiction: of the United Kingdom, of France and of North America. */
const FICTITIOUS_NUMBER = /^(447700900\d{3}|3363998\d{4}|1[2-9]\d\d55501\d\d)$/

test('the builder makes the published file, byte for byte, every time', () => {
  const published = readFileSync(DATASET_FILE, 'utf8')

  expect(`${JSON.stringify(dataset, null, 2)}\n` === published, 'npm run dataset would change the file').toBe(true)
  expect(JSON.stringify(buildDataset()) === JSON.stringify(dataset)).toBe(true)
})

test('a data set of any allowed size is built, of each kind for itself', () => {
  const sizes = [SMALLEST_SIZE, { contacts: 41 }, { tags: 4 }, { tickets: 5000, tags: LARGEST_SIZE.tags }]
  for (const size of sizes) {
    const built = buildDataset(size)
    for (const [kind, count] of Object.entries(size) as [keyof typeof size, number][])
      expect(built[kind].filter(({ companyId }) => companyId === built.companyId)).toHaveLength(count)
  }
})

const MISTAKES: readonly (readonly [what: string, args: readonly string[], says: RegExp])[] = [
  [
    'too few contacts',
    ['--contacts', '30', '--out', 'OUT'],
    /^--contacts is "30"; give a whole number from 31 to 10000/,
  ],
  ['a folder for a file', ['--format', 'sql', '--out', 'OUT'], /^--out is ".*", which can't be written to as a file/],
  [
    'a file for a folder',
    ['--format', 'csv', '--out', 'README.md'],
    /^--out is "README.md", .* as a folder \(EEXIST\)/,
  ],
  ['a dialect of CSV', ['--format', 'csv', '--dialect', 'mysql', '--out', 'OUT'], /^--dialect has no effect with /],
]

for (const [what, args, says] of MISTAKES)
  test(`${what} is told in one sentence`, async () => {
    const out = test.info().outputPath()

    const { exitCode, output } = await runScript(
      'dataset',
      args.map((arg) => arg.replace('OUT', out)),
    )

    expect(exitCode).toBe(2)
    expect(output.trim()).toMatch(says)
    expect(output.trim()).not.toContain('\n')
  })

test('the published file is a data set by the schema, and breaks the contract nowhere', () => {
  expect(readDataset(contract, 'DATASET', DATASET_FILE)).toEqual(dataset)

  for (const { id, listMember } of contract.operations.values())
    if (listMember !== undefined) {
      const records = dataset[listMember as 'contacts']
      const answer = { [listMember]: records, count: records.length, hasMore: false }
      expect([...contract.violations(id, answer)], id).toEqual([])
    }
})

for (const [what, values] of Object.entries(NATURAL_KEYS))
  test(`every ${what} is there and unique over both companies`, () => {
    const repeated = values.filter((value, index) => values.indexOf(value) !== index)

    expect(values).not.toContain(undefined)
    expect(repeated).toEqual([])
    expect(values.length).toBeGreaterThan(1)
  })

test('there are five full pages of contacts and three of schedules', () => {
  expect(Math.floor(contacts.length / PAGE_SIZE)).toBeGreaterThanOrEqual(5)
  expect(Math.floor(schedules.length / PAGE_SIZE)).toBeGreaterThanOrEqual(3)
})

test('the second company has some of everything, under ids of its own', () => {
  for (const records of [dataset.contacts, dataset.tickets, dataset.schedules, dataset.tags, dataset.campaigns]) {
    const others = records.filter(({ companyId }) => companyId === dataset.otherCompanyId)

    expect(others.length).toBeGreaterThan(1)
    expect(others.length + ofMain<{ companyId: string }>(records).length).toBe(records.length)
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length)
  }
})

for (const [schema, objects] of Object.entries(OBJECTS))
  test(`every ${schema} is complete, but for what life leaves out, which some have and some have not`, () => {
    const fields = contract.fieldNames(schema)
    const isSometimes = (isSo: (object: Record<string, unknown>, field: string) => boolean): string[] =>
      fields.filter((field) => objects.some((object) => isSo(object as Record<string, unknown>, field))).toSorted()

    expect(isSometimes((object, field) => !(field in object))).toEqual(MAY_BE_ABSENT[schema] ?? [])
    expect(isSometimes((object, field) => object[field] === null)).toEqual(MAY_BE_NULL[schema] ?? [])
    expect(isSometimes((object, field) => object[field] === '')).toEqual([])
    expect(isSometimes((object, field) => (object[field] ?? undefined) !== undefined)).toEqual(fields.toSorted())
    expect(objects.flatMap((object) => Object.keys(object)).filter((field) => !fields.includes(field))).toEqual([])
  })

for (const [field, from, to] of REFERENCES)
  test(`every ${field} names something of the same company`, () => {
    const companies = new Map(to.map((record) => [(record as { id?: string }).id, record.companyId]))
    const given = from.filter((record) => (record as Record<string, unknown>)[field] !== undefined) as Record<
      string,
      string
    >[]

    expect(given.length).toBeGreaterThan(0)
    for (const record of given)
      if (record[field] !== null)
        expect(companies.get(record[field]), `${field} of ${record['id']}`).toBe(record['companyId'])
  })

test('what is embedded is as it is listed', () => {
  const listed = new Map(dataset.contacts.map((contact) => [contact.id, contact]))
  const users = new Map(dataset.users.map(({ id, name }) => [id, { id, name }]))
  const embedded = [
    ...dataset.tags.flatMap(({ contacts: linked = [] }) => linked),
    ...dataset.schedules.map(({ contact }) => contact!),
  ]

  for (const contact of embedded) expect(contact).toEqual(listed.get(contact.id))
  for (const schedule of dataset.schedules) {
    expect(schedule.contact!.id).toBe(schedule.contactId)
    expect(schedule.user).toEqual(users.get(schedule.userId!))
  }
})

test('no telephone, domain or group of it exists', () => {
  const text = JSON.stringify(dataset)
  const admins = groups.flatMap(({ initialMembers }) => (initialMembers as { admins: string[] }).admins)
  const founders = groups.map(({ jid }) => jid.replace(/-\d{10}@g\.us$/, ''))

  for (const number of [...dataset.contacts.map((contact) => contact.number), ...admins, ...founders])
    expect(number).toMatch(FICTITIOUS_NUMBER)
  const domains = text.match(/(?<=@|:\/\/)[\w-]+(\.[\w-]+)+/g)!.filter((domain) => domain !== 'g.us')
  expect(domains.filter((domain) => !/(^|\.)example\.(com|org|net)$/.test(domain))).toEqual([])
  expect(domains.length).toBeGreaterThan(dataset.contacts.length)
})

test('nothing is due: what is not sent is for 2099, and no campaign lets anybody in before', () => {
  const built = Date.parse('2026-11-01T00:00:00.000Z')
  const isOver = (time: string | undefined): boolean => Date.parse(time!) < built
  for (const { status, sendAt, sentAt } of dataset.schedules) {
    expect(sentAt !== undefined).toBe(status === 'sent')
    expect(status === 'sent' ? isOver(sentAt) && isOver(sendAt) : sendAt!.startsWith('2099-')).toBe(true)
  }
  const ahead = dataset.campaigns.filter(({ releaseDate }) => releaseDate!.startsWith('2099-'))
  const over = dataset.campaigns.filter(({ acceptEntriesUntil }) => isOver(acceptEntriesUntil))
  expect(ahead.length + over.length).toBe(dataset.campaigns.length)
  for (const some of [ahead, over]) expect(new Set(some.map(({ isActive }) => isActive)).size).toBe(2)
  for (const status of ['sent', 'scheduled'])
    expect(ofMain(dataset.schedules).filter((schedule) => schedule.status === status).length).toBeGreaterThan(20)
})

test('nobody is in a state that a target with rules of its own may not let an update take back', () => {
  const underWay = new Set([
    ...dataset.tickets.filter(({ status }) => status !== 'closed').map(({ contactId }) => contactId),
    ...dataset.schedules.filter(({ sentAt }) => sentAt === undefined).map(({ contactId }) => contactId),
  ])
  for (const { id, active, isOpen, isAdmin, isBotEnabled, isGroup } of dataset.contacts) {
    if (!active) expect([isOpen, isAdmin, isBotEnabled, underWay.has(id)]).toEqual([false, false, false, false])
    if (isBotEnabled) expect([isOpen, isGroup]).toEqual([false, false])
  }
  for (const flag of ['active', 'isOpen', 'isAdmin', 'isBotEnabled', 'isGroup'] as const)
    for (const value of [true, false])
      expect(ofMain(dataset.contacts).filter((contact) => contact[flag] === value).length).toBeGreaterThan(10)
})

test('every requirement can be exercised with it, on pages of 20 and of 50 records', async () => {
  const demands = register(contract).filter(({ level }) => level !== 'observed')

  expect(
    await shortcomings(contract, demands, readDataset(contract, 'DATASET', DATASET_FILE), readRunSettings({})),
  ).toEqual([])
})

const PASSED_BY: Readonly<Record<string, readonly Deviation[]>> = {
  'one page holds all of it, and the next one nothing': [combine(['pages-of-1000']).deviation],
  'names are shown with each mark apart from its letter, and found so': [
    combine(['search-without-accents']).deviation,
    setting('contact', 'name', (name) => String(name).normalize('NFD')),
  ],
}

for (const [where, deviations] of Object.entries(PASSED_BY))
  test(`every requirement is exercised and met where ${where}`, async () => {
    const { results } = await judgeEverything(() => () => undefined, {}, ...deviations)

    const demands = results.filter(({ requirement }) => requirement.level !== 'observed')
    expect(demands.filter(({ outcome }) => outcome !== 'passed').map(told)).toEqual([])
  })

test('that a data set has no second page is told', async () => {
  const demands = register(contract).filter(({ id }) => id.includes('.paging.') || id.includes('.search.pages'))
  const poor = lacking('one page of each kind') as unknown as Parameters<typeof shortcomings>[2]
  const lacks = await shortcomings(contract, demands, poor, readRunSettings({}))

  expect(lacks.map(({ reason }) => reason)).toEqual([
    'Needs more than a page of contacts.',
    'Needs more than a page of schedules.',
  ])
})

test('what a poorer data set cannot exercise is told, with the reason', async () => {
  const demands = register(contract).filter(({ id }) => id.startsWith('listTickets.filter.'))
  const poor = lacking('tickets of one user') as unknown as Parameters<typeof shortcomings>[2]
  const lacks = await shortcomings(contract, demands, poor, readRunSettings({}))

  expect(lacks.map(({ requirement }) => requirement.id)).toEqual([
    'listTickets.filter.userId',
    'listTickets.filter.all',
  ])
  expect(lacks[0]!.reason).toContain('tickets with different values of userId')
  expect(lacks[0]!.pageSize).toBe(20)
})

test('a larger one has as many records as were asked for, every natural key once, and as much of everything else', () => {
  const larger = buildDataset({ contacts: 1500, tags: 30, campaigns: 14 })

  expect(larger.contacts.length - dataset.contacts.length).toBe(1500 - contacts.length)
  expect(new Set(larger.contacts.map(({ number }) => number)).size).toBe(larger.contacts.length)
  expect(new Set(larger.tags.map(({ name }) => name)).size).toBe(larger.tags.length)
  expect(new Set(larger.campaigns.map(({ name }) => name)).size).toBe(larger.campaigns.length)
  expect(larger.tickets.length).toBe(dataset.tickets.length)
})

test('every value by which tickets are filtered has tickets, and others without it', () => {
  expect(different(tickets, 'status')).toEqual(['closed', 'open', 'pending'])
  for (const field of ['userId', 'queueId', 'contactId', 'chatappId'] as const)
    expect(different(tickets, field).length, field).toBeGreaterThan(2)
  for (const field of ['queueId', 'chatConversationId'] as const) {
    const nulls = tickets.filter((ticket) => ticket[field] === null)
    const texts = tickets.filter((ticket) => typeof ticket[field] === 'string')
    expect([nulls.length > 1, texts.length > 1], field).toEqual([true, true])
  }
})

test('schedules have several users, contacts, connections and states, and contacts several connections', () => {
  for (const field of ['userId', 'contactId', 'chatappId', 'status'] as const)
    expect(different(schedules, field).length, field).toBeGreaterThan(1)
  expect(different(contacts, 'chatappId').length).toBeGreaterThan(1)
  expect(different(contacts, 'channel').length).toBeGreaterThan(1)
})

test('some campaigns have no group, one group and several groups', () => {
  const sizes = campaigns.flatMap(({ groups }) => groups?.length ?? [])

  expect(sizes).toContain(0)
  expect(sizes).toContain(1)
  expect(Math.max(...sizes)).toBeGreaterThan(1)
})

test('some tags have contacts, an empty list of them or none, and a kanban number or none', () => {
  const lists = tags.map((tag) => tag.contacts?.length)

  expect(lists).toContain(undefined)
  expect(lists).toContain(0)
  expect(lists.some((length) => length !== undefined && length > 1)).toBe(true)
  expect(new Set(tags.map(({ kanban }) => kanban !== undefined)).size).toBe(2)
})

test('contacts were created over more than a year, on days with several and with days between', () => {
  const times = contacts.flatMap(({ createdAt }) => (createdAt === undefined ? [] : Date.parse(createdAt)))
  const days = times.map((time) => Math.floor(time / DAY_MS)).toSorted((a, b) => a - b)
  const perDay = days.map((day) => days.filter((other) => other === day).length)

  expect(days.at(-1)! - days[0]!).toBeGreaterThan(365)
  expect(perDay.filter((count) => count >= 3).length).toBeGreaterThan(0)
  expect(perDay.filter((count) => count === 1).length).toBeGreaterThan(0)
  expect(days.at(-1)! - days[0]! + 1).toBeGreaterThan(new Set(days).size)
})

for (const [what, characters] of [
  ['accents', /\p{Script=Latin}\p{M}|[À-ÖØ-öø-ž]/u],
  ['apostrophes', /['’]/],
  ['characters beyond the basic plane', /[\u{10000}-\u{10FFFF}]/u],
  ['another script', /\p{Script=Cyrillic}|\p{Script=Han}|\p{Script=Greek}|\p{Script=Arabic}/u],
  ['what markup would take for its own', /[<&]/],
] as const)
  test(`some contacts have names with ${what}`, () => {
    expect(contacts.filter(({ name = '' }) => characters.test(name)).length).toBeGreaterThan(0)
    expect(contacts.filter(({ name = '' }) => !characters.test(name)).length).toBeGreaterThan(0)
  })

/** The different texts that records hold in a field, sorted. */
function different<T>(records: readonly T[], field: keyof T): unknown[] {
  return [...new Set(records.map((record) => record[field]).filter((value) => typeof value === 'string'))].toSorted()
}
