import { expect, test } from '@playwright/test'
import { combine } from '../../fixtures/faults/variants/combinations.ts'
import type { Dataset } from '../../fixtures/dataset/records.ts'
import type { Result } from '../engine/judging/requirement.ts'
import { dates } from '../requirements/dates.ts'
import { judgeService } from './judge-service.ts'
import { dataset as published } from './own-target.ts'

/** Judges the dates of a target that does otherwise in some ways. */
async function judgeDates(variants: readonly string[], seed: string, dataset = published): Promise<readonly Result[]> {
  const { deviation } = combine(variants)
  return (await judgeService({ dataset, deviations: [deviation] }, dates, { seed })).results
}

/** The published data set, its contacts created at other times. */
function createdAt(timeOf: (index: number, createdAt: string | undefined) => string | undefined): Dataset {
  const data = structuredClone(published)
  for (const [index, contact] of data.contacts.entries())
    Object.assign(contact, { createdAt: timeOf(index, contact.createdAt) })
  return data
}

/** All early in a month, so that days may be taken for months. */
const EARLY = createdAt((index) => {
  const [month, day] = [(index % 12) + 1, (Math.floor(index / 12) % 12) + 1]
  return new Date(Date.UTC(2025, month - 1, day, 12, index % 60)).toISOString()
})

for (const format of ['dates-day-first', 'dates-month-first', 'dates-day-first-with-dashes'])
  test(`where every day could be a month, no contact is asked for in a format that ${format} can't be told from`, async () => {
    for (const seed of ['1', '2', '3']) {
      const results = await judgeDates([format, 'dates-malformed-500'], seed, EARLY)

      expect(results.filter(({ outcome }) => !['passed', 'not exercised'].includes(outcome))).toEqual([])
      // The ends of a range can be chosen so that they are no months.
      expect(results.find(({ requirement }) => requirement.id === 'listContacts.date.range')?.outcome).toBe('passed')
    }
  })

test('the only format that is not refused is the one that is read, though the day that was asked for has no contact there', async () => {
  const names = ['dates-with-two-digit-years', 'dates-malformed-500', 'days-of-kiritimati']
  for (const seed of ['1', '7'])
    for (const { requirement, outcome } of await judgeDates(names, seed)) expect(outcome, requirement.id).toBe('passed')
})

test('a contact created at the instant with which a day begins may be the only one of its day inside', async () => {
  const atMidnight = createdAt((_, time) => time?.replace(/T00:.*/, 'T00:00:00.000Z'))
  const results = await judgeDates(['range-ends-when-its-end-date-begins'], '1', atMidnight)

  for (const { requirement, outcome } of results) expect(outcome, requirement.id).toBe('passed')
})
