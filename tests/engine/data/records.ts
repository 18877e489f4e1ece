import type { components, operations } from '../../../spec/contract.d.ts'
import type { Exchange } from '../http/exchange.ts'
import { isIsoDateTime } from '../time/iso-date-time.ts'

export type Schemas = components['schemas']

/** A record of whatever kind. */
export type AnyRecord = Readonly<Record<string, unknown>>

/** Characters of the longest text that is asked for. */
export const LONGEST_ASKED = 200

type Success<O extends keyof operations> = operations[O]['responses'] extends infer R
  ? {
      [K in keyof R]: K extends 200 | '2XX'
        ? R[K] extends { content: { 'application/json': infer B } }
          ? B
          : never
        : never
    }[keyof R]
  : never

/** The answer of an operation, as the contract types it. */
type AnswerOf<O extends keyof operations> = Success<O>

/** The operations that answer with a list of records. */
export type ListOperation = 'listContacts' | 'listSchedules' | 'listTags' | 'listCampaigns' | 'listTickets'

type Listed<A> = { [K in keyof A]: A[K] extends readonly (infer R extends object)[] | undefined ? R : never }[keyof A]

/** A record of a list operation. Every field may be missing or wrong: it comes from a target. */
export type RecordOf<O extends ListOperation> = Listed<AnswerOf<O>>

/** A record with the place where it was seen. */
export interface Located<T> {
  readonly value: T
  readonly exchange: Exchange
  readonly pointer: string
}

/** A value as a boolean, where it can be read as one. */
export function asBoolean(value: unknown): boolean | undefined {
  if (value === true || value === 1 || value === 'true' || value === '1') return true
  return value === false || value === 0 || value === 'false' || value === '0' ? false : undefined
}

/** The id of a record, as text; undefined where it has none, or an empty one, which names nothing. */
export function idOf(record: unknown): string | undefined {
  return asText((record as { id?: unknown } | null | undefined)?.id) || undefined
}

/** The ids of records, each once; undefined is among them where one has none. */
export function idsOf(records: readonly Pick<Located<unknown>, 'value'>[]): ReadonlySet<string | undefined> {
  return new Set(records.map(({ value }) => idOf(value)))
}

/** The ids of records as one text, which is the same in whichever order they came. */
export function sortedIds(records: readonly Pick<Located<unknown>, 'value'>[]): string {
  return [...idsOf(records)].toSorted().join()
}

/** The different text values that records hold in a field, most frequent first. */
export function valuesOf<T>(records: readonly Pick<Located<T>, 'value'>[], field: keyof T): string[] {
  const counts = new Map<string, number>()
  for (const { value } of records) {
    const text = textOf(value, field)
    if (text !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([text]) => text)
}

/** A field's value as a filter asks for it: a text that isn't empty, or a number written as one. */
export function textOf<T>(record: T, field: keyof T): string | undefined {
  return askable(record[field])
}

/** A value as text, where it is short enough to be asked for: many a server limits the length of an address. */
export function askable(value: unknown): string | undefined {
  const text = asText(value)
  return text !== undefined && text.length <= LONGEST_ASKED ? text : undefined
}

/** A value as text, whatever its type should be: a wrong type is a finding of its own, and hides no other. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

/** Whether two JSON values say the same; the same instant spelled otherwise is the same. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'string' && typeof b === 'string')
    return isIsoDateTime(a) && isIsoDateTime(b) && Date.parse(a) === Date.parse(b)
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]))
  if (isObject(a) && isObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)])
    return [...keys].every((key) => sameValue(a[key], b[key]))
  }
  return false
}

/** Whether a target shows the same in two answers: of two objects what both show, of two lists each record. */
export function sameShown(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const byId = new Map(b.map((item: unknown) => [idOf(item), item]))
    const recordsOnly = [...a, ...b].every((item) => idOf(item) !== undefined)
    return (
      a.length === b.length &&
      a.every((item: unknown, index) => sameShown(item, recordsOnly ? byId.get(idOf(item)) : b[index]))
    )
  }
  if (!isObject(a) || !isObject(b)) return sameValue(a, b)
  return Object.keys(a).every((key) => !(key in b) || sameShown(a[key], b[key]))
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
