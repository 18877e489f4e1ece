import { textOf } from '../../../engine/data/records.ts'
import { STATUSES } from '../../operations.ts'

/** A record's value that a filter can be asked for. No call may ask for a status other than the three. */
export function filterValue<T>(record: T, field: keyof T): string | undefined {
  const value = textOf(record, field)
  return field === 'status' && !STATUSES.some((status) => status === value) ? undefined : value
}
