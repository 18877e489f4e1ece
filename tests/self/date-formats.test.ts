import { expect, test } from '@playwright/test'
import { dateFormat } from '../engine/time/date-format.ts'
import { isDatePattern } from '../engine/time/date-pattern.ts'
import { RARE_DATE_FORMATS, USUAL_DATE_FORMATS } from '../requirements/date-formats.ts'

const INSTANT = Date.parse('2026-04-07T08:09:05.060Z')

const WRITTEN: Readonly<Record<string, string>> = {
  'YYYY-MM-DD': '2026-04-07',
  'DD/MM/YY': '07/04/26',
  'D.M.YYYY': '7.4.2026',
  YYMMDD: '260407',
  'MMM D, YYYY': 'Apr 7, 2026',
  'D MMMM YYYY': '7 April 2026',
  'ddd, DD MMM YYYY HH:mm:ss [GMT]': 'Tue, 07 Apr 2026 08:09:05 GMT',
  'YYYY-MM-DDTHH:mm:ss.SSS[Z]': '2026-04-07T08:09:05.060Z',
  'YYYY-MM-DDTHH:mm:ssZZ': '2026-04-07T08:09:05+00:00',
  'epoch-s': '1775549345',
  'epoch-ms': '1775549345060',
}

for (const [name, text] of Object.entries(WRITTEN))
  test(`the format ${name} writes an instant as ${text}`, () => expect(dateFormat(name).write(INSTANT)).toBe(text))

test('every format that is tried is one that DATE_FORMAT may name, and no two are alike', () => {
  const formats = [...USUAL_DATE_FORMATS, ...RARE_DATE_FORMATS]
  expect(formats.filter(({ name }) => !isDatePattern(name))).toEqual([])
  expect(new Set(formats.map(({ write }) => write(INSTANT))).size).toBe(formats.length)
})

test('a date format without a year, month or day, or with other letters, is none', () => {
  for (const name of ['yesterday', 'YYYY-MM', 'MM-DD', 'DD/MM/YYYY um HH', 'ISO', '%Y-%m-%d', 'yyyy-mm-dd'])
    expect(isDatePattern(name), name).toBe(false)
})
