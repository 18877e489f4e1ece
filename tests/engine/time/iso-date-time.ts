import { DateTime } from 'luxon'

const DATE = String.raw`(?:[+-]\d{6}|\d{4})(?:-\d{2}-\d{2}|\d{4}|-W\d{2}-\d|W\d{3}|-\d{3}|\d{3})`
const TIME = String.raw`\d{2}(?::?\d{2}(?::?\d{2})?)?(?:[.,]\d+)?`
const ZONE = String.raw`(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?`
const DATE_TIME = new RegExp(`^${DATE}T${TIME}${ZONE}$`)
const LEAP_SECOND = /(T\d{2}:?\d{2}:?)60(?=\D|$)/

/** Cut off before the rest is read: ISO 8601 knows fractions of minutes and hours too. */
const FRACTION = /[.,]\d+/

const known = new Map<string, boolean>()

/**
 * Whether a string is an ISO 8601 date-time: calendar, week or ordinal date, extended or basic, with or without zone
 * and fraction. A date alone, a local format and a day that doesn't exist are not.
 */
export function isIsoDateTime(value: string): boolean {
  const cached = known.get(value)
  if (cached !== undefined) return cached
  const upper = value.toUpperCase()
  const result =
    DATE_TIME.test(upper) &&
    DateTime.fromISO(upper.replace(FRACTION, '').replace(LEAP_SECOND, (_, rest: string) => `${rest}59`)).isValid
  if (known.size < 100_000) known.set(value, result)
  return result
}
