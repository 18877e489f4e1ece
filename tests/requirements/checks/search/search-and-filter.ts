import { recordsOf, type BaseListing, type Listing } from '../../../engine/data/listing.ts'
import { type AnyRecord, asText, idOf, type Located, type RecordOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { EXACT_FILTERS, PLURAL, STATUSES, type Filtered, type FilterOf, type Searched } from '../../operations.ts'
import { choose } from '../combinations.ts'
import { mayBeCapped } from './capped-search.ts'
import { isKeptApart, isRound, keptApartFrom, mayLackSome } from '../lists/cut-short.ts'
import { filterValue } from '../filters/filter-value.ts'
import { entriesOf, matcher, orderOf, type Criteria } from '../filters/matching.ts'
import { basisOfSearch, filterBesideNothing } from './search.ts'
import { partsOfMany } from './parts-of-many.ts'
import { searchable } from './searchable.ts'
import { judgeServerError } from '../server-error.ts'

const CANDIDATES = 40
/** Of so many records, each value of theirs is tried with what so many others have. */
const RECORDS_CHANGED = 8
const VALUES_TRIED = 5
/** Few texts have the same. */
const DIGITS = /\d{4,}/
const SEARCH = 'searchParam'

/** A search together with exact filters means AND: with each, with each two, and with all of them. */
export function searchAndFilter<O extends Searched & Filtered>(operation: O): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const filters = EXACT_FILTERS[operation] as readonly FilterOf<O>[]
    const tried = await searchable(trial, operation, 'any')
    const texts = await textsToTry(trial, operation)
    await judgeSets(trial, operation, texts, [...filters.map((field) => [field]), filters])
    if (filters.length > 2) await judgeSets(trial, operation, texts, choose(filters, 2))
    // One text of a record may be searched in another way than the next, and digits in yet another: with one filter alone.
    const lastTexts = tried.flatMap((one) => one.texts.slice(1).slice(-1))
    const digits = lastTexts.flatMap((text) => text.match(DIGITS) ?? []).slice(0, 1)
    for (const some of [lastTexts, digits]) await judgeSets(trial, operation, some, [filters.slice(-1)])
    await judgeBesideNothing(trial, operation)
    if (trial.examined['combinations']) return
    trial.notExercised(
      `Needs a search that finds some ${PLURAL[operation]} and not others, and a filter that tells these apart.`,
    )
  }
}

/** A search together with every filter means all of them; where no record shows that of the search, with one of them. */
export async function searchWithAllFilters<O extends Searched & Filtered>(trial: Trial, operation: O): Promise<void> {
  const filters = EXACT_FILTERS[operation] as readonly FilterOf<O>[]
  const texts = await textsToTry(trial, operation)
  const untold = await judgeSets(trial, operation, texts, [filters])
  if (untold.get(filters)?.has(SEARCH)) await judgeSets(trial, operation, texts, [filters.slice(1, 2)])
}

/** Parts that many names have, then whole texts of a few records. */
async function textsToTry(trial: Trial, operation: Searched & Filtered): Promise<readonly string[]> {
  const tried = await searchable(trial, operation, 'any')
  return [...(await partsOfMany(trial, operation)), ...tried.flatMap((one) => one.texts)]
}

/** What an empty parameter finds is open, not whether a filter beside it counts: many a form sends every field it has. */
async function judgeBesideNothing<O extends Searched & Filtered>(trial: Trial, operation: O): Promise<void> {
  const criteria = (await filterBesideNothing(trial, operation)) as Criteria<O>
  const matches = matcher<O>(criteria)
  const others = Object.fromEntries(EXACT_FILTERS[operation].map((field) => [field, '']))
  const probes = await trial.each([{ searchParam: '' }, others], (nothing) =>
    trial.session.attemptOnce(operation, { query: { ...nothing, ...criteria } }),
  )
  const records = probes.flatMap((probe) => (probe.success ? recordsOf(trial.session, operation, probe) : []))
  for (const { value, exchange, pointer } of records)
    if (matches(value) === false)
      trial.fail({
        message: 'a filter beside empty parameters was ignored',
        expected: Object.fromEntries(entriesOf<O>(criteria)),
        received: Object.fromEntries(entriesOf<O>(criteria).map(([field]) => [field, value[field]])),
        record: idOf(value),
        exchange,
        pointer,
      })
}

/** Judges texts with sets of filters until the loss of each would have shown; gives what no text could tell, by set. */
async function judgeSets<O extends Searched & Filtered>(
  trial: Trial,
  operation: O,
  texts: readonly string[],
  sets: readonly (readonly FilterOf<O>[])[],
): Promise<ReadonlyMap<readonly FilterOf<O>[], ReadonlySet<string>>> {
  const all = await trial.list(operation)
  const every = new Map(sets.map((fields) => [fields, [...fields, ...lossesOfSearch(fields, all.records)]]))
  const untold = new Map(sets.map((fields) => [fields, new Set(every.get(fields))]))
  for (const text of texts) {
    if (untold.size === 0) break
    const alone = await trial.searched(operation, text)
    const { length } = alone.records
    if (length === 0 || length === all.records.length || (!all.paged && isRound(length))) continue
    await trial.each([...untold], async ([fields, losses]) => {
      const isFirst = losses.size === every.get(fields)!.length
      for (const criteria of questions<O>(trial, fields, all, alone, losses, isFirst))
        await judgeSearchWith(trial, operation, text, { all, alone }, criteria)
      if (fields.some((field) => !losses.has(field))) trial.count('combinations')
      if (losses.size === 0) untold.delete(fields)
    })
  }
  return untold
}

/**
 * As few combinations of values as show that the search or a filter is lost beside the others, where the records can
 * show it, and one that some record meets; of a status, each.
 * @param losses what has not been shown yet; what the questions show is taken out.
 * @param isFirst whether nothing has been shown yet.
 */
function questions<O extends Filtered>(
  trial: Trial,
  fields: readonly FilterOf<O>[],
  all: Listing<RecordOf<O>>,
  alone: Listing<RecordOf<O>>,
  losses: Set<string>,
  isFirst: boolean,
): readonly Criteria<O>[] {
  // Compared by the thousand: the values of a record, in the order of the fields, where it has them all.
  const rowsOf = (records: readonly Located<RecordOf<O>>[]): Row[] =>
    records.flatMap(({ value }) => {
      const row = fields.map((field) => filterValue(value, field as never))
      return row.every((one) => one !== undefined) ? [row] : []
    })
  const inside = rowsOf(alone.records)
  // Of what is only sampled, nothing is known to be left out.
  const isKeptApart = keptApartFrom(statesOf(alone.records))
  const isTelling = ({ value }: Located<RecordOf<O>>): boolean =>
    !alone.byId.has(idOf(value) ?? '') && !isKeptApart([value as AnyRecord])
  const outside = rowsOf(alone.complete ? all.records.filter(isTelling) : [])
  const [found, others] = [inside, outside].map((rows) => trial.random.helpers.arrayElements(rows, CANDIDATES))
  const shownBy = (row: Row): string[] => {
    const shown = new Set<string>(inside.flatMap((other) => fields[onlyDifference(row, other)] ?? []))
    if (outside.some((other) => other.every((value, at) => value === row[at])))
      shown.add(isStatus(fields) ? lossBeside(row[0]) : SEARCH)
    return [...shown].filter((loss) => losses.has(loss))
  }
  const chosen: Row[] = []
  const take = (candidates: readonly Row[]): boolean => {
    const [best] = candidates
      .map((row) => ({ row, shows: shownBy(row) }))
      .toSorted((a, b) => b.shows.length - a.shows.length)
    if (!best || best.shows.length === 0) return false
    chosen.push(best.row)
    for (const loss of best.shows) losses.delete(loss)
    return true
  }
  for (const status of isStatus(fields) ? STATUSES : []) {
    if (!inside.some(([own]) => own === status)) continue
    const shows = shownBy([status])
    if (shows.length === 0 && !isFirst) continue
    chosen.push([status])
    for (const loss of shows) losses.delete(loss)
  }
  // Where none of what is found shows a loss, it must be found all the same.
  if (chosen.length === 0 && !take(found!) && isFirst) chosen.push(...found!.slice(0, 1))
  // One value of another record's, and what the search finds must be left out for that value alone.
  const rows = rowsOf(all.records)
  const values = fields.map((_, at) =>
    trial.random.helpers.arrayElements([...new Set(rows.map((row) => row[at]!))], VALUES_TRIED),
  )
  const apart = found!
    .slice(0, RECORDS_CHANGED)
    .flatMap((row) => values.flatMap((some, at) => some.map((value) => row.with(at, value))))
  while (take([...found!, ...others!, ...apart]));
  return chosen.map((row) => Object.fromEntries(fields.map((field, at) => [field, row[at]])) as Criteria<O>)
}

function isStatus(fields: readonly string[]): boolean {
  return fields.join() === 'status'
}

/** The search can be lost beside a filter; beside one of each status, as far as some record has it. */
function lossesOfSearch(fields: readonly string[], records: readonly Located<unknown>[]): readonly string[] {
  if (!isStatus(fields)) return [SEARCH]
  const statuses = new Set(records.map(({ value }) => (value as AnyRecord)['status']))
  return STATUSES.filter((status) => statuses.has(status)).map(lossBeside)
}

function lossBeside(status: string | undefined): string {
  return `${SEARCH} beside ${status}`
}

type Row = readonly string[]

/** The place of the one value in which two rows differ; -1 where it is none or more than one. */
function onlyDifference(row: Row, other: Row): number {
  let place = -1
  for (let at = 0; at < row.length; at++) {
    if (row[at] === other[at]) continue
    if (place !== -1) return -1
    place = at
  }
  return place
}

async function judgeSearchWith<O extends Searched & Filtered>(
  trial: Trial,
  operation: O,
  text: string,
  { all, alone }: { readonly all: BaseListing<RecordOf<O>>; readonly alone: Listing<RecordOf<O>> },
  criteria: Criteria<O>,
): Promise<void> {
  const matches = matcher<O>(criteria)
  const found = await trial.searched(operation, text, criteria as Record<string, string>)
  judgeServerError(trial, found, 'a search beside a filter')
  trial.count('records', found.records.length)
  for (const record of found.records) {
    const { exchange, pointer, value } = record
    for (const [field, wanted] of entriesOf<O>(criteria))
      if (value[field] !== undefined && asText(value[field]) !== wanted)
        trial.fail({
          message: `${field} was ignored when a search was given as well`,
          expected: wanted,
          received: value[field],
          exchange,
          pointer: `${pointer}/${field}`,
        })
  }
  // What the whole list leaves out too, only a filter may reach.
  const isBeyond = (id: string): boolean => alone.complete && all.byId.has(id) && !alone.byId.has(id)
  // One that has come to match since may not have been there for the search alone.
  const hasMatched = (id: string): boolean => matches(all.byId.get(id)!.value) !== false
  let beyond = found.records.filter(({ value }) => {
    const id = idOf(value) ?? ''
    return isBeyond(id) && matches(value) !== false && hasMatched(id)
  })
  if (beyond.length > 0) {
    // Pages of a search may be shorter than those of the list, and so may all that it finds at most.
    const whole = all.paged ? await trial.searched(operation, text, {}, { toTheEnd: true }) : alone
    beyond = (await mayBeCapped(trial, operation, whole))
      ? []
      : beyond.filter(({ value }) => !whole.byId.has(idOf(value) ?? ''))
  }
  // A search alone may keep to a state, such as tickets that are not closed; what does not show its own may be of any.
  const [listed, others] = [alone.records, beyond].map(statesOf)
  const tells = !('status' in criteria) || listed!.some((one) => 'status' in one)
  if (tells && others!.length > 0 && !isKeptApart(listed!, others!))
    for (const { value, exchange, pointer } of beyond)
      trial.differ(
        {
          message: 'the search was ignored when a filter was given as well',
          expected: 'a record that the search alone finds',
          received: idOf(value),
          exchange,
          pointer,
        },
        operation,
        // One that has come into a state since may not have been searched for in it.
        { operation, id: idOf(value) },
      )
  const lost = alone.records.filter(({ value }) => matches(value) === true && !found.byId.has(idOf(value) ?? ''))
  // Where some of each page are left out, a short one is not the last.
  const toTheEnd =
    lost.length > 0 && all.paged
      ? await trial.searched(operation, text, criteria as Record<string, string>, { toTheEnd: true })
      : found
  const missing = lost.find(({ value }) => !toTheEnd.byId.has(idOf(value) ?? ''))
  if (missing && !mayLackSome(all, found) && toTheEnd.complete)
    trial.differ(
      {
        message: found.refusal
          ? 'a search was refused beside a filter, though it is accepted alone'
          : 'a record that the search finds and that the filter matches was left out when both were given',
        expected: idOf(missing.value),
        received: found.refusal
          ? `status ${found.refusal.response?.status}`
          : `${found.records.length} other record(s)`,
        exchange: found.refusal ?? found.records[0]?.exchange ?? missing.exchange,
      },
      ...basisOfSearch(operation, missing.value),
      ...orderOf(operation, found),
    )
}

/** Of records of which some show their status, those. */
function statesOf(records: readonly Located<unknown>[]): readonly AnyRecord[] {
  const states = records.map(({ value }) => value as AnyRecord)
  return states.some((one) => 'status' in one) ? states.filter((one) => 'status' in one) : states
}
