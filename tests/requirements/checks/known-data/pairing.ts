import type { Contract } from '../../../engine/contract.ts'
import { grouped } from '../../../engine/data/grouped.ts'
import { DAY_MS, type Instant } from '../../../engine/time/instants.ts'
import {
  type AnyRecord,
  asBoolean,
  asText,
  idOf,
  isObject,
  sameValue,
  type ListOperation,
  type Located,
  type RecordOf,
  type Schemas,
} from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { requireSettings } from '../../needs.ts'
import { LISTS, PLURAL } from '../../operations.ts'
import { ID_FIELD, idTranslation, type IdTranslation, type PairOfKind } from './id-translation.ts'
import { isSigned } from '../updates/kept.ts'

/** What tells a record of the data set from every other of its kind, whatever id the target gave it. */
const NATURAL_KEY: Readonly<Record<ListOperation, (record: AnyRecord) => unknown>> = {
  listContacts: ({ number }) => digits(number),
  listTickets: ({ lastMessage }) => lastMessage,
  listSchedules: ({ flow }) => (flow as Schemas['FlowItem'][] | undefined)?.[0]?.content,
  listTags: ({ name }) => name,
  listCampaigns: ({ name }) => name,
}

/** Addresses that may be signed for a time. */
const PICTURES: ReadonlySet<string> = new Set(['profilePicUrl', 'picture'])
const INSTANT_FIELD = /At$|^(releaseDate|acceptEntriesUntil)$/
/** Times of the interface that a record may lack. */
const TIMES_THAT_MAY_LACK = ['sendAt', 'sentAt', 'releaseDate', 'acceptEntriesUntil']
const OWN_TIMES = ['createdAt', 'updatedAt']
const SECOND_MS = 1000
const LONG_ID = 16
const CLOSE_ENOUGH_MS = SECOND_MS
/** So many ids that tables have in common across companies, they would have in common within one, too. */
const IDS_THAT_TELL = 10
/** Zones differ from UTC by quarters of an hour. */
const QUARTER_MS = 900_000
const HOUR_MS = 4 * QUARTER_MS
const FAR_APART_MS = 3 * DAY_MS

/** A known record and the target's record that it is. */
export interface Pair<O extends ListOperation> {
  readonly known: RecordOf<O>
  readonly listed: Located<RecordOf<O>> | undefined
}

/** One value that is not the one a record was loaded with. */
export interface Difference {
  readonly field: string
  readonly pointer: string
  readonly expected: unknown
  readonly received: unknown
}

/** What became of the known records of a list. */
export interface Match<O extends ListOperation> {
  readonly pairs: readonly Pair<O>[]
  /** Listed records that no known record is, though they show what would tell. */
  readonly extra: readonly Located<RecordOf<O>>[]
  /** Listed records that may be any known one: neither id nor natural key tells. */
  readonly withoutKey: readonly Located<RecordOf<O>>[]
}

/** The data set's company of the caller, record by record beside what the target lists. */
export interface Pairing {
  readonly matches: { readonly [O in ListOperation]: Match<O> }
  readonly translate: IdTranslation
  /** Every documented value in which a record of the target's is not the known one; what is left out is no difference. */
  readonly differences: (operation: ListOperation, known: object, listed: object, pointer?: string) => Difference[]
}

/** Known records of the caller's company, of the kind that an operation lists. */
export function knownRecords<O extends ListOperation>(trial: Trial, operation: O): readonly RecordOf<O>[] {
  const { dataset, caller } = trial.session
  if (!dataset) return []
  const records = dataset[PLURAL[operation] as 'contacts']
  const own = caller === 'main' ? dataset.companyId : dataset.otherCompanyId
  return records.filter(({ companyId }) => companyId === own) as unknown as readonly RecordOf<O>[]
}

/** Ids in records of the other company alone, as long as no target makes by chance. */
function foreignIds(trial: Trial): ReadonlySet<string> {
  const own = new Set(longIds(trial))
  return new Set(longIds(otherCompany(trial)).filter((id) => !own.has(id)))
}

/** What the data set has of such ids in records of the caller's company. */
function longIds(trial: Trial): string[] {
  const fields = LISTS.flatMap((operation) =>
    knownRecords(trial, operation).flatMap((record) => Object.entries(record)),
  )
  return fields.flatMap(([field, id]) => (ID_FIELD.test(field) && String(id).length >= LONG_ID ? String(id) : []))
}

/** Pairs the data set with what the target lists; operations whose list can't be had stay unpaired. */
export function pairing(trial: Trial): Promise<Pairing> {
  requireSettings(trial, 'DATASET')
  return trial.session.remember('pairing', async () => {
    const matches = await matchesOf(trial)
    const ofKinds = pairsOfKinds(matches)
    const ofOthers =
      trial.session.target.otherAccessToken === undefined ? [] : pairsOfKinds(await matchesOf(otherCompany(trial)))
    // An id that names something of the second company names nothing of the first one's, unless each counts its own.
    const ofBoth = shareIds(ofKinds, ofOthers) ? ofKinds : [...ofKinds, ...ofOthers]
    const translate = idTranslation(ofBoth, foreignIds(trial))
    const keptTimes = timesKept(trial, ofKinds)
    const incomparable = incomparableFields(trial.session.contract)
    return {
      matches,
      translate,
      differences: (operation, known, listed, pointer = '') =>
        compare(
          { trial, translate, keptTimes, incomparable },
          known as AnyRecord,
          listed as AnyRecord,
          pointer,
          PLURAL[operation],
        ),
    }
  })
}

function otherCompany(trial: Trial): Trial {
  return trial.as(trial.session.caller === 'main' ? 'other' : 'main')
}

function matchesOf(trial: Trial): Promise<Pairing['matches']> {
  return trial.session.remember('matches', async () => {
    const matched = await Promise.all(
      LISTS.map(async (operation) => {
        const listed = await trial.list(operation).then(
          (all) => all.records,
          () => [],
        )
        return [operation, matchUp(operation, knownRecords(trial, operation), listed)] as const
      }),
    )
    return Object.fromEntries(matched) as unknown as Pairing['matches']
  })
}

/** What tells a record from every other of its kind; undefined where it does not show it. */
export function naturalKey(operation: ListOperation, record: object): unknown {
  return NATURAL_KEY[operation](record as AnyRecord)
}

/** Matches by id where the target kept the ids, or else by natural key. */
function matchUp<O extends ListOperation>(
  operation: O,
  known: readonly RecordOf<O>[],
  listed: readonly Located<RecordOf<O>>[],
): Match<O> {
  const groups = grouped(known, (record) => naturalKey(operation, record))
  const shared = new Set(groups.flatMap(([key, alike]) => (alike.length > 1 ? [key] : [])))
  // What several known records have tells none of them.
  const keyOf = (record: RecordOf<O>): unknown => {
    const key = naturalKey(operation, record)
    return shared.has(key) ? undefined : key
  }
  const byId = new Map(listed.map((record) => [idOf(record.value), record]))
  const byKey = new Map(listed.map((record) => [keyOf(record.value), record]))
  byKey.delete(undefined)
  const ids = known.filter((record) => byId.has(idOf(record)))
  const kept = ids.filter((record) => keyOf(byId.get(idOf(record))!.value) === keyOf(record)).length
  const moved = known.filter(
    (record) => byKey.has(keyOf(record)) && idOf(byKey.get(keyOf(record))!.value) !== idOf(record),
  ).length
  // Where no natural key is shown, ids tell only if nearly all are there.
  const idsKept = kept > 0 || moved > 0 ? kept >= moved : ids.length > known.length * 0.9
  const pairs = known.map((record) => ({
    known: record,
    listed: idsKept ? byId.get(idOf(record)) : byKey.get(keyOf(record)),
  }))
  const paired = new Set(pairs.map((pair) => pair.listed))
  const others = listed.filter((record) => !paired.has(record))
  const isTold = ({ value }: Located<RecordOf<O>>): boolean => idsKept || keyOf(value) !== undefined
  return { pairs, extra: others.filter(isTold), withoutKey: others.filter((record) => !isTold(record)) }
}

/**
 * The kinds of record and the fields in which a target shows the times that records were loaded with, not its own: told
 * by most of its values. When a contact was updated changes with every update, so it is never compared.
 */
function timesKept(trial: Trial, pairs: readonly PairOfKind[]): ReadonlySet<string> {
  const kinds = [...new Set(pairs.map(({ kind }) => kind))]
  const ofEveryKind = new Set(ownTimes(trial, pairs))
  const kept = kinds.flatMap((kind) => {
    const own = pairs.filter((pair) => pair.kind === kind)
    return OWN_TIMES.filter((field) => mostlyKnown(trial, own, field, ofEveryKind)).map((field) => `${kind}.${field}`)
  })
  return new Set(kept.filter((name) => name !== 'contacts.updatedAt'))
}

function incomparableFields(contract: Contract): ReadonlySet<string> {
  return new Set(
    LISTS.flatMap((operation) => {
      const { schema } = contract.operation(operation)
      const comparable = contract.comparableFields(schema)
      const others = contract.fieldNames(schema).filter((name) => !comparable.includes(name))
      return others.map((name) => `${PLURAL[operation]}.${name}`)
    }),
  )
}

/** The pairs of listed records, and of the groups inside campaigns. */
function pairsOfKinds(matches: Pairing['matches']): PairOfKind[] {
  const listed = LISTS.flatMap((operation) =>
    (matches[operation].pairs as readonly Pair<ListOperation>[]).flatMap((pair) =>
      pair.listed ? [{ kind: PLURAL[operation], known: pair.known, listed: pair.listed.value }] : [],
    ),
  )
  const groups = listed.flatMap(({ known, listed: own }) => pairGroups(known['groups'], own['groups']))
  return [...listed, ...groups.map(([known, own]) => ({ kind: 'groups', known, listed: own }))]
}

/**
 * Whether each company counts its own ids: records of one kind have the same id in both, or each numbers all its kinds in
 * one series: no id names two things in a company, and most, or several, name something else in the other.
 */
function shareIds(some: readonly PairOfKind[], others: readonly PairOfKind[]): boolean {
  const [own, theirs] = [some, others].map((pairs) => pairs.map(({ kind, listed }) => `${kind} ${idOf(listed)}`))
  if (new Set([...own!, ...theirs!]).size < new Set(own).size + new Set(theirs).size) return true
  const [named, namedByThem] = [some, others].map(namedByIds)
  const isSeries = [named!, namedByThem!].every((ids) => ids.every(([, known]) => new Set(known).size === 1))
  const ofOwn = new Map(named)
  const elsewhere = namedByThem!.filter(([id, [known]]) => ofOwn.has(id) && ofOwn.get(id)![0] !== known)
  const half = Math.min(named!.length, namedByThem!.length) / 2
  return isSeries && elsewhere.length > Math.min(half, IDS_THAT_TELL)
}

/** What each id of the target's, in whatever field it is, stands for in the data set. */
function namedByIds(pairs: readonly PairOfKind[]): [string | undefined, unknown[]][] {
  const ids = pairs.flatMap(({ known, listed }) =>
    Object.keys(known).flatMap((field) => {
      const own = ID_FIELD.test(field) ? asText(listed[field]) : undefined
      return own === undefined ? [] : [{ own, known: known[field] }]
    }),
  )
  return grouped(ids, ({ own }) => own).map(([own, alike]) => [own, alike.map((one) => one.known)])
}

function pairGroups(known: unknown, listed: unknown): [AnyRecord, AnyRecord][] {
  if (!isList(known) || !isList(listed)) return []
  return known.flatMap((one) => {
    const own = listed.find(({ jid }) => jid === one['jid'])
    return own ? [[one, own] as [AnyRecord, AnyRecord]] : []
  })
}

/** When known records were created and updated. */
function ownTimes(trial: Trial, pairs: readonly PairOfKind[]): readonly number[] {
  return pairs.flatMap(({ known }) => OWN_TIMES.flatMap((name) => trial.instantOf(known[name])?.earliest ?? []))
}

/** @param ofEveryKind times of records of whatever kind: to the millisecond, one of these is no time of the target's own. */
function mostlyKnown(
  trial: Trial,
  pairs: readonly PairOfKind[],
  field: string,
  ofEveryKind: ReadonlySet<number>,
): boolean {
  const times = ownTimes(trial, pairs)
  const shown = pairs.flatMap(({ listed }) => trial.instantOf(listed[field]) ?? [])
  const isKnown = (instant: Instant): boolean =>
    times.some((ms) => isInSomeZone(instant, ms)) ||
    (instant.earliest === instant.latest && ofEveryKind.has(instant.earliest))
  return shown.length > 0 && (shown.filter(isKnown).length * 2 >= shown.length || areSpoilt(trial, pairs, field))
}

/**
 * Whether most times, loaded on days far apart, are so near to what was loaded that they cannot be the target's own, and no
 * zone explains what they are off.
 */
function areSpoilt(trial: Trial, pairs: readonly PairOfKind[], field: string): boolean {
  const times = pairs.flatMap(({ known, listed }) => {
    const [loaded, shown] = [known, listed].map((record) => trial.instantOf(record[field]))
    return loaded && shown && shown.earliest === shown.latest
      ? [{ at: loaded.earliest, off: shown.earliest - loaded.earliest }]
      : []
  })
  const near = times.filter(({ off }) => Math.abs(off) < DAY_MS)
  const isOfAZone = ({ off }: (typeof near)[number]): boolean =>
    Math.abs(off - Math.round(off / QUARTER_MS) * QUARTER_MS) < CLOSE_ENOUGH_MS
  const isOfOneZone = near.every(isOfAZone) && spread(near.map(({ off }) => off)) <= HOUR_MS + CLOSE_ENOUGH_MS
  return near.length * 2 > times.length && spread(near.map(({ at }) => at)) > FAR_APART_MS && !isOfOneZone
}

function spread(times: readonly number[]): number {
  return Math.max(...times) - Math.min(...times)
}

/** Whether a time is the one that is shown: without its zone, it may be so many quarters of an hour from what UTC reads. */
function isInSomeZone(shown: Instant, ms: number): boolean {
  const beside = (ms - shown.earliest + CLOSE_ENOUGH_MS) % QUARTER_MS
  return within(shown, ms) && (shown.earliest === shown.latest || beside < 2 * CLOSE_ENOUGH_MS)
}

interface Comparison {
  readonly trial: Trial
  readonly translate: IdTranslation
  readonly keptTimes: ReadonlySet<string>
  /** Kinds of record and fields that may say something else in each answer. */
  readonly incomparable: ReadonlySet<string>
}

function compare(by: Comparison, known: AnyRecord, listed: AnyRecord, pointer: string, kind: string): Difference[] {
  return [...Object.entries(known), ...timesNotLoaded(by, known, listed)].flatMap(([field, expected]) => {
    if (!Object.hasOwn(listed, field)) return []
    const received = listed[field]
    const at = `${pointer}/${field}`
    if (OWN_TIMES.includes(field) && !by.keptTimes.has(`${kind}.${field}`)) return []
    if (by.incomparable.has(`${kind}.${field}`)) return []
    if (isList(expected) && isList(received) && (field === 'contacts' || field === 'groups'))
      return compareSets(by, expected, received, at, field)
    if (isObject(expected) && isObject(received) && ['contact', 'user'].includes(field))
      return compare(by, expected, received, at, field === 'contact' ? 'contacts' : field)
    return agree(by, kind, field, expected, received) ? [] : [{ field, pointer: at, expected, received }]
  })
}

/** Times that a record shows and was loaded without: what has not been sent shows no time of sending. */
function timesNotLoaded({ trial }: Comparison, known: AnyRecord, listed: AnyRecord): [string, unknown][] {
  return TIMES_THAT_MAY_LACK.filter(
    (field) => !Object.hasOwn(known, field) && trial.instantOf(listed[field]) !== undefined,
  ).map((field) => [field, undefined])
}

/** Embedded records may come in any order; each must be a known one of its place, and none may be missing. */
function compareSets(
  by: Comparison,
  known: readonly AnyRecord[],
  listed: readonly AnyRecord[],
  pointer: string,
  field: string,
): Difference[] {
  const keyOf = (record: AnyRecord): unknown => (field === 'groups' ? record['jid'] : digits(record['number']))
  const ownId = (one: AnyRecord): unknown => by.translate('id', String(one['id']), field) ?? one['id']
  const find = (one: AnyRecord): AnyRecord | undefined =>
    listed.find((record) => idOf(record) !== undefined && idOf(record) === ownId(one)) ??
    listed.find((record) => keyOf(record) !== undefined && keyOf(record) === keyOf(one))
  const matched = known.map((one) => ({ one, own: find(one) }))
  const lost = matched.filter(({ own }) => !own)
  const others = listed.filter((record) => !matched.some(({ own }) => own === record))
  // A record that shows nothing by which it could be known may be any that is not known by its id.
  const withoutKey = others.filter((record) => keyOf(record) === undefined)
  const unknown = lost.filter(({ one }) => by.translate('id', String(one['id']), field) === undefined)
  const interchangeable = withoutKey.length > 0 && withoutKey.length === unknown.length
  const missing = interchangeable ? lost.filter((one) => !unknown.includes(one)) : lost
  const extra = interchangeable ? others.filter((record) => !withoutKey.includes(record)) : others
  return [
    ...missing.map(({ one }) => ({ field, pointer, expected: ownId(one), received: undefined })),
    ...extra.map((record) => ({ field, pointer, expected: 'no other', received: record['id'] })),
    ...matched.flatMap(({ one, own }) =>
      own ? compare(by, one, own, `${pointer}/${listed.indexOf(own)}`, field) : [],
    ),
  ]
}

function agree(by: Comparison, kind: string, field: string, expected: unknown, received: unknown): boolean {
  const receivedId = asText(received)
  if (ID_FIELD.test(field) && typeof expected === 'string' && receivedId !== undefined) {
    const own = by.translate(field, expected, kind)
    return own === undefined || own === receivedId
  }
  if (INSTANT_FIELD.test(field)) {
    const [instant, ms] = [by.trial.instantOf(received), by.trial.instantOf(expected)?.earliest]
    if (instant && ms !== undefined) return within(instant, ms) && isFractionOf(instant, ms)
    // A text whose format is not stated and that can't be read may mean the very instant.
    if (OWN_TIMES.includes(field) && typeof received === 'string') return true
  }
  if (isList(expected) && isList(received))
    return (
      expected.length === received.length &&
      expected.every((item, index) => compare(by, item, received[index]!, '', field).length === 0)
    )
  // The inner shape is not shown: what is inside is kept as it is.
  if (isObject(expected) && isObject(received))
    return Object.keys(expected).every((key) => key in received && agree(by, field, key, expected[key], received[key]))
  if (field === 'number' && typeof expected === 'string') return digits(expected) === digits(received)
  if (field === 'email' && typeof expected === 'string' && typeof received === 'string')
    return expected.toLowerCase() === received.toLowerCase()
  if (PICTURES.has(field) && typeof expected === 'string' && typeof received === 'string')
    return expected === received || isSigned(expected, received)
  if (typeof expected === 'boolean') return asBoolean(received) === expected
  if (typeof expected === 'number') return asText(received) === asText(expected)
  return sameValue(composed(expected), composed(received))
}

/** How marks are composed with their letters is open. */
function composed(value: unknown): unknown {
  return typeof value === 'string' ? value.normalize('NFC') : value
}

function within({ earliest, latest }: Instant, ms: number): boolean {
  return ms > earliest - CLOSE_ENOUGH_MS && ms < latest + CLOSE_ENOUGH_MS
}

/** A target may keep fewer digits of a second, or none. */
function isFractionOf({ earliest, latest }: Instant, ms: number): boolean {
  return earliest < latest || earliest % SECOND_MS === 0 || Math.abs(earliest - ms) < SECOND_MS / 10
}

function digits(number: unknown): string | undefined {
  return asText(number)?.replace(/\D/g, '')
}

function isList(value: unknown): value is readonly AnyRecord[] {
  return Array.isArray(value) && value.every(isObject)
}
