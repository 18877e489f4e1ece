import { orElse } from '../../../engine/or-else.ts'
import type { RecordOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { EXACT_FILTERS, type Filtered } from '../../operations.ts'
import { filterValue } from './filter-value.ts'
import { everySearchable } from '../search/searchable.ts'

type Query = Readonly<Record<string, string>>

/** All exact filters by the values of one record. */
export function valuesOfOne<O extends Filtered>(operation: O, record: RecordOf<O>): Query {
  return Object.fromEntries(
    EXACT_FILTERS[operation].flatMap((field) => {
      const value = filterValue(record, field as unknown as keyof RecordOf<O>)
      return value === undefined ? [] : [[field, value]]
    }),
  )
}

/** All filters by the values of one of the caller's records, with each of two texts by which it may be found. */
export async function allOfOne<O extends Filtered>(trial: Trial, operation: O): Promise<Query[]> {
  const candidates = await everySearchable(trial, operation, 'any')
  const [fullest] = candidates
    .map(({ record, texts }) => ({ texts, values: valuesOfOne(operation, record.value) }))
    .toSorted((a, b) => Object.keys(b.values).length - Object.keys(a.values).length)
  if (!fullest) return []
  return fullest.texts.slice(0, 2).map((text) => ({ ...fullest.values, searchParam: text }))
}

/** The first of these queries that finds something; without the text, where no search finds it. None where none does. */
export function allThatFind(trial: Trial, operation: Filtered): Promise<Query | undefined> {
  return trial.session.remember(`all of one that find ${operation}`, async () => {
    const queries = await orElse(allOfOne(trial, operation), [])
    const withoutText = queries.slice(0, 1).map(({ searchParam: _text, ...filters }) => filters)
    for (const query of [...queries, ...withoutText]) {
      const { records } = await trial.filtered(operation, query, { refusable: true })
      if (records.length > 0) return query
    }
    return undefined
  })
}
