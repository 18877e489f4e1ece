import { idOf, type Located, type RecordOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { EXACT_FILTERS, NOUN, type Filtered, type FilterOf, type Searched } from '../operations.ts'
import { filterValue } from './filter-value.ts'
import { matcher, orderOf, type Criteria } from './matching.ts'
import { groundOfSearch } from './search.ts'
import { searchable } from './searchable.ts'

/** A search together with an exact filter means AND. */
export function searchAndFilter<O extends Searched & Filtered>(operation: O): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    const filters = EXACT_FILTERS[operation] as readonly FilterOf<O>[]
    const tried = await searchable(trial, operation, 'any')
    // One text of a record may be searched in another way than the next: the last one is tried with one filter alone.
    const kinds = [
      { texts: tried.flatMap(({ texts }) => texts), untold: new Set(filters) },
      { texts: tried.flatMap(({ texts }) => texts.slice(1).slice(-1)), untold: new Set(filters.slice(0, 1)) },
    ]
    for (const { texts, untold } of kinds)
      for (const text of texts) {
        if (untold.size === 0) break
        const alone = await trial.searched(operation, text)
        if (alone.records.length === 0 || alone.records.length === all.records.length) continue
        await trial.each([...untold], async (field) => {
          if (await judgeSearchWith<O>(trial, operation, text, alone.records, field)) untold.delete(field)
        })
      }
    if (trial.examined['combinations']) return
    trial.notExercised(
      `It takes a search that finds some ${NOUN[operation]} and not others, and a filter that tells these apart.`,
    )
  }
}

/** Tells whether the data could show that one of the two is lost. */
async function judgeSearchWith<O extends Searched & Filtered>(
  trial: Trial,
  operation: O,
  text: string,
  alone: readonly Located<RecordOf<O>>[],
  field: FilterOf<O>,
): Promise<boolean> {
  const all = await trial.list(operation)
  const key = field as unknown as keyof RecordOf<O>
  const inside = alone.map(({ value }) => filterValue(value, key)).find((value) => value !== undefined)
  const outside = all.records
    .map(({ value }) => filterValue(value, key))
    .find((value) => value !== undefined && !alone.some((record) => filterValue(record.value, key) === value))
  // Without a record that the search finds and the filter must leave out, a lost filter would not show.
  if (
    outside === undefined &&
    !alone.some(({ value }) => value[key] !== undefined && filterValue(value, key) !== inside)
  )
    return false
  const aloneIds = new Set(alone.map(({ value }) => idOf(value)))
  for (const value of [inside, outside]) {
    if (value === undefined) continue
    const matches = matcher<O>({ [field]: value } as Criteria<O>)
    const found = await trial.searched(operation, text, { [field]: value })
    trial.count('combinations')
    for (const record of found.records) {
      const { exchange, pointer } = record
      if (matches(record.value) === false)
        trial.fail({
          message: `${field} was lost when a search was given too`,
          expected: value,
          received: record.value[key],
          exchange,
          pointer: `${pointer}/${field}`,
        })
      else if (!aloneIds.has(idOf(record.value)))
        trial.differ(
          {
            message: `the search was lost when ${field} was given too`,
            expected: 'a record that the search alone finds',
            received: idOf(record.value),
            exchange,
            pointer,
          },
          operation,
        )
    }
    const missing = alone.find((record) => matches(record.value) && !found.byId.has(idOf(record.value) ?? ''))
    if (missing && found.complete)
      trial.differ(
        {
          message: `a record that the search finds and whose ${field} matches was left out when both were given`,
          expected: idOf(missing.value),
          received: `${found.records.length} other record(s)`,
          exchange: found.records[0]?.exchange ?? missing.exchange,
        },
        ...groundOfSearch(operation, missing.value),
        ...orderOf(operation, found),
      )
  }
  return true
}
