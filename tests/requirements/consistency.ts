import type { OperationId } from '../engine/contract.ts'
import { COMPANIES } from '../engine/credentials.ts'
import { endOf, headerOf, idInPath, type Exchange } from '../engine/exchange.ts'
import { DAY_MS, type Instant } from '../engine/instants.ts'
import { asText, idOf, isObject, sameValue, type ListOperation, type Located, type Schemas } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Trial } from '../engine/trial.ts'
import { pairing } from './checks/pairing.ts'
import { implied } from './implied.ts'
import { LISTS, PLURAL } from './operations.ts'
import { updatesSent } from './send-update.ts'

interface Placed {
  readonly record: Record<string, unknown>
  readonly exchange: Exchange
  readonly pointer: string
}

const REVIEW = { phase: 'review' } as const

/** What records say of each other, in every answer of the run. */
export const consistency: readonly Requirement[] = [
  ...LISTS.flatMap((operation) => [
    implied(
      operation,
      'consistency.unique-ids',
      `No id occurs twice in one answer with ${PLURAL[operation]}, nor inside one of them.`,
      (trial) => judgeUnique(trial, operation),
      REVIEW,
    ),
    implied(
      operation,
      'consistency.past',
      `What has happened to ${PLURAL[operation]} did not happen in the future, nor at the zero of a calendar, and each was created once, before it was updated.`,
      (trial) => judgePast(trial, operation),
      REVIEW,
    ),
  ]),
  implied(
    'listSchedules',
    'consistency.contact',
    'The contact embedded in a schedule is the one that contactId names, with its own timestamps.',
    async (trial) => {
      await judgeEmbedded(trial, 'contact', 'contactId')
      await judgeTimesOfContacts(trial)
    },
    REVIEW,
  ),
  {
    ...implied(
      'listSchedules',
      'consistency.contact-fields',
      'The contact embedded in a schedule has the same fields as the contact in its list.',
      judgeContactFields,
      REVIEW,
    ),
    level: 'stated',
  },
  implied(
    'listSchedules',
    'consistency.user',
    'The user embedded in a schedule is the one that userId names.',
    (trial) => judgeEmbedded(trial, 'user', 'userId'),
    REVIEW,
  ),
  implied(
    'listCampaigns',
    'consistency.groups',
    'The groups of a campaign name it as their campaign.',
    judgeGroups,
    REVIEW,
  ),
  {
    ...implied(
      'listCampaigns',
      'campaigns.groups',
      'Each campaign comes with its groups.',
      judgeCampaignsWithGroups,
      REVIEW,
    ),
    level: 'stated',
  },
]

async function judgeUnique(trial: Trial, operation: ListOperation): Promise<void> {
  await trial.list(operation)
  const byAnswer = new Map<Exchange, Placed[]>()
  for (const placed of everyRecord(trial, operation)) {
    const others = byAnswer.get(placed.exchange)
    if (others) others.push(placed)
    else byAnswer.set(placed.exchange, [placed])
  }
  for (const [exchange, placed] of byAnswer) {
    judgeUniqueAmong(trial, `two ${PLURAL[operation]} of one answer have the same id`, exchange, placed)
    for (const { record, pointer } of placed)
      for (const member of ['contacts', 'groups'])
        judgeUniqueAmong(
          trial,
          `two ${member} of one record have the same id`,
          exchange,
          embedded(record, member, pointer),
        )
  }
  if (!trial.examined['records']) trial.notExercised(`Needs ${PLURAL[operation]} that show their ids.`)
}

/** Timestamps of what has happened, by their names and the document's notes. */
const PAST = ['createdAt', 'updatedAt', 'sentAt']

/** The zeros of calendars: of some languages, of file systems, databases and spreadsheets, and of the epoch. */
const ZEROS = ['0001-01-01', '1601-01-01', '1753-01-01', '1899-12-30', '1900-01-01', '1904-01-01', '1970-01-01'].map(
  (day) => Date.parse(day),
)
/** Seconds since 1970 that are read as milliseconds end here for some decades to come. */
const SECONDS_AS_MILLISECONDS_MS = 2 ** 31
/** So many records, and no other, leave no doubt that their times are of the wrong unit. */
const LEAST_OF_WRONG_UNIT = 3

/** Clocks differ, and zones that are not shown: a day is allowed for both. */
async function judgePast(trial: Trial, operation: ListOperation): Promise<void> {
  await trial.list(operation)
  const placed = everyRecord(trial, operation)
  for (const field of PAST) {
    const dated = placed.flatMap(({ record, exchange, pointer }) => {
      const at = trial.instantOf(record[field])
      return at
        ? [{ at, id: asText(idOf(record)), value: record[field], exchange, pointer: `${pointer}/${field}` }]
        : []
    })
    trial.count('timestamps', dated.length)
    const isOfWrongUnit =
      new Set(dated.map(({ id }) => id)).size >= LEAST_OF_WRONG_UNIT &&
      dated.every(({ at }) => at.earliest >= 0 && at.latest < SECONDS_AS_MILLISECONDS_MS)
    for (const { at, value, exchange, pointer } of dated) {
      const what = isOfWrongUnit ? 'a time in seconds that was taken for milliseconds' : notPast(at, exchange)
      if (what === undefined) continue
      const message = `${field} is ${what}`
      trial.fail({ message, expected: 'a time that has passed', received: value, exchange, pointer })
    }
  }
  judgeCreation(trial, placed)
  judgeOrder(trial, placed)
  if (!trial.examined['timestamps']) trial.notExercised(`Needs ${PLURAL[operation]} with timestamps that can be read.`)
}

/** One record may have been deleted and created again meanwhile; several, all with a later time, have not. */
const RECORDS_CREATED_AGAIN = 3

/** When a record was created, a later answer to the same company says as an earlier one does: each may count its own ids. */
function judgeCreation(trial: Trial, placed: readonly Placed[]): void {
  const last = new Map<string, Instant>()
  const again = new Map<string, Placed>()
  const unsteady = new Set<string>()
  for (const one of placed) {
    const [own, at] = [idOf(one.record), trial.instantOf(one.record['createdAt'])]
    if (own === undefined || !at) continue
    const id = `${one.exchange.request.caller === 'other' ? 'other ' : ''}${own}`
    const before = last.get(id) ?? at
    last.set(id, at)
    if (at.earliest > before.latest) again.set(id, one)
    if (at.latest < before.earliest) unsteady.add(id)
  }
  for (const id of unsteady) again.delete(id)
  const [created] = [...again.values()]
  if (!created || again.size < RECORDS_CREATED_AGAIN) return
  trial.fail({
    message: 'createdAt is later in each answer',
    expected: 'the time that an earlier answer has shown',
    received: created.record['createdAt'],
    exchange: created.exchange,
    pointer: `${created.pointer}/createdAt`,
    occurrences: again.size,
  })
}

/** So many records, created so far apart that no import has written them, and none that was updated later. */
const RECORDS_UPDATED_BEFORE = 3
const LONGEST_IMPORT_MS = 14 * DAY_MS

/** Where records are said to have been updated before they were created, and none after, the one time stands for the other. */
function judgeOrder(trial: Trial, placed: readonly Placed[]): void {
  const before = new Map<string, Placed & { readonly createdAt: number }>()
  for (const one of placed) {
    const [id, created, updated] = [
      idOf(one.record),
      trial.instantOf(one.record['createdAt']),
      trial.instantOf(one.record['updatedAt']),
    ]
    if (!created || !updated) continue
    if (updated.latest > created.earliest) return
    const isBefore = updated.latest < created.earliest - DAY_MS
    if (isBefore && id !== undefined) before.set(id, { ...one, createdAt: created.earliest })
  }
  const times = [...before.values()].map(({ createdAt }) => createdAt).toSorted((a, b) => a - b)
  const [first] = before.values()
  if (!first || times.length < RECORDS_UPDATED_BEFORE || times.at(-1)! - times[0]! < LONGEST_IMPORT_MS) return
  trial.fail({
    message: 'updatedAt is before createdAt',
    expected: `a time that is not before ${JSON.stringify(first.record['createdAt'])}, on some record at least`,
    received: first.record['updatedAt'],
    exchange: first.exchange,
    pointer: `${first.pointer}/updatedAt`,
    occurrences: times.length,
  })
}

/** What an instant is that can't have passed. */
function notPast({ earliest, latest }: Instant, exchange: Exchange): string | undefined {
  if (ZEROS.some((zero) => latest > zero - DAY_MS && earliest < zero + DAY_MS)) return 'a zero that stands for no time'
  if (earliest <= endOf(exchange) + DAY_MS) return undefined
  const targetsNow = Date.parse(headerOf(exchange.response?.headers ?? [], 'date') ?? '')
  return earliest <= targetsNow + DAY_MS ? undefined : 'in the future'
}

function judgeUniqueAmong(
  trial: Trial,
  message: string,
  exchange: Exchange,
  placed: readonly Omit<Placed, 'exchange'>[],
): void {
  const seen = new Set<string>()
  for (const { record, pointer } of placed) {
    const id = idOf(record)
    if (id === undefined) continue
    trial.count('records')
    if (seen.has(id))
      trial.fail({ message, expected: 'an id that no other has', received: id, exchange, pointer: `${pointer}/id` })
    seen.add(id)
  }
}

/** The records inside a record, each with its place. */
function embedded(record: Record<string, unknown>, member: string, pointer: string): Omit<Placed, 'exchange'>[] {
  const list = record[member]
  if (!Array.isArray(list)) return []
  return list.map((inner: unknown, index) => ({
    record: (typeof inner === 'object' && inner !== null ? inner : {}) as Record<string, unknown>,
    pointer: `${pointer}/${member}/${index}`,
  }))
}

async function judgeEmbedded(
  trial: Trial,
  member: 'contact' | 'user',
  reference: 'contactId' | 'userId',
): Promise<void> {
  await judgeEmbeddedOnEveryPage(trial, member, reference)
  for (const { record, exchange, pointer } of everyRecord(trial, 'listSchedules')) {
    const id = idOf(record[member])
    const named = record[reference]
    if (id === undefined || asText(named) === undefined) continue
    trial.count('schedules')
    if (id !== asText(named))
      trial.fail({
        message: `the embedded ${member} is not the one that ${reference} names`,
        expected: named,
        received: id,
        exchange,
        pointer: `${pointer}/${member}/id`,
      })
  }
  if (!trial.examined['schedules']) trial.notExercised(`Needs schedules that show both ${member} and ${reference}.`)
}

/** On shorter pages, all schedules may be without by chance. */
const RECORDS_OF_A_PAGE = 3

/** What may be embedded is open, but not by the page: a later one shows it as the first does, of schedules in the same state. */
async function judgeEmbeddedOnEveryPage(
  trial: Trial,
  member: 'contact' | 'user',
  reference: 'contactId' | 'userId',
): Promise<void> {
  const [first, ...later] = (await trial.list('listSchedules')).pages
  const shows = ({ value }: Located<Schemas['Schedule']>): boolean => isObject(value[member])
  const traitsOf = ({ value }: Located<Schemas['Schedule']>): string =>
    JSON.stringify([value[reference], value.status, Boolean(value.sentAt)])
  if (!first || first.records.length < RECORDS_OF_A_PAGE || !first.records.every(shows)) return
  const traits = new Set(first.records.map(traitsOf))
  for (const { records } of later) {
    const alike = records.find((record) => traits.has(traitsOf(record)))
    if (alike && records.length >= RECORDS_OF_A_PAGE && !records.some(shows))
      trial.fail({
        message: `a later page embeds no ${member}, as each schedule of the first page does`,
        expected: `the ${member} ${alike.value[reference]}`,
        received: 'none',
        exchange: alike.exchange,
        pointer: `${alike.pointer}/${member}`,
      })
  }
}

/** Timestamps that both a contact and a schedule have, where a join may take the one for the other. */
const TIMES = ['createdAt', 'updatedAt'] as const
/** So many times, of one contact or several, are not the schedules' by chance. */
const TIMES_OF_SCHEDULES = 3

/** Where embedded contacts show another time than in their list, be it one of before, it is not always the schedule's. */
async function judgeTimesOfContacts(trial: Trial): Promise<void> {
  const { byId } = await trial.list('listContacts')
  // What has been updated since it was listed may have the time of that, and so may what belongs to it.
  const updated = new Set(updatesSent(trial).map(idInPath))
  for (const field of TIMES) {
    const others = everyRecord(trial, 'listSchedules').flatMap(({ record, exchange, pointer }) => {
      const contact = record['contact']
      const id = idOf(contact)
      const listed = id === undefined || updated.has(id) ? undefined : byId.get(id)?.value[field]
      if (!isObject(contact) || !contact[field] || !listed || sameValue(contact[field], listed)) return []
      return [{ id, own: record[field], listed, shown: contact[field], exchange, pointer }]
    })
    const [first] = others
    const times = new Set(others.map(({ id, shown }) => JSON.stringify([id, shown])))
    if (!first || times.size < TIMES_OF_SCHEDULES) continue
    if (others.every(({ own, shown }) => sameValue(own, shown)))
      trial.fail({
        message: `contacts that schedules embed have the ${field} of the schedule`,
        expected: first.listed,
        received: first.shown,
        exchange: first.exchange,
        pointer: `${first.pointer}/contact/${field}`,
        occurrences: others.length,
      })
  }
}

/** Which optional fields a record shows is open: fewer contacts that lack one may lack it by chance. */
const CONTACTS_WITHOUT = 3

/** A field that the list of contacts shows is shown of some of the same contacts where schedules embed them. */
async function judgeContactFields(trial: Trial): Promise<void> {
  const { byId: listed } = await trial.list('listContacts')
  const shown = new Set<string>()
  const both = new Map<string, Placed>()
  for (const placed of everyRecord(trial, 'listSchedules', 'main')) {
    const contact = placed.record['contact']
    const id = idOf(contact)
    if (!isObject(contact) || id === undefined || !listed.has(id)) continue
    both.set(id, { ...placed, record: contact })
    for (const field of Object.keys(contact)) shown.add(field)
  }
  for (const field of trial.session.contract.fieldNames('Contact')) {
    // What is false or empty may be left out of one and not of the other.
    const those = [...both].filter(([id]) => listed.get(id)!.value[field as keyof Schemas['Contact']])
    if (those.length < CONTACTS_WITHOUT) continue
    trial.count('fields')
    const { exchange, pointer } = those[0]![1]
    if (!shown.has(field))
      trial.fail({
        message: `contacts that schedules embed have no ${field}, and the same contacts in their list have`,
        expected: `the field ${field}`,
        received: 'left out',
        exchange,
        pointer: `${pointer}/contact`,
        occurrences: those.length,
      })
  }
  if (!trial.examined['fields'])
    trial.notExercised(`Needs ${CONTACTS_WITHOUT} contacts that schedules embed and that the list of contacts shows.`)
}

async function judgeGroups(trial: Trial): Promise<void> {
  await trial.list('listCampaigns')
  for (const { record, exchange, pointer } of everyRecord(trial, 'listCampaigns'))
    for (const group of embedded(record, 'groups', pointer)) {
      const campaignId = asText(group.record['campaignId'])
      if (campaignId === undefined || idOf(record) === undefined) continue
      trial.count('groups')
      if (campaignId !== idOf(record))
        trial.fail({
          message: 'a group names another campaign',
          expected: record['id'],
          received: campaignId,
          exchange,
          pointer: `${group.pointer}/campaignId`,
        })
    }
  if (!trial.examined['groups']) trial.notExercised('Needs campaigns with groups that show campaignId.')
}

/** Which campaigns have groups the data set tells; without it, where none shows any, the list leaves them out. */
async function judgeCampaignsWithGroups(trial: Trial): Promise<void> {
  await trial.list('listCampaigns')
  for (const company of COMPANIES) {
    const campaigns = everyRecord(trial, 'listCampaigns', company)
    const [first] = campaigns
    if (!first) continue
    trial.count('campaigns', campaigns.length)
    if (!campaigns.some(({ record }) => 'groups' in record))
      trial.fail({
        message: 'campaigns came without their groups',
        expected: 'the member groups',
        received: undefined,
        exchange: first.exchange,
        pointer: first.pointer,
        occurrences: campaigns.length,
      })
  }
  if (!trial.examined['campaigns']) return trial.notExercised('Needs campaigns; the target lists none.')
  if (!trial.session.dataset || trial.findings.length > 0) return
  for (const { known, listed } of (await pairing(trial)).matches.listCampaigns.pairs)
    if (listed && listed.value.groups === undefined && known.groups && known.groups.length > 0)
      trial.fail({
        message: 'a campaign came without its groups',
        expected: `the ${known.groups.length} group(s) that the campaign was loaded with`,
        received: undefined,
        exchange: listed.exchange,
        pointer: `${listed.pointer}/groups`,
      })
}

/** Every record of an operation in every answer that could be used, each with its place; of equal large answers, one. */
export function everyRecord(trial: Trial, operation: OperationId, caller: 'main' | 'other' | 'any' = 'any'): Placed[] {
  const { listMember } = trial.session.contract.operation(operation)
  const bodies = new Set<unknown>()
  return trial.session.evidence.answers.flatMap(({ exchange, usable, body }) => {
    if (!usable || exchange.operation !== operation || bodies.has(body)) return []
    if (caller !== 'any' && exchange.request.caller !== caller) return []
    bodies.add(body)
    const records = listMember === undefined ? [body] : ((body as Record<string, unknown>)[listMember] as unknown[])
    return records.flatMap((record, index) =>
      typeof record === 'object' && record !== null
        ? [
            {
              record: record as Record<string, unknown>,
              exchange,
              pointer: listMember === undefined ? '' : `/${listMember}/${index}`,
            },
          ]
        : [],
    )
  })
}
