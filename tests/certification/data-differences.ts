import { isDeepStrictEqual } from 'node:util'
import type { Dataset } from '../engine/data/dataset.ts'

/** In what a part of a data set differs from the published one: how many records, and in which fields. */
export interface PartDifference {
  readonly part: string
  readonly added: number
  readonly removed: number
  /** Number of records by the field in which they differ. */
  readonly changed: Readonly<Record<string, number>>
}

type Part = readonly { readonly id?: unknown }[]

/**
 * Compares a data set with the published one, record by record of the same id, whichever parts they have; a part that is
 * the same is left out. `companies` tells which company is whose token's.
 */
export function differences(dataset: Dataset, published: Dataset): readonly PartDifference[] {
  const [given, known] = [dataset, published].map(partsOf) as [Map<string, Part>, Map<string, Part>]
  return [...new Set([...known.keys(), ...given.keys()])]
    .map((part) => differenceOf(part, given.get(part) ?? [], known.get(part) ?? []))
    .filter(({ added, removed, changed }) => added > 0 || removed > 0 || Object.keys(changed).length > 0)
}

function partsOf({ companyId, otherCompanyId, ...rest }: Dataset): Map<string, Part> {
  const companies: Part = [{ id: '', ...{ companyId, otherCompanyId } }]
  const parts = Object.entries(rest as Record<string, unknown>).flatMap(([part, records]): [string, Part][] =>
    Array.isArray(records) ? [[part, records as Part]] : [],
  )
  return new Map([['companies', companies], ...parts])
}

function differenceOf(part: string, records: Part, published: Part): PartDifference {
  const known = new Map(published.map((record) => [record.id, record as Record<string, unknown>]))
  const changed: Record<string, number> = {}
  let added = 0
  for (const record of records as readonly Record<string, unknown>[]) {
    const original = known.get(record['id'])
    if (!original) added += 1
    for (const field of original ? new Set([...Object.keys(record), ...Object.keys(original)]) : [])
      if (!isDeepStrictEqual(record[field], original![field])) changed[field] = (changed[field] ?? 0) + 1
  }
  return { part, added, removed: published.length - (records.length - added), changed }
}

/** A difference in a line, such as `contacts: 12 added; channel differs in 158`. */
export function differenceLine({ part, added, removed, changed }: PartDifference): string {
  const what = [
    ...(added > 0 ? [`${added} added`] : []),
    ...(removed > 0 ? [`${removed} left out`] : []),
    ...Object.entries(changed).map(([field, records]) => `${field} differs in ${records}`),
  ]
  return `${part}: ${what.join('; ')}`
}
