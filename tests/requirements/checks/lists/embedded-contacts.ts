import { everyRecord, recordsInside, type Placed } from '../../../engine/data/every-record.ts'
import {
  type AnyRecord,
  idOf,
  isObject,
  sameShown,
  sameValue,
  type Located,
  type Schemas,
} from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { NOUNS } from '../../operations.ts'
import { countBareTags } from '../after-updates/embedded-when-updated.ts'
import { fetchedTags, type Embedding } from '../after-updates/shown-elsewhere.ts'
import { triedIds } from '../updates/send-update.ts'
import { OF_ONE_CONTACT } from '../updates/update-body.ts'

/** A contact inside a record, and that record. */
interface Inside extends Placed {
  readonly holder: object
}

/** The contacts inside records, in every answer, as far as they show their ids. */
function contactsInside(trial: Trial, operation: Embedding, caller: 'main' | 'any' = 'any'): readonly Inside[] {
  return everyRecord(trial, operation, caller).flatMap(({ record: holder, exchange, pointer }) => {
    const { contact } = holder
    const one = isObject(contact) ? [{ record: contact, pointer: `${pointer}/contact` }] : []
    return [...one, ...recordsInside(holder, 'contacts', pointer)]
      .filter(({ record }) => idOf(record) !== undefined)
      .map((inner) => ({ ...inner, exchange, holder }))
  })
}

/** The contacts of tags are those of the list of contacts, with their values and their own timestamps. */
export async function judgeContactsOfTags(trial: Trial, operation: 'listTags' | 'getTag'): Promise<void> {
  const { byId: listed } = await trial.list('listContacts')
  await fetchedTags(trial)
  const all = contactsInside(trial, operation, 'main')
  if (all.length === 0 && countBareTags(trial, operation)) return
  await judgeIdsOfContacts(trial, operation, all)
  const both = all.filter(({ record }) => listed.has(idOf(record)!))
  if (both.length === 0)
    trial.notExercised('Needs tags that show contacts, with their ids, which the list of contacts shows too.')
  trial.count('contacts', both.length)
  await judgeTimesOfContacts(trial, operation)
  judgeValues(trial, operation, firstOfEach(both), listed)
}

/** As many have another's number and name under an id of their own by no chance. */
const CONTACTS_UNKNOWN = 3

/** What has the number and the name of a listed contact has its id too, where no id is one that is listed. */
async function judgeIdsOfContacts(trial: Trial, operation: Embedding, inside: readonly Inside[]): Promise<void> {
  const { records, byId, complete } = await trial.list('listContacts')
  if (!complete || inside.some(({ record }) => byId.has(idOf(record)!))) return
  const owners = new Map(records.map(({ value }) => [numberAndName(value), value]))
  owners.delete(undefined)
  const others = inside.flatMap((one) => {
    const owner = owners.get(numberAndName(one.record))
    return owner ? [{ ...one, owner }] : []
  })
  const [first] = others
  if (!first || new Set(others.map(({ owner }) => owner)).size < CONTACTS_UNKNOWN) return
  trial.differ(
    {
      message: `contacts that ${NOUNS[operation]} show have other ids than in their list`,
      expected: first.owner.id,
      received: first.record['id'],
      exchange: first.exchange,
      pointer: `${first.pointer}/id`,
      occurrences: others.length,
    },
    { operation: 'listContacts', id: idOf(first.owner) },
  )
}

function numberAndName({ number, name }: AnyRecord): string | undefined {
  return number && name ? JSON.stringify([number, name]) : undefined
}

/** Timestamps that both a contact and what embeds it have, where a join may take the one for the other. */
const TIMES = ['createdAt', 'updatedAt'] as const
/** So many times, of one contact or several, are not the holders' by chance. */
const TIMES_OF_HOLDERS = 3

/** Where embedded contacts show another time than in their list, be it one of before, it is not always their holder's. */
export async function judgeTimesOfContacts(trial: Trial, operation: Embedding): Promise<void> {
  const { byId } = await trial.list('listContacts')
  // What has been updated since it was listed may have the time of that, and so may what belongs to it.
  const updated = triedIds(trial)
  const inside = contactsInside(trial, operation)
  for (const field of TIMES) {
    const others = inside.flatMap(({ record, holder, exchange, pointer }) => {
      const id = idOf(record)!
      const listed = updated.has(id) ? undefined : byId.get(id)?.value[field]
      if (!record[field] || !listed || sameValue(record[field], listed)) return []
      return [{ id, own: (holder as AnyRecord)[field], listed, shown: record[field], exchange, pointer }]
    })
    const [first] = others
    const times = new Set(others.map(({ id, shown }) => JSON.stringify([id, shown])))
    if (!first || times.size < TIMES_OF_HOLDERS) continue
    if (others.every(({ own, shown }) => sameValue(own, shown)))
      trial.fail({
        message: `contacts that ${NOUNS[operation]} embed have the ${field} of what embeds them`,
        expected: first.listed,
        received: first.shown,
        exchange: first.exchange,
        pointer: `${first.pointer}/${field}`,
        occurrences: others.length,
      })
  }
}

/** Which optional fields a record shows is open: fewer contacts that lack one may lack it by chance. */
const CONTACTS_WITHOUT = 3

/** A field that the list of contacts shows is shown of some of the same contacts where schedules embed them. */
export async function judgeContactFields(trial: Trial): Promise<void> {
  const { byId: listed } = await trial.list('listContacts')
  const all = contactsInside(trial, 'listSchedules', 'main').filter(({ record }) => listed.has(idOf(record)!))
  const shown = new Set(all.flatMap(({ record }) => Object.keys(record)))
  const first = firstOfEach(all)
  for (const field of trial.session.contract.fieldNames('Contact')) {
    // What is false or empty may be left out of one and not of the other.
    const those = first.filter(({ record }) => listed.get(idOf(record)!)!.value[field as keyof Schemas['Contact']])
    if (those.length < CONTACTS_WITHOUT) continue
    trial.count('fields')
    const { exchange, pointer } = those[0]!
    if (!shown.has(field))
      trial.fail({
        message: `contacts that schedules embed have no ${field}, and the same contacts in their list have`,
        expected: `the field ${field}`,
        received: 'left out',
        exchange,
        pointer,
        occurrences: those.length,
      })
  }
  judgeValues(trial, 'listSchedules', first, listed)
  if (!trial.examined['fields'])
    trial.notExercised(`Needs ${CONTACTS_WITHOUT} contacts that schedules embed and that the list of contacts shows.`)
}

/** Each contact as it is first shown inside a record. */
function firstOfEach(inside: readonly Inside[]): readonly Inside[] {
  return [...new Map(inside.toReversed().map((one) => [idOf(one.record), one])).values()].toReversed()
}

/** Contacts that no update was sent of have, inside records, the values that they have in their list. */
function judgeValues(trial: Trial, operation: Embedding, inside: readonly Inside[], listed: Listed): void {
  const updated = triedIds(trial)
  const untouched = inside.filter(({ record }) => !updated.has(idOf(record)!))
  judgeContactValues(trial, operation, untouched, listed)
  judgeValuesOfOthers(trial, operation, untouched, listed)
}

/** Two who share an address, or had it one after the other, may be there by chance. */
const CONTACTS_OF_OTHERS = 2

/** What contacts lack in their list, they do not have of other contacts where they are embedded. */
function judgeValuesOfOthers(trial: Trial, operation: Embedding, embedded: readonly Placed[], listed: Listed): void {
  for (const field of OF_ONE_CONTACT) {
    const known = new Set<unknown>([...listed.values()].map(({ value }) => value[field]).filter(Boolean))
    const others = besideListed(embedded, listed, field).filter(({ shown, own }) => !own && known.has(shown))
    if (others.length >= CONTACTS_OF_OTHERS)
      reportUnlike(
        trial,
        field,
        `contacts that ${NOUNS[operation]} embed show the ${field} of others, and none in their list`,
        others,
      )
  }
}

/** As many contacts that are embedded with another value than their own, and none with its own, leave no doubt. */
const CONTACTS_UNLIKE = 3

/** What one target shows for nothing, and another one otherwise. */
const SAYING_NOTHING: ReadonlySet<unknown> = new Set([null, '', false, 0])

/** An embedded contact may be one of before; but not each shows another value than its list does, nor all the same one. */
function judgeContactValues(trial: Trial, operation: Embedding, embedded: readonly Placed[], listed: Listed): void {
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
      `contacts that ${NOUNS[operation]} embed show another ${field} than in their list, ${which}`,
      unlike,
    )
  }
}

type Listed = ReadonlyMap<string, Located<Schemas['Contact']>>

/** A value of a contact inside a record, and its own in the list. */
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
      pointer: `${pointer}/${field}`,
      occurrences: unlike.length,
    },
    { operation: 'listContacts', id: idOf(record) },
  )
}
