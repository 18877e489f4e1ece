import { readInstant } from '../../engine/instants.ts'
import { idOf, sameValue, type ListOperation, type Located, type RecordOf, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { LISTS, NOUN } from '../operations.ts'

type Loose = Readonly<Record<string, unknown>>

/** What tells a record of the data set from every other of its kind, whatever id the target gave it. */
const NATURAL_KEY: Readonly<Record<ListOperation, (record: Loose) => unknown>> = {
  listContacts: ({ number }) => digits(number),
  listTickets: ({ lastMessage }) => lastMessage,
  listSchedules: ({ flow }) => (flow as Schemas['FlowItem'][] | undefined)?.[0]?.content,
  listTags: ({ name }) => name,
  listCampaigns: ({ name }) => name,
}

const ID_FIELD = /^(id|\w+Id)$/
const INSTANT_FIELD = /At$|^(releaseDate|acceptEntriesUntil)$/
const OWN_TIMES = ['createdAt', 'updatedAt']
const AN_ID_OF_ITS_OWN = 'an id of its own'
const CLOSE_ENOUGH_MS = 1000

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

/** The data set's main company, record by record beside what the target lists. */
export interface Pairing {
  readonly pairs: { readonly [O in ListOperation]: readonly Pair<O>[] }
  /** Listed records that no known record is. */
  readonly extra: { readonly [O in ListOperation]: readonly Located<RecordOf<O>>[] }
  /** The target's id for an id of the data set, found in a field of that name. */
  readonly translate: (field: string, id: string) => string | undefined
  /** Every documented value in which a record of the target's is not the known one; what is left out is no difference. */
  readonly differences: (operation: ListOperation, known: object, listed: object, pointer?: string) => Difference[]
}

/** Known records of the caller's company, of the kind that an operation lists. */
export function knownRecords<O extends ListOperation>(trial: Trial, operation: O): readonly RecordOf<O>[] {
  const { dataset } = trial.session
  if (!dataset) return []
  const records = dataset[NOUN[operation] as 'contacts'] as readonly Schemas['Contact'][]
  return records.filter(({ companyId }) => companyId === dataset.companyId) as unknown as readonly RecordOf<O>[]
}

/** Pairs the data set with what the target lists; operations whose list can't be had stay unpaired. */
export function pairing(trial: Trial): Promise<Pairing> {
  if (!trial.session.dataset)
    return trial.notExercised('It takes known records; set DATASET to the file the target was loaded with.')
  return trial.session.remember('pairing', async () => {
    const lists = await Promise.all(
      LISTS.map(async (operation) => {
        const listed = await trial.list(operation).then(
          (all) => all.records,
          () => [],
        )
        return [operation, pairUp(operation, knownRecords(trial, operation), listed)] as const
      }),
    )
    const pairs = Object.fromEntries(lists) as unknown as Pairing['pairs']
    const all = Object.values(pairs).flat() as Pair<ListOperation>[]
    const paired = new Set<unknown>(all.map(({ listed }) => listed))
    const extra = await Promise.all(
      LISTS.map(async (operation) => {
        const listed = await trial.list(operation).then(
          (list): readonly Located<unknown>[] => list.records,
          () => [],
        )
        return [operation, listed.filter((record) => !paired.has(record))] as const
      }),
    )
    const translate = idTranslation(all)
    const keptTimes = timesKept(pairs)
    return {
      pairs,
      extra: Object.fromEntries(extra) as unknown as Pairing['extra'],
      translate,
      differences: (operation, known, listed, pointer = '') =>
        compare({ translate, keptTimes }, known as Loose, listed as Loose, pointer, NOUN[operation]),
    }
  })
}

/** Pairs by id where the target kept the ids, or else by natural key. */
function pairUp<O extends ListOperation>(
  operation: O,
  known: readonly RecordOf<O>[],
  listed: readonly Located<RecordOf<O>>[],
): Pair<O>[] {
  const keyOf = (record: RecordOf<O>): unknown => NATURAL_KEY[operation](record as Loose)
  const byId = new Map(listed.map((record) => [idOf(record.value), record]))
  const byKey = new Map(listed.map((record) => [keyOf(record.value), record]))
  byKey.delete(undefined)
  const kept = known.filter((record) => {
    const same = byId.get(idOf(record))
    return same !== undefined && keyOf(same.value) === keyOf(record)
  }).length
  const moved = known.filter((record) => {
    const same = byKey.get(keyOf(record))
    return same !== undefined && idOf(same.value) !== idOf(record)
  }).length
  return known.map((record) => ({
    known: record,
    listed: kept >= moved ? byId.get(idOf(record)) : byKey.get(keyOf(record)),
  }))
}

/** Reads off the pairs which id of the target's stands for which of the data set's. */
function idTranslation(pairs: readonly Pair<ListOperation>[]): Pairing['translate'] {
  const votes = new Map<string, Map<string, number>>()
  const keptFields = new Set<string>()
  for (const { known, listed } of pairs)
    for (const [field, id] of Object.entries(known)) {
      const own = (listed?.value as Loose | undefined)?.[field]
      if (!ID_FIELD.test(field) || typeof id !== 'string' || typeof own !== 'string') continue
      if (own === id) keptFields.add(field)
      const candidates = votes.get(id) ?? new Map<string, number>()
      votes.set(id, candidates.set(own, (candidates.get(own) ?? 0) + 1))
    }
  const taken = new Map<string, string>()
  const strongest = [...votes].map(
    ([id, candidates]) => [id, ...[...candidates].toSorted(([, a], [, b]) => b - a)[0]!] as const,
  )
  for (const [id, own] of strongest.toSorted(([, , a], [, , b]) => b - a)) if (!taken.has(own)) taken.set(own, id)
  const translation = new Map([...taken].map(([own, id]) => [id, own]))
  return (field, id) => {
    if (keptFields.has(field)) return id
    return translation.get(id) ?? (votes.has(id) ? AN_ID_OF_ITS_OWN : undefined)
  }
}

/**
 * The kinds of record and the fields in which a target shows the times that records were loaded with, not its own: told
 * by most of its values. When a contact was updated changes with every update, so it is never compared.
 */
function timesKept(pairs: Pairing['pairs']): ReadonlySet<string> {
  const byKind = new Map<string, (readonly [known: Loose, listed: Loose])[]>(
    LISTS.map((operation) => [
      NOUN[operation],
      (pairs[operation] as readonly Pair<ListOperation>[]).flatMap(({ known, listed }) =>
        listed ? [[known as Loose, listed.value as Loose] as const] : [],
      ),
    ]),
  )
  byKind.set(
    'groups',
    byKind.get('campaigns')!.flatMap(([known, listed]) => pairGroups(known['groups'], listed['groups'])),
  )
  const kept = [...byKind].flatMap(([kind, both]) =>
    OWN_TIMES.filter((field) => mostlyKnown(both, field)).map((field) => `${kind}.${field}`),
  )
  return new Set(kept.filter((name) => name !== 'contacts.updatedAt'))
}

function pairGroups(known: unknown, listed: unknown): [Loose, Loose][] {
  if (!isList(known) || !isList(listed)) return []
  return known.flatMap((one) => {
    const own = listed.find(({ jid }) => jid === one['jid'])
    return own ? [[one, own] as [Loose, Loose]] : []
  })
}

function mostlyKnown(both: readonly (readonly [known: Loose, listed: Loose])[], field: string): boolean {
  const times = both.flatMap(([known]) => OWN_TIMES.flatMap((name) => milliseconds(known[name]) ?? []))
  const shown = both.flatMap(([, listed]) => readInstant(listed[field]) ?? [])
  return shown.filter((instant) => times.some((ms) => within(instant, ms))).length * 2 >= shown.length
}

interface Comparison {
  readonly translate: Pairing['translate']
  readonly keptTimes: ReadonlySet<string>
}

function compare(by: Comparison, known: Loose, listed: Loose, pointer: string, kind: string): Difference[] {
  return Object.entries(known).flatMap(([field, expected]) => {
    if (!Object.hasOwn(listed, field)) return []
    const received = listed[field]
    const at = `${pointer}/${field}`
    if (OWN_TIMES.includes(field) && !by.keptTimes.has(`${kind}.${field}`)) return []
    if (isList(expected) && isList(received) && (field === 'contacts' || field === 'groups'))
      return compareSets(by, expected, received, at, field)
    if (isLoose(expected) && isLoose(received) && ['contact', 'user'].includes(field))
      return compare(by, expected, received, at, field === 'contact' ? 'contacts' : field)
    return agree(by, field, expected, received) ? [] : [{ field, pointer: at, expected, received }]
  })
}

/** Embedded records may come in any order; each must be a known one of its place, and none may be missing. */
function compareSets(
  by: Comparison,
  known: readonly Loose[],
  listed: readonly Loose[],
  pointer: string,
  field: string,
): Difference[] {
  const keyOf = (record: Loose): unknown => (field === 'groups' ? record['jid'] : digits(record['number']))
  const find = (one: Loose): Loose | undefined =>
    listed.find(({ id }) => id !== undefined && id === by.translate('id', String(one['id']))) ??
    listed.find((record) => keyOf(record) !== undefined && keyOf(record) === keyOf(one)) ??
    listed.find(({ id }) => id !== undefined && id === one['id'])
  const matched = known.map((one) => ({ one, own: find(one) }))
  const missing = matched.filter(({ own }) => !own)
  const extra = listed.filter((record) => !matched.some(({ own }) => own === record))
  return [
    ...missing.map(({ one }) => ({ field, pointer, expected: one['id'], received: undefined })),
    ...extra.map((record) => ({ field, pointer, expected: 'no other', received: record['id'] })),
    ...matched.flatMap(({ one, own }) =>
      own ? compare(by, one, own, `${pointer}/${listed.indexOf(own)}`, field) : [],
    ),
  ]
}

function agree(by: Comparison, field: string, expected: unknown, received: unknown): boolean {
  if (ID_FIELD.test(field) && typeof expected === 'string' && typeof received === 'string') {
    const own = by.translate(field, expected)
    return own === undefined || own === received
  }
  if (INSTANT_FIELD.test(field)) {
    const [instant, ms] = [readInstant(received), milliseconds(expected)]
    if (instant && ms !== undefined) return within(instant, ms)
  }
  if (field === 'number' && typeof expected === 'string') return digits(expected) === digits(received)
  if (field === 'email' && typeof expected === 'string' && typeof received === 'string')
    return expected.toLowerCase() === received.toLowerCase()
  return sameValue(expected, received)
}

function within({ earliest, latest }: { earliest: number; latest: number }, ms: number): boolean {
  return ms > earliest - CLOSE_ENOUGH_MS && ms < latest + CLOSE_ENOUGH_MS
}

function milliseconds(text: unknown): number | undefined {
  return readInstant(text)?.earliest
}

function digits(number: unknown): string | undefined {
  return typeof number === 'string' ? number.replace(/\D/g, '') : undefined
}

function isLoose(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isList(value: unknown): value is readonly Loose[] {
  return Array.isArray(value) && value.every(isLoose)
}
