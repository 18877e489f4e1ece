import { queryOf, type Exchange } from '../../../engine/http/exchange.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import { orElse } from '../../../engine/or-else.ts'
import {
  askable,
  asText,
  idOf,
  idsOf,
  sameValue,
  type ListOperation,
  type Located,
  type RecordOf,
  type Schemas,
} from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { storedValue, UPDATE_FIELDS, type UpdateBody, type UpdateField } from '../updates/update-body.ts'
import { queriesOfCreation, queriesOfDaysBeside } from '../dates/days.ts'
import { eventually } from '../eventually.ts'
import { fetchTag, fetchTagAgain, tagsToFetch } from '../lists/fetched-tag.ts'
import { isKept } from '../updates/kept.ts'

type Contact = Schemas['Contact']
type Query = Readonly<Record<string, string>>

/** Fewer records than any list without pages is cut to. */
const FEW = 10

/** The operations whose answers embed contacts. */
export const EMBEDDING = ['listSchedules', 'listTags', 'getTag'] as const
export type Embedding = (typeof EMBEDDING)[number]

/** A contact with its place, and the id of the record that embeds it there. */
interface EmbeddedContact extends Located<Contact> {
  readonly recordId: string | undefined
}

/** A contact where another record embeds it: before an update of it, and while the update was to show. */
export interface Embedded {
  readonly operation: Embedding
  /** What the update has changed. */
  readonly changed: UpdateBody
  readonly before: Contact
  /** Undefined where the tag that embedded it now shows fewer contacts, and it is none of them. */
  readonly now: EmbeddedContact | undefined
  readonly tag?: Located<Schemas['Tag']>
}

/** An answer to a range of days around its creation that an updated contact is not in. */
export interface NotFound {
  readonly notFound: Exchange
}

/** A contact that is shown in another place than it was updated from. */
export type Shown = Omit<Embedded, 'operation' | 'now'> & { readonly now: Located<Contact> }

/** Where contacts are embedded, by their ids: at most once in the answers of each operation. */
export function embeddedContacts(trial: Trial): Promise<ReadonlyMap<string, readonly Place[]>> {
  return trial.session.remember('embedded contacts', async () => {
    const places = new Map<string, Place[]>()
    const add = (contact: Contact | undefined, operation: Embedding, tag?: Place['tag']): void => {
      const id = idOf(contact)
      if (id === undefined || !contact || trial.session.settings.operations?.includes(operation) === false) return
      const known = places.get(id) ?? []
      if (!known.some((place) => place.operation === operation)) places.set(id, [...known, { operation, contact, tag }])
    }
    for (const { value } of await recordsIfAny(trial, 'listSchedules'))
      if (asText(value.contactId) === idOf(value.contact)) add(value.contact, 'listSchedules')
    for (const tag of await fetchedTags(trial)) for (const contact of contactsOf(tag)) add(contact, 'getTag', tag)
    for (const { value: tag } of await recordsIfAny(trial, 'listTags'))
      for (const contact of contactsOf(tag))
        for (const operation of ['listTags', 'getTag'] as const) add(contact, operation, tag)
    return places
  })
}

/** Where a contact is embedded. */
export async function placesOf(trial: Trial, contactId: string | undefined): Promise<readonly Place[]> {
  return (await embeddedContacts(trial)).get(contactId ?? '') ?? []
}

/**
 * The tags that are fetched anyway, which may show contacts that the list does not, or less of them; the other company's
 * where its list shows none.
 */
export async function fetchedTags(trial: Trial): Promise<readonly Schemas['Tag'][]> {
  const listed = await recordsIfAny(trial, 'listTags')
  if (trial.session.caller !== 'main' && listed.some(({ value }) => 'contacts' in value)) return []
  const fetching = tagsToFetch(trial).then((tags) =>
    trial.each(tags, async ({ value }) => (await fetchTag(trial, idOf(value)!)).fetched ?? []),
  )
  return (await orElse(fetching, [])).flat()
}

/** None where the list has no usable answer: updates can be judged without. */
async function recordsIfAny<O extends ListOperation>(
  trial: Trial,
  operation: O,
): Promise<readonly Located<RecordOf<O>>[]> {
  return orElse(trial.recordsBesides(operation), [])
}

/** Where a contact is embedded. */
interface Place {
  readonly operation: Embedding
  readonly contact: Contact
  /** The tag that embeds it, as it was shown before. */
  readonly tag?: Schemas['Tag'] | undefined
}

/** What an update could change of a contact, and only the records that embed it show. */
export async function hiddenFields(trial: Trial, contact: Contact): Promise<UpdateBody> {
  const places = await placesOf(trial, idOf(contact))
  const hidden = UPDATE_FIELDS.flatMap((field) => {
    const shown = places.map((place) => storedValue(place.contact, field)).find((value) => value)
    return shown !== undefined && storedValue(contact, field) === undefined ? [[field, shown] as const] : []
  })
  return Object.fromEntries(hidden)
}

/**
 * A contact as the records that embed it show it now; not where they show less of it than before, but for some fields: a
 * list that is filtered may shorten the contacts it embeds.
 */
export async function shownNow(
  trial: Trial,
  contactId: string,
  butFor: readonly UpdateField[],
): Promise<readonly Contact[]> {
  const places = await placesOf(trial, contactId)
  const seen = await trial.each(places, async (place) => {
    const [shown] = await lookOnce(trial, contactId, place)
    const expected = UPDATE_FIELDS.filter((field) => field in place.contact && !butFor.includes(field))
    return shown && expected.every((field) => field in shown.value) ? [shown.value] : []
  })
  return seen.flat()
}

/** A contact as one answer embeds it now, where it was embedded before first; none where it does not. */
export async function lookOnce(trial: Trial, contactId: string, place: Place): Promise<readonly EmbeddedContact[]> {
  return (await orElse<Seen, Seen>(lookAt(trial, contactId, place), {})).shown ?? []
}

/** Looks for an updated contact wherever it was embedded before, and gives the update time to show there. */
export async function lookElsewhere(trial: Trial, contactId: string, changed: UpdateBody): Promise<Embedded[]> {
  const places = Object.keys(changed).length > 0 ? await placesOf(trial, contactId) : []
  const looked = await trial.each(places, async (place) => {
    const embedded = { operation: place.operation, changed, before: place.contact }
    const look = (query?: Query): Promise<Seen> =>
      eventually(
        trial.session,
        () => orElse<Seen, Seen>(lookAt(trial, contactId, place, query), {}),
        ({ shown = [] }) => shown.every((now) => staleFields({ ...embedded, now }).length === 0),
      )
    const { shown = [], tag } = await look()
    if (shown.length > 0) {
      const queries =
        place.operation === 'listSchedules'
          ? [...schedulesAskedFor(trial, contactId, changed.name), ...(await laterPageOf(trial, contactId))]
          : []
      const again = await trial.each(queries, look)
      return [shown, ...again.map((one) => one.shown ?? [])].flat().map((now) => ({ ...embedded, now }))
    }
    // On data that nobody else changes, what a tag shows less is what the update has taken from it.
    const isLess = trial.session.dataset && contactsOf(tag?.value).length < contactsOf(place.tag).length
    const hadShown = everyRecord(trial, place.operation, trial.session.caller).some(
      ({ record }) => idOf(record) === idOf(place.tag) && contactsOf(record).some((one) => idOf(one) === contactId),
    )
    return isLess && hadShown && tag ? [{ ...embedded, now: undefined, tag }] : []
  })
  return looked.flat()
}

/**
 * What has shown schedules of an updated contact before, in the words that were asked, as the answer may be kept: without a
 * filter, which may show more of it, and with a user alone; where its name has changed, with all parameters that were
 * given together, and with a search for the new one.
 */
function schedulesAskedFor(trial: Trial, contactId: string, name: string | undefined): readonly Query[] {
  const own = everyRecord(trial, 'listSchedules', trial.session.caller)
    .map(({ record, exchange }) => ({ schedule: record as Schemas['Schedule'], query: queryOf(exchange) }))
    .filter(({ schedule }) => idOf(schedule.contact) === contactId)
  const userId = asText(own.find(({ schedule }) => schedule.userId)?.schedule.userId)
  // The first of each: of before the update.
  const asked = byParameters(own.map(({ query }) => query).toReversed())
  if (userId !== undefined && !asked.has('userId')) asked.set('userId', { userId })
  const searchParam = askable(name)
  const isAsked = ([names]: [string, Query]): boolean => searchParam !== undefined || ['', 'userId'].includes(names)
  return [
    ...[...asked].filter(isAsked).map(([, query]) => query),
    ...(searchParam === undefined ? [] : [{ searchParam }]),
  ]
}

/** The second page of a contact's schedules, where it has more than one. */
async function laterPageOf(trial: Trial, contactId: string): Promise<readonly Query[]> {
  const { records, paged, firstPage, pageSize } = await trial.list('listSchedules')
  const own = records.filter(({ value }) => asText(value.contactId) === contactId)
  return paged && own.length > pageSize ? [{ contactId, pageNumber: String(firstPage + 1) }] : []
}

/** The last of the queries with the same parameters, by these, on whatever page. */
function byParameters(queries: readonly Query[]): Map<string, Query> {
  const parametersOf = (query: Query): string[] => Object.keys(query).filter((name) => name !== 'pageNumber')
  return new Map(queries.map((query) => [parametersOf(query).toSorted().join(), query]))
}

/**
 * Dates that a contact was created in, asked for before it is updated: what is kept of the answers shows after it. Where
 * others have asked for such, these are the same.
 */
export function datesOf(trial: Trial, contact: Located<Contact>): Promise<readonly Query[]> {
  return trial.session.remember(`dates of ${idOf(contact.value)}`, async () => {
    const { paged, firstPage } = await trial.list('listContacts')
    const page = paged ? { pageNumber: String(firstPage) } : {}
    const asked = askedBefore(trial, contact)
    const ofCreation = await orElse(queriesOfCreation(trial, contact), [])
    const all = [...byParameters([...ofCreation.map((dates) => ({ ...dates, ...page })), ...asked]).values()]
    await trial.each(all, (query) => trial.session.attemptOnce('listContacts', { query }))
    return all
  })
}

/** Looks for an updated contact by when it was created, and gives the update time to show there. */
export async function lookByDates(
  trial: Trial,
  contact: Located<Contact>,
  changed: UpdateBody,
): Promise<(Shown | NotFound)[]> {
  if (Object.keys(changed).length === 0) return []
  const { paged, firstPage, pageSize } = await trial.list('listContacts')
  // Which day it was created on is a matter of zones: that in UTC, the one before or the one after.
  const isOnADayBeside = async ({ value }: Located<Contact>): Promise<boolean> => {
    const probes = await trial.each(await queriesOfDaysBeside(trial, value), (query) =>
      trial.session.attempt('listContacts', { query }),
    )
    const pages = probes.map((probe) => recordsOf(trial.session, 'listContacts', probe))
    const isCertain = probes.length > 0 && probes.every(({ success }) => success)
    return !isCertain || pages.some((page) => page.length >= (paged ? pageSize : FEW) || idsOf(page).has(idOf(value)))
  }
  const looked = await trial.each(await datesOf(trial, contact), async (query) => {
    const look = async (): Promise<Shown | NotFound | undefined> => {
      const probe = await trial.session.attempt('listContacts', { query })
      const found = recordsOf(trial.session, 'listContacts', probe)
      const now = found.find(({ value }) => idOf(value) === idOf(contact.value))
      if (now) return { changed, before: contact.value, now }
      // Where there are as many it may have been cut off.
      const isFirst = [undefined, String(firstPage)].includes(query['pageNumber'])
      const isWhole = probe.success && isFirst && found.length < (paged ? pageSize : FEW)
      if (!isWhole || 'searchParam' in query) return undefined
      return 'date' in query && (await isOnADayBeside(contact)) ? undefined : { notFound: probe.exchange }
    }
    return eventually(trial.session, look, (one) => !one || ('now' in one && staleFields(one).length === 0))
  })
  return looked.flatMap((shown) => shown ?? [])
}

/** What was asked with dates and has shown a contact: the answer may be kept. */
function askedBefore(trial: Trial, { value }: Located<Contact>): readonly Query[] {
  return everyRecord(trial, 'listContacts', trial.session.caller)
    .filter(({ record }) => idOf(record) === idOf(value))
    .map(({ exchange }) => queryOf(exchange))
    .filter((query) => Object.keys(query).some((name) => name.startsWith('date')))
}

/** The changed fields that a contact shows where it is embedded. */
export function shownFields({ changed, before, now }: Shown): UpdateField[] {
  return (Object.keys(changed) as UpdateField[]).filter(
    (field) =>
      before[field] !== undefined && now.value[field] !== undefined && !sameValue(before[field], changed[field]),
  )
}

/** The changed fields that are still shown as they were before. */
export function staleFields(embedded: Shown): UpdateField[] {
  const { changed, before, now } = embedded
  return shownFields(embedded).filter(
    (field) => sameValue(before[field], now.value[field]) && !isKept(field, changed, now.value),
  )
}

/** The contact wherever one answer embeds it now, where it was embedded before first; and the tag that embedded it. */
interface Seen {
  readonly shown?: readonly EmbeddedContact[]
  readonly tag?: Located<Schemas['Tag']>
}

async function lookAt(
  trial: Trial,
  contactId: string,
  { operation, tag: before }: Place,
  query: Query = { contactId },
): Promise<Seen> {
  const { session } = trial
  if (operation === 'listSchedules') {
    const found = await session.attempt(operation, { query })
    const schedules = recordsOf(session, operation, found).filter(({ value }) => idOf(value.contact) === contactId)
    // What was sent may show the contact as it was then.
    const shown = schedules.filter(({ value }, index) => index === 0 || !value.sentAt)
    return { shown: shown.map((one) => place(one, one.value.contact!, 'contact')) }
  }
  const tagId = idOf(before)
  const isFetched = tagId !== undefined && operation === 'getTag'
  const answer = isFetched ? await fetchTagAgain(trial, tagId) : undefined
  if (answer && !answer.fetched) return {}
  const tags = answer?.fetched
    ? [{ exchange: answer.exchange, pointer: '', value: answer.fetched }]
    : recordsOf(session, 'listTags', await session.askAgain('listTags'))
  const tag = tags.find(({ value }) => idOf(value) === tagId)
  if (!tag) return {}
  const embeddedIn = (one: Located<Schemas['Tag']>): EmbeddedContact[] =>
    contactsOf(one.value).flatMap((value, index) =>
      idOf(value) === contactId ? [place(one, value, `contacts/${index}`)] : [],
    )
  const shown = embeddedIn(tag)
  return { shown: shown.length > 0 ? [...shown, ...tags.filter((one) => one !== tag).flatMap(embeddedIn)] : [], tag }
}

/** The contacts that a tag embeds; none where it shows none. */
export function contactsOf(tag: { readonly contacts?: unknown } | undefined): readonly Contact[] {
  return Array.isArray(tag?.contacts) ? (tag.contacts as readonly Contact[]) : []
}

/** A contact that a record holds, with its place. */
function place(record: Located<object>, contact: Contact, member: string): EmbeddedContact {
  const { exchange, pointer, value } = record
  return { exchange, pointer: `${pointer}/${member}`, value: contact, recordId: idOf(value) }
}
