import { base, en, Faker } from '@faker-js/faker'
import { expect, test } from '@playwright/test'
import { isIsoDateTime } from '../engine/time/iso-date-time.ts'

const DATE_TIMES = {
  'with a zone': ['2026-03-02T09:14:27Z', '2026-03-02T09:14:27+01:00', '2026-03-02T09:14:27-08:00'],
  'with a zone of another spelling': [
    '2026-03-02T09:14:27+0100',
    '2026-03-02T09:14:27+01',
    '2026-03-02T09:14:27-00:00',
  ],
  'with a zone that is not of whole hours, or far off': ['2026-03-02T09:14:27+05:45', '2026-03-02T09:14:27+14:00'],
  'without a zone': ['2026-03-02T09:14:27', '2026-03-02T09:14:27.123', '2026-03-02T09:14'],
  'with a fraction': ['2026-03-02T09:14:27.1Z', '2026-03-02T09:14:27.123456Z', '2026-03-02T09:14:27.123456789+01:00'],
  'with a comma': ['2026-03-02T09:14:27,123Z', '2026-03-02T09:14:27,5'],
  'of hours and minutes, or hours only': [
    '2026-03-02T09:14Z',
    '2026-03-02T09:14+01:00',
    '2026-03-02T09',
    '2026-03-02T09Z',
  ],
  'in the basic format': ['20260302T091427Z', '20260302T091427.123+0100', '20260302T0914Z', '20260302T091427'],
  'of a week date': ['2026-W10-1T09:14:27Z', '2026W101T091427Z', '2026-W53-7T23:59:59Z'],
  'of an ordinal date': ['2026-061T09:14:27Z', '2026061T091427Z', '2024-366T00:00:00Z'],
  'at midnight, by both names': ['2026-03-02T00:00:00Z', '2026-03-02T24:00:00Z', '2026-03-02T24:00Z'],
  'in a leap second': ['2016-12-31T23:59:60Z', '2016-12-31T23:59:60.5Z', '2016-12-31T15:59:60-08:00'],
  'in a leap second, in the basic format': ['20161231T235960Z', '20161231T155960-0800'],
  'in lower case': ['2026-03-02t09:14:27z', '2026-w10-1t09:14:27z'],
  'on a leap day': ['2024-02-29T12:00:00Z', '2000-02-29T12:00:00Z'],
  'of a year far off': ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '+012026-03-02T09:14:27Z'],
}

const OTHERS = {
  'a date alone': ['2026-03-02', '20260302', '2026-W10-1', '2026-061', '2026-03', '2026'],
  'a time alone': ['09:14:27', '09:14', 'T09:14:27Z', '091427Z'],
  'half a date-time': ['2026-03-02T', '2026-03-02TZ', 'T', '2026-03-02T09:14:27.Z', '2026-03-02T09:14:2'],
  'a local format': ['02/03/2026 09:14', '3/2/2026, 9:14:27 AM', '02.03.2026 09:14', '2 March 2026 09:14'],
  'the format of another standard': ['Mon, 02 Mar 2026 09:14:27 GMT', 'Mon Mar  2 09:14:27 2026'],
  'a day that does not exist': [
    '2026-02-30T09:14:27Z',
    '2025-02-29T09:14:27Z',
    '1900-02-29T09:14:27Z',
    '2026-04-31T09:14Z',
  ],
  'a day out of range': [
    '2026-00-02T09:14:27Z',
    '2026-13-02T09:14:27Z',
    '2026-03-00T09:14:27Z',
    '2026-03-32T09:14:27Z',
  ],
  'a week or an ordinal day out of range': ['2025-W53-1T09:14:27Z', '2026-W10-8T09:14:27Z', '2026-366T09:14:27Z'],
  'a time out of range': [
    '2026-03-02T25:00:00Z',
    '2026-03-02T24:00:01Z',
    '2026-03-02T09:61:00Z',
    '2026-03-02T09:14:61Z',
  ],
  'a sixtieth minute': ['2026-03-02T09:60:00Z', '2026-03-02T09:60Z', '2026-03-02T09:60'],
  'a date-time whose day is missing': ['2026-03T09:14:27Z', '2026T09:14:27Z', '2026-W10T09:14:27Z'],
  'a zone out of range': ['2026-03-02T09:14:27+25:00', '2026-03-02T09:14:27+01:99'],
  'a space where the T belongs': ['2026-03-02 09:14:27Z', '2026-03-02 09:14:27'],
  'a text with something around it': [' 2026-03-02T09:14:27Z', '2026-03-02T09:14:27Z\n', '2026-03-02T09:14:27 Z'],
  'a text with digits left out': ['2026-3-2T09:14:27Z', '26-03-02T09:14:27Z', '2026-03-02T9:14:27Z'],
  'a word or an empty text': ['tomorrow', 'Tuesday', 'now', 'null', 'Invalid Date', ''],
  'a number of epoch seconds': ['1772442867', '1772442867000', '1772442867.5', '0'],
}

for (const [what, texts] of Object.entries(DATE_TIMES))
  test(`a date-time ${what} is one`, () => {
    expect(texts.filter((text) => !isIsoDateTime(text))).toEqual([])
  })

for (const [what, texts] of Object.entries(OTHERS))
  test(`${what} is no date-time`, () => {
    expect(texts.filter(isIsoDateTime)).toEqual([])
  })

test('any instant is a date-time as computers write it, and none with its day or hour out of range', () => {
  const random = new Faker({ locale: [en, base], seed: 20260302 })
  const written: string[] = []
  const broken: string[] = []
  for (let round = 0; round < 500; round++) {
    const text = random.date.between({ from: '1970-01-01', to: '2100-01-01' }).toISOString()
    const zone = random.helpers.arrayElement(['Z', '', '+05:30', '-0800', '+14'])
    written.push(text, text.replace(/\.\d+Z/, zone), text.replace('Z', zone), text.replace(/[-:]/g, ''))
    broken.push(text.replace(/-\d\dT/, '-32T'), text.replace(/T\d\d/, 'T25'), text.replace('T', ' '), text.slice(0, 10))
  }

  expect(written.filter((text) => !isIsoDateTime(text))).toEqual([])
  expect(broken.filter(isIsoDateTime)).toEqual([])
})

test('a text is judged alike however often it is asked about', () => {
  for (const [text, expected] of [
    ['2026-07-08T09:10:11Z', true],
    ['2026-07-32T09:10:11Z', false],
  ] as const)
    expect([isIsoDateTime(text), isIsoDateTime(text), isIsoDateTime(text)], text).toEqual([
      expected,
      expected,
      expected,
    ])
})
