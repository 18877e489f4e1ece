import { expect, test } from '@playwright/test'
import { readInstant } from '../engine/time/instants.ts'
import { Timestamps } from '../engine/time/timestamps.ts'

/** Local notations, each with a value that tells which comes first, one that doesn't, and what that means. */
const LOCAL = {
  'day first, with a time': ['31/01/2026 09:14', '02/03/2026 09:14:27', '2026-03-02 09:14:27'],
  'day first, with a comma': ['31/01/2026, 09:14:27', '02/03/2026, 09:14:27', '2026-03-02 09:14:27'],
  'day first, with dashes': ['13-01-2026 09:14:27', '02-03-2026 09:14:27', '2026-03-02 09:14:27'],
  'day first, a day alone': ['31.01.2026', '2.3.2026', '2026-03-02'],
  'day first, with an offset': ['31/01/2026 09:14:27 +01:00', '02/03/2026 09:14:27 +01:00', '2026-03-02T08:14:27Z'],
  'month first, in the morning': ['01/31/2026 9:14 AM', '3/2/2026, 12:14:27 AM', '2026-03-02 00:14:27'],
  'month first, in the evening': ['01/31/2026 9:14 AM', '03/02/2026 09:14 p.m.', '2026-03-02 21:14'],
  'month first, at noon': ['01/31/2026 9:14 AM', '03/02/2026 12:14\u202FPM', '2026-03-02 12:14'],
} as const

function having(...values: readonly unknown[]): Timestamps {
  const timestamps = new Timestamps()
  for (const value of values) timestamps.learn(value)
  return timestamps
}

for (const [what, [telling, text, same]] of Object.entries(LOCAL))
  test(`${what}: another value tells how it is read`, () => {
    expect(having(text).read(text)).toBeUndefined()
    expect(having(text, telling).read(text)).toEqual(readInstant(same))
  })

test('values that contradict each other tell nothing', () => {
  expect(having('31/01/2026', '01/31/2026').read('02/03/2026')).toBeUndefined()
})

test('what can be no day in the order that is learned is not read', () => {
  const timestamps = having('31/01/2026')

  for (const text of ['31/13/2026', '30/02/2026', '02/03/2026 25:00', '02/03-2026', '02/03/26'])
    expect(timestamps.read(text), text).toBeUndefined()
})

test('other notations are read as ever, and teach nothing', () => {
  const timestamps = having('2026-01-31T09:14:27Z', null, 31)

  expect(timestamps.read('2026-03-02T09:14:27Z')).toEqual(readInstant('2026-03-02T09:14:27Z'))
  expect(timestamps.read('02/03/2026')).toBeUndefined()
})
