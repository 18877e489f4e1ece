import { everyRecord, type Placed } from '../../../engine/data/every-record.ts'
import { idInPath } from '../../../engine/http/exchange.ts'
import {
  asText,
  idOf,
  isObject,
  sameShown,
  sameValue,
  type Located,
  type Schemas,
} from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatesSent } from '../updates/send-update.ts'
import { OF_ONE_CONTACT } from '../updates/update-body.ts'

/** The contact and the user that a schedule embeds are those that its ids name, on every page. */
export async function judgeEmbedded(
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
export async function judgeTimesOfContacts(trial: Trial): Promise<void> {
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
export async function judgeContactFields(trial: Trial): Promise<void> {
  const { byId: listed } = await trial.list('listContacts')
  const shown = new Set<string>()
  const both = new Map<string, Placed>()
  for (const placed of everyRecord(trial, 'listSchedules', 'main')) {
    const contact = placed.record['contact']
    const id = idOf(contact)
    if (!isObject(contact) || id === undefined || !listed.has(id)) continue
    if (!both.has(id)) both.set(id, { ...placed, record: contact })
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
  const updated = new Set(updatesSent(trial).map(idInPath))
  const untouched = [...both].flatMap(([id, one]) => (updated.has(id) ? [] : [one]))
  judgeContactValues(trial, untouched, listed)
  judgeValuesOfOthers(trial, untouched, listed)
  if (!trial.examined['fields'])
    trial.notExercised(`Needs ${CONTACTS_WITHOUT} contacts that schedules embed and that the list of contacts shows.`)
}

/** Two who share an address, or had it one after the other, may be there by chance. */
const CONTACTS_OF_OTHERS = 2

/** What contacts lack in their list, they do not have of other contacts where they are embedded. */
function judgeValuesOfOthers(trial: Trial, embedded: readonly Placed[], listed: Listed): void {
  for (const field of OF_ONE_CONTACT) {
    const known = new Set<unknown>([...listed.values()].map(({ value }) => value[field]).filter(Boolean))
    const others = besideListed(embedded, listed, field).filter(({ shown, own }) => !own && known.has(shown))
    if (others.length >= CONTACTS_OF_OTHERS)
      reportUnlike(
        trial,
        field,
        `contacts that schedules embed show the ${field} of others, and none in their list`,
        others,
      )
  }
}

/** As many contacts that are embedded with another value than their own, and none with its own, leave no doubt. */
const CONTACTS_UNLIKE = 3

/** What one target shows for nothing, and another one otherwise. */
const SAYING_NOTHING: ReadonlySet<unknown> = new Set([null, '', false, 0])

/** An embedded contact may be one of before; but not each shows another value than its list does, nor all the same one. */
function judgeContactValues(trial: Trial, embedded: readonly Placed[], listed: Listed): void {
  for (const field of trial.session.contract.comparableFields('Contact')) {
    if (TIMES.some((time) => time === field)) continue
    const both = besideListed(embedded, listed, field).filter(
      ({ shown, own }) => shown !== undefined && own !== undefined,
    )
    const unlike = both.filter(
      ({ shown, own }) => !sameShown(shown, own) && !(SAYING_NOTHING.has(shown) && SAYING_NOTHING.has(own)),
    )
    const isAlwaysUnlike = both.every((one) => unlike.includes(one) || SAYING_NOTHING.has(one.own))
    const isAlwaysTheSame = both.every(({ shown }) => sameShown(shown, both[0]!.shown))
    if (unlike.length < CONTACTS_UNLIKE || !(isAlwaysUnlike || isAlwaysTheSame)) continue
    const which = isAlwaysUnlike ? 'each of them' : 'and all the same'
    reportUnlike(
      trial,
      field,
      `contacts that schedules embed show another ${field} than in their list, ${which}`,
      unlike,
    )
  }
}

type Listed = ReadonlyMap<string, Located<Schemas['Contact']>>

/** A value of a contact where a schedule embeds it, and its own in the list. */
interface BesideListed extends Placed {
  readonly shown: unknown
  readonly own: unknown
}

function besideListed(embedded: readonly Placed[], listed: Listed, field: string): readonly BesideListed[] {
  return embedded.map((one) => ({
    ...one,
    shown: one.record[field],
    own: listed.get(idOf(one.record)!)!.value[field as keyof Schemas['Contact']],
  }))
}

function reportUnlike(trial: Trial, field: string, message: string, unlike: readonly BesideListed[]): void {
  const { record, exchange, pointer, own, shown } = unlike[0]!
  trial.differ(
    {
      message,
      expected: own ?? 'none',
      received: shown,
      exchange,
      pointer: `${pointer}/contact/${field}`,
      occurrences: unlike.length,
    },
    { operation: 'listContacts', id: idOf(record) },
  )
}
