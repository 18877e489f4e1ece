import { expect, test } from '@playwright/test'
import { startService } from '../../fixtures/service/start-service.ts'
import { combine } from '../../fixtures/faults/variants/combinations.ts'
import { conformance } from '../engine/conformance.ts'
import { Contract } from '../engine/contract.ts'
import type { Result } from '../engine/requirement.ts'
import { readRunSettings } from '../engine/settings.ts'
import { dates } from '../requirements/dates.ts'
import { dataset } from './own-target.ts'

const contract = new Contract()

/** Judges the dates of a target whose contacts were all created early in a month, so that days may be taken for months. */
async function judgeEarlyDays(format: string, seed: string): Promise<readonly Result[]> {
  const data = structuredClone(dataset)
  for (const [index, contact] of data.contacts.entries()) {
    const [month, day] = [(index % 12) + 1, (Math.floor(index / 12) % 12) + 1]
    const at = new Date(Date.UTC(2025, month - 1, day, 12, index % 60)).toISOString()
    Object.assign(contact, { createdAt: at, updatedAt: at })
  }
  const { deviation } = combine([format, 'dates-malformed-500'])
  const service = await startService({ dataset: data, deviations: [deviation] })
  try {
    const target = { name: 'target', baseUrl: service.url, accessToken: service.accessToken, allowWrites: false }
    return (await conformance(target, readRunSettings({ SEED: seed }), contract, dates)).results
  } finally {
    await service.close()
  }
}

for (const format of ['dates-day-first', 'dates-month-first', 'dates-day-first-with-dashes'])
  test(`where every day could be a month, no contact is asked for in a format that ${format} can't be told from`, async () => {
    for (const seed of ['1', '2', '3']) {
      const results = await judgeEarlyDays(format, seed)

      expect(results.filter(({ outcome }) => !['passed', 'not exercised'].includes(outcome))).toEqual([])
      // The ends of a range can be chosen so that they are no months.
      expect(results.find(({ requirement }) => requirement.id === 'listContacts.date.range')?.outcome).toBe('passed')
    }
  })

test('the only format that is not refused is the one that is read, though the day that was asked for has no contact there', async () => {
  const names = ['dates-with-two-digit-years', 'dates-malformed-500', 'days-of-kiritimati']
  const service = await startService({ dataset, deviations: [combine(names).deviation] })
  try {
    const target = { name: 'target', baseUrl: service.url, accessToken: service.accessToken, allowWrites: false }
    for (const seed of ['1', '7'])
      for (const { requirement, outcome } of (
        await conformance(target, readRunSettings({ SEED: seed }), contract, dates)
      ).results)
        expect(outcome, requirement.id).toBe('passed')
  } finally {
    await service.close()
  }
})
