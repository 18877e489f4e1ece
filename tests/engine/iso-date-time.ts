import { DateTime } from 'luxon'

const known = new Map<string, boolean>()

/**
 * Whether a string is an ISO 8601 date-time: calendar, week or ordinal date, extended or basic, with or without zone
 * and fraction. A date alone, a local format and a day that doesn't exist are not.
 */
export function isIsoDateTime(value: string): boolean {
  const cached = known.get(value)
  if (cached !== undefined) return cached
  // A leap second is a time like any other.
  const upper = value.toUpperCase().replace(/:60(?=[.,Z+-]|$)/, ':59')
  const result = /^[^T]+T[^T]+$/.test(upper) && DateTime.fromISO(upper).isValid
  if (known.size < 100_000) known.set(value, result)
  return result
}
