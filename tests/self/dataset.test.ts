import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@playwright/test'
import { buildDataset } from '../../fixtures/dataset/build.ts'
import { Contract } from '../engine/contract.ts'
import { readDataset } from '../engine/dataset.ts'
import { projectRoot } from '../engine/settings.ts'

const FILE = path.join(projectRoot, 'fixtures/dataset.json')
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

/** The main company's objects by schema, and the fields without which a record could not be told or paired. */
const OBJECTS: Readonly<Record<string, readonly [objects: readonly object[], always: readonly string[]]>> = {
  Contact: [contacts, ['id', 'number', 'companyId']],
  Ticket: [tickets, ['id', 'lastMessage', 'companyId']],
  Schedule: [schedules, ['id', 'flow', 'companyId']],
  FlowItem: [schedules.flatMap(({ flow }) => flow), []],
  ScheduleUser: [schedules.flatMap(({ user = [] }) => user), ['id']],
  Tag: [tags, ['id', 'name', 'color', 'order', 'companyId', 'createdAt', 'updatedAt']],
  Campaign: [campaigns, ['id', 'name', 'companyId']],
  CampaignGroup: [campaigns.flatMap(({ groups = [] }) => groups), ['id', 'jid', 'companyId']],
}

test('the builder makes the published file, byte for byte, every time', () => {
  const published = readFileSync(FILE, 'utf8')

  expect(`${JSON.stringify(dataset, null, 2)}\n` === published, 'npm run dataset would change the file').toBe(true)
  expect(JSON.stringify(buildDataset()) === JSON.stringify(dataset)).toBe(true)
})

test('the published file is a data set by the schema, and breaks the contract nowhere', () => {
  expect(readDataset(contract, 'DATASET', FILE)).toEqual(dataset)

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

test('there are six full pages of contacts and three of schedules', () => {
  expect(Math.floor(contacts.length / PAGE_SIZE)).toBeGreaterThanOrEqual(6)
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

for (const [schema, [objects, always]] of Object.entries(OBJECTS))
  test(`every optional field of a ${schema} is present somewhere and absent somewhere`, () => {
    const fields = contract.fieldNames(schema)
    const everywhere = fields.filter((field) => objects.every((object) => field in object))
    const nowhere = fields.filter((field) => !objects.some((object) => field in object))

    expect(everywhere.toSorted()).toEqual(always.toSorted())
    expect(nowhere).toEqual([])
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
