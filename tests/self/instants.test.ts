import { expect, test } from '@playwright/test'
import { DAY_MS, daySpan, EAST_MS, HOUR_MS, readInstant, WEST_MS } from '../engine/time/instants.ts'

const AT = Date.UTC(2026, 2, 2, 9, 14, 27)
const MIDNIGHT = Date.UTC(2026, 2, 2)

/** Each of these says when, to the millisecond. */
const EXACT = {
  'ISO 8601 in UTC': ['2026-03-02T09:14:27Z', AT],
  'ISO 8601 with a fraction': ['2026-03-02T09:14:27.250Z', AT + 250],
  'ISO 8601 with an offset': ['2026-03-02T10:14:27+01:00', AT],
  'ISO 8601 with an offset without colon': ['2026-03-02T03:44:27-0530', AT],
  'ISO 8601 at the end of a day': ['2026-03-01T24:00:00Z', MIDNIGHT],
  'SQL with an offset': ['2026-03-02 10:14:27.250 +01:00', AT + 250],
  'SQL in UTC': ['2026-03-02 09:14:27 UTC', AT],
  'RFC 2822': ['Mon, 02 Mar 2026 10:14:27 +0100', AT],
  'an HTTP date': ['Mon, 02 Mar 2026 09:14:27 GMT', AT],
  'an HTTP date of old': ['Monday, 02-Mar-26 09:14:27 GMT', AT],
  'epoch seconds': [String(AT / 1000), AT],
  'epoch seconds with a fraction': [`${AT / 1000}.25`, AT + 250],
  'epoch milliseconds': [String(AT), AT],
  'a text with blanks around it': ['  2026-03-02T09:14:27Z\n', AT],
} as const

/** Each of these can mean the same time of day anywhere on earth. */
const WITHOUT_ZONE = {
  'ISO 8601': '2026-03-02T09:14:27',
  'ISO 8601 in the basic format': '20260302T091427',
  SQL: '2026-03-02 09:14:27',
  asctime: 'Mon Mar  2 09:14:27 2026',
}

/** Each of these names a stretch of time: its first instant in UTC and its length. */
const WITHOUT_TIME = {
  'a day': ['2026-03-02', MIDNIGHT, DAY_MS],
  'a day in the basic format': ['20260302', MIDNIGHT, DAY_MS],
  'a day of a week': ['2026-W10-1', MIDNIGHT, DAY_MS],
  'a day of a year': ['2026-061', MIDNIGHT, DAY_MS],
  'a month': ['2026-03', Date.UTC(2026, 2, 1), 31 * DAY_MS],
  'a week': ['2026-W10', MIDNIGHT, 7 * DAY_MS],
  'a year': ['2026', Date.UTC(2026, 0, 1), 365 * DAY_MS],
} as const

const UNREADABLE = {
  'a local format, in which the day may be the month': ['02/03/2026', '02/03/2026 09:14:27', '2.3.26'],
  'a day that does not exist': ['2026-02-30', '2026-13-02T09:14:27Z', '2026-02-30 09:14:27'],
  'a time without a day': ['09:14:27', '09:14', '17:00Z', 'T09:14'],
  'digits of no known unit': ['17724', '1772442867000000'],
  'words, or nothing': ['yesterday', 'null', '', '   '],
  'what is no text and no number': [undefined, null, true, {}, ['2026-03-02']],
}

for (const [what, [text, at]] of Object.entries(EXACT))
  test(`${what} is read exactly`, () => {
    expect(readInstant(text)).toEqual({ earliest: at, latest: at })
  })

for (const [what, text] of Object.entries(WITHOUT_ZONE))
  test(`${what} without a zone is read as every instant that it can mean`, () => {
    const { earliest, latest } = readInstant(text)!

    // The far east has this time of day first, the far west last.
    expect(earliest).toBe(AT - 14 * HOUR_MS)
    expect(latest).toBe(AT + 12 * HOUR_MS)
  })

for (const [what, [text, start, length]] of Object.entries(WITHOUT_TIME))
  test(`${what} alone covers all of it, in any zone, or is not read`, () => {
    const instant = readInstant(text) ?? { earliest: -Infinity, latest: Infinity }

    expect(instant.earliest).toBeLessThanOrEqual(start - 14 * HOUR_MS)
    expect(instant.latest).toBeGreaterThanOrEqual(start + length + 12 * HOUR_MS)
  })

test('a zone that is not understood widens the instant, and never shifts it', () => {
  for (const text of [
    '2026-03-02T04:14:27-05',
    '2026-03-02 09:14:27+00',
    '02 Mar 2026 04:14:27 EST',
    '20260302T091427Z',
  ]) {
    const { earliest, latest } = readInstant(text)!

    expect(earliest, text).toBeLessThanOrEqual(AT)
    expect(latest, text).toBeGreaterThanOrEqual(AT)
  }
})

for (const [what, texts] of Object.entries(UNREADABLE))
  test(`${what} is not read`, () => {
    for (const text of texts) expect(readInstant(text), JSON.stringify(text)).toBeUndefined()
  })

test('a number is read as the epoch digits that it has', () => {
  expect(readInstant(AT)).toEqual(readInstant(String(AT)))
  expect(readInstant(AT)?.earliest).toBe(AT)
})

test('the span of a day reaches from its beginning in the far east to its end in the far west', () => {
  expect(daySpan('2026-03-02')).toEqual({ earliest: MIDNIGHT - EAST_MS, latest: MIDNIGHT + DAY_MS + WEST_MS })
  expect([EAST_MS, WEST_MS]).toEqual([14 * HOUR_MS, 12 * HOUR_MS])
})
