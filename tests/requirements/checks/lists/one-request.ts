import type { Probe } from '../../../engine/judging/session.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import { asText, sortedIds } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { EXACT_FILTERS, PLURAL, type Filtered, type Searched } from '../../operations.ts'

type Query = Readonly<Record<string, string>>

/**
 * What one request asks for has no effect on the next: the plain list comes whatever was asked for before. Where it follows
 * the request before it each time, back and forth, it is nobody's doing but the target's.
 */
export function ofOneRequest(operation: Searched): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const { records } = await trial.list(operation)
    trial.count('records', records.length)
    if (records.length === 0) trial.notExercised(`Needs ${PLURAL[operation]}; the target lists none.`)
    const plain = idsIn(trial, operation, await trial.session.ask(operation))
    const [nothing, something] = await unlikeQueries(trial, operation)
    const shown: string[] = []
    let last: Probe
    for (const query of [nothing, something, nothing, something]) {
      await trial.session.attempt(operation, { query })
      last = await trial.session.attempt(operation)
      shown.push(idsIn(trial, operation, last))
      if (shown[0] === plain) return
    }
    const [first, second, third, fourth] = shown
    if (first === third && second === fourth && first !== second)
      trial.fail({
        message: `${PLURAL[operation]} without parameters are those that the request before asked for`,
        expected: 'the same list, whatever was asked for before',
        received: `one list after ?${inUrl(nothing)}, and another after ?${inUrl(something)}, each time`,
        exchange: last!.exchange,
        // The next pass would begin with what this one asked for.
        once: true,
      })
  }
}

/** Two queries that differ in every parameter: one that finds nothing, and one that finds a record of another. */
async function unlikeQueries(trial: Trial, operation: Searched): Promise<readonly [Query, Query]> {
  const { records, pages, firstPage } = await trial.list(operation)
  const fields: readonly string[] = operation in EXACT_FILTERS ? EXACT_FILTERS[operation as Filtered] : []
  const filtersOf = (record: object): Query =>
    Object.fromEntries(
      fields.flatMap((field) => {
        const value = asText((record as Record<string, unknown>)[field])
        return value ? [[field, value]] : []
      }),
    )
  const page = (number: number): Query => (pages.length > 1 ? { pageNumber: String(number) } : {})
  const one = filtersOf(records[0]!.value)
  const shared = (record: object): number =>
    Object.entries(filtersOf(record)).filter(([field, value]) => one[field] === value).length
  const other = records.reduce((best, next) => (shared(next.value) < shared(best.value) ? next : best))
  return [
    { ...one, searchParam: trial.random.string.uuid(), ...page(firstPage + 1) },
    { ...filtersOf(other.value), searchParam: '', ...page(firstPage) },
  ]
}

function inUrl(query: Query): string {
  return new URLSearchParams(query).toString()
}

function idsIn(trial: Trial, operation: Searched, answer: Parameters<typeof recordsOf>[2]): string {
  return sortedIds(recordsOf(trial.session, operation, answer))
}
