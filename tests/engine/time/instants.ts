import { DateTime } from 'luxon'

const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** When something happened, as exactly as its text says it: UTC milliseconds. */
export interface Instant {
  readonly earliest: number
  readonly latest: number
}

/** A day in full: a month or a week alone may be any of its days. */
const WHOLE_DAY = /^\d{4}(-\d{2}-\d{2}|\d{4}|-W\d{2}-\d|-\d{3})$/
/** A time of day says nothing without a year, or the name of a month. */
const HAS_YEAR = /[a-z]{3}|(^|\D)\d{4}(\D|$)|^\d{8}\D/i
const HAS_SECONDS = /\d:\d{2}:\d{2}|T\d{6}/i

/** Zones in use reach from 12 hours behind UTC to 14 hours ahead of it. */
export const WEST_MS = 12 * HOUR_MS
export const EAST_MS = 14 * HOUR_MS

const known = new Map<string, Instant | undefined>()

/**
 * Reads a timestamp whose format is not stated: ISO 8601, SQL, RFC 2822, HTTP and epoch digits. A text without a zone
 * or a time is read as the span of instants that it can mean; undefined where it can't be read for certain.
 */
export function readInstant(value: unknown): Instant | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  if (known.has(text)) return known.get(text)
  const instant = parsed(text.trim())
  if (known.size < 100_000) known.set(text, instant)
  return instant
}

function parsed(value: string): Instant | undefined {
  if (value === '') return undefined
  if (/^\d{10}(\.\d+)?$/.test(value)) return exactly(Number(value) * 1000)
  if (/^\d{13}$/.test(value)) return exactly(Number(value))
  const hasTime = /\d:\d|T\d/.test(value)
  if (!(hasTime ? HAS_YEAR : WHOLE_DAY).test(value)) return undefined
  const zoned = /(Z|GMT|UTC|[+-]\d{2}(:?\d{2})?)\)?$/i.test(value) && /\d:\d/.test(value)
  const options = { setZone: true, zone: 'utc' }
  const parsed = [DateTime.fromISO, DateTime.fromSQL, DateTime.fromRFC2822, DateTime.fromHTTP]
    .map((read) => read.call(DateTime, value, options))
    .find(({ isValid }) => isValid)
  if (!parsed) return undefined
  const start = parsed.toMillis()
  // Some write no seconds.
  const end = start + (HAS_SECONDS.test(value) ? 0 : MINUTE_MS - 1)
  if (zoned) return { earliest: start, latest: end }
  return { earliest: start - EAST_MS, latest: (hasTime ? end : start + DAY_MS) + WEST_MS }
}

function exactly(ms: number): Instant {
  return { earliest: ms, latest: ms }
}

const daySpans = new Map<string, Instant>()

/** The instants that a day can cover, counted in any zone: UTC milliseconds. */
export function daySpan(day: string): Instant {
  const known = daySpans.get(day)
  if (known) return known
  const start = Date.parse(`${day}T00:00:00Z`)
  const span = { earliest: start - EAST_MS, latest: start + DAY_MS + WEST_MS }
  daySpans.set(day, span)
  return span
}
