import { recordsOf, type Listing, type Page } from '../../../engine/data/listing.ts'
import type { Run } from '../../../engine/judging/run.ts'
import type { Basis } from '../../../engine/data/snapshot.ts'
import { asText, idOf, type ListOperation, type Located, type RecordOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { mayLackSome } from '../lists/cut-short.ts'
import { PLURAL, type Filtered, type FilterOf } from '../../operations.ts'

/** Filters and the values they ask for, each compared with the field of its own name. */
export type Criteria<O extends Filtered> = Partial<Record<FilterOf<O>, string>>

export function entriesOf<O extends Filtered>(criteria: Criteria<O>): [keyof RecordOf<O> & string, string][] {
  return Object.entries(criteria) as [keyof RecordOf<O> & string, string][]
}

/** Tells of a record whether criteria ask for it; undefined where it leaves out a field that would tell. */
export function matcher<O extends Filtered>(criteria: Criteria<O>): (record: RecordOf<O>) => boolean | undefined {
  const entries = entriesOf<O>(criteria)
  return (record) => {
    let known = true
    for (const [field, value] of entries) {
      const own = record[field]
      if (own === undefined) known = false
      else if (asText(own) !== value) return false
    }
    return known || undefined
  }
}

/**
 * Asks for a filtered list and judges it: every record in it matches, every known record that matches is in it, and
 * no record that is known not to match.
 */
export async function judgeMatching<O extends Filtered>(
  trial: Trial,
  operation: O,
  criteria: Criteria<O>,
  options: { readonly toTheEnd?: boolean } = {},
): Promise<Listing<RecordOf<O>>> {
  const all = await trial.list(operation)
  const matches = matcher<O>(criteria)
  const wanted = all.records.filter(({ value }) => matches(value) === true)
  const wantedIds = new Set(wanted.flatMap(({ value }) => idOf(value) ?? []))
  const found = await trial.filtered(operation, criteria as Record<string, string>, {
    wanted: wantedIds,
    ...(wanted.length === 0 && { refusable: 'as not found' }),
    ...options,
  })
  for (const record of [...found.records, ...found.repeated]) {
    trial.count('records')
    judgeRecord(trial, operation, criteria, record, all.byId.get(idOf(record.value) ?? ''))
  }
  await judgeRepeated(trial, operation, found)
  trial.count('records known not to match', all.records.filter(({ value }) => matches(value) === false).length)
  // Lists without pages may be cut off anywhere, filtered ones elsewhere than the whole.
  if (mayLackSome(all, found)) return found
  for (const record of wanted)
    if (!found.byId.has(idOf(record.value) ?? ''))
      trial.differ(
        {
          message: `${PLURAL[operation]} that match ${named(criteria)} were left out`,
          expected: `the record ${idOf(record.value)}, as listed without the filter`,
          received: `${found.records.length} other record(s)`,
          exchange: found.pages[0]?.records[0]?.exchange ?? record.exchange,
        },
        { operation, id: idOf(record.value) },
        ...orderOf(operation, found),
      )
  return found
}

/** What a record's absence from a walk rests on beside the record: the list's order, where there were pages to slip past. */
export function orderOf(operation: ListOperation, found: Listing<unknown>): readonly Basis[] {
  return found.walked ? [{ filtered: operation, query: found.query }] : []
}

/** Operations with a query that was answered with more than a page at once. */
const answeredAtOnce = new WeakMap<Run, ReadonlySet<ListOperation>>()

/**
 * Pages of a filtered list do not overlap either, nor does one repeat records where pages past the end are empty, unless
 * the query is answered with more than a page at once.
 */
export async function judgeRepeated<O extends ListOperation>(
  trial: Trial,
  operation: O,
  found: Listing<RecordOf<O>>,
): Promise<void> {
  const { beyond, pageSize } = await trial.list(operation)
  const [first] = found.pages
  const isWhole = (page: Page<unknown>): boolean => page.records.length === first?.records.length
  const { run } = trial.session
  if ((first?.records.length ?? 0) > pageSize) answeredAtOnce.set(run, new Set(answeredAtOnce.get(run)).add(operation))
  // Once that is known, the whole again is that also where it is no longer than a page.
  const mayBeWhole = found.pages.length === 1 && answeredAtOnce.get(run)?.has(operation) === true
  const isAtOnce = mayBeWhole && found.beyond.every(isWhole)
  const endsEmpty = !isAtOnce && beyond.length > 0 && beyond.every(({ records }) => records.length === 0)
  for (const record of [...found.repeated, ...(endsEmpty ? found.beyond.flatMap(({ records }) => records) : [])])
    trial.differ(
      {
        message: `${PLURAL[operation]} were returned twice by a filtered list`,
        expected: 'each record once',
        received: idOf(record.value),
        exchange: record.exchange,
        pointer: record.pointer,
      },
      { filtered: operation, query: found.query },
      // One that others have changed may have moved from page to page.
      { operation, id: idOf(record.value) },
    )
}

function judgeRecord<O extends Filtered>(
  trial: Trial,
  operation: O,
  criteria: Criteria<O>,
  record: Located<RecordOf<O>>,
  known: Located<RecordOf<O>> | undefined,
): void {
  for (const [field, value] of entriesOf(criteria)) {
    const own = record.value[field]
    const place = { exchange: record.exchange, pointer: `${record.pointer}/${field}`, expected: value }
    if (own !== undefined && asText(own) !== value)
      trial.fail({
        message: `${PLURAL[operation]} whose ${field} is not the one asked for were returned`,
        ...place,
        received: own,
      })
    else if (known && known.value[field] !== undefined && asText(known.value[field]) !== value)
      trial.differ(
        {
          message: `${PLURAL[operation]} that are listed with another ${field} were returned`,
          ...place,
          received: known.value[field],
        },
        { operation, id: idOf(record.value) },
      )
  }
}

function named<O extends Filtered>(criteria: Criteria<O>): string {
  return Object.keys(criteria).join(' and ')
}

/** A query means the same without a page number: what comes then is among what its pages hold, and is not nothing. */
export async function judgeWithoutNumber<O extends ListOperation>(
  trial: Trial,
  operation: O,
  query: Readonly<Record<string, string>>,
  found: Listing<RecordOf<O>>,
): Promise<void> {
  const { paged, byId } = await trial.list(operation)
  // That the parameter is read in another way where it is absent is one company's matter as much as another's.
  if (!paged || !found.complete || found.records.length === 0 || trial.session.caller !== 'main') return
  const reading = await trial.session.ask(operation, { query })
  const shown = recordsOf(trial.session, operation, reading)
  // What has come in meanwhile may be found rightly.
  const others = shown.filter(({ value }) => !found.byId.has(idOf(value) ?? '') && byId.has(idOf(value) ?? ''))
  trial.count('queries without a page number')
  if (shown.length > 0 && others.length === 0) return
  trial.differ(
    {
      message: `${Object.keys(query).join(' and ')} had another effect without a page number`,
      expected: 'some of the records that the pages of the query hold',
      received: shown.length === 0 ? 'no record' : `${others.length} other record(s)`,
      exchange: reading.exchange,
    },
    operation,
  )
}
