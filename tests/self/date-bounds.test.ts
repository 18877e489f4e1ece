import { expect, test } from '@playwright/test'
import { combine } from '../../fixtures/faults/variants/combinations.ts'
import { startService } from '../../fixtures/service/start-service.ts'
import { conformance } from '../engine/conformance.ts'
import { Contract } from '../engine/contract.ts'
import { readRunSettings } from '../engine/settings.ts'
import { dates } from '../requirements/dates.ts'
import { dataset } from './own-target.ts'

const contract = new Contract()

test('a contact created at the instant with which a day begins may be the only one of its day inside', async () => {
  const data = structuredClone(dataset)
  for (const contact of data.contacts)
    Object.assign(contact, { createdAt: contact.createdAt?.replace(/T00:.*/, 'T00:00:00.000Z') })
  const { deviation } = combine(['range-ends-when-its-end-date-begins'])
  const service = await startService({ dataset: data, deviations: [deviation] })
  try {
    const target = { name: 'target', baseUrl: service.url, accessToken: service.accessToken, allowWrites: false }
    for (const { requirement, outcome } of (await conformance(target, readRunSettings({ SEED: '1' }), contract, dates))
      .results)
      expect(outcome, requirement.id).toBe('passed')
  } finally {
    await service.close()
  }
})
