import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import type { Dataset } from '../../fixtures/dataset/records.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { startService } from '../../fixtures/service/start-service.ts'
import { published, targetOf } from '../bench/target.ts'
import { conformance } from '../engine/conformance.ts'
import { Contract } from '../engine/contract.ts'
import type { Result } from '../engine/requirement.ts'
import { readRunSettings } from '../engine/settings.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'

const contract = new Contract()
const MB = 2 ** 20

test('of answers that are sampled, nothing is taken to be left out', async () => {
  const dataset = published()
  dataset.tickets = manyOf(dataset.tickets, 22_000)

  const results = await judged('listTickets.filter.with-search', { dataset })

  expect(results).toMatchObject([{ outcome: 'passed', findings: [] }])
})

test('a search that finds more than is read is no fault', async () => {
  const dataset = published()
  dataset.contacts = manyOf(dataset.contacts, 2000).map((contact) => ({ ...contact, utmTerms: 'x'.repeat(MB / 50) }))
  const unpaged: Deviation = {
    select: ({ request }, selected, matching) => (request.url.includes('searchParam') ? matching : selected),
  }

  const results = await judged('listContacts.search.', { dataset, deviations: [unpaged] })

  expect(results.flatMap(({ findings }) => findings)).toEqual([])
  const reasons = results.map(({ reason }) => reason)
  expect(reasons.join('\n')).toContain('gave an answer of more than 16 MB, which the suite does not read')
})

test('JSON that is nested deeper than is read is no fault', async () => {
  const dataset = published()
  const deep = `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`
  for (const { groups } of dataset.campaigns)
    for (const group of groups ?? []) Object.assign(group, { logs: JSON.parse(deep) as unknown })

  const results = await judged('listCampaigns.', { dataset })

  expect(results.length).toBeGreaterThan(10)
  expect(results.flatMap(({ findings }) => findings)).toEqual([])
  expect(results.find(({ requirement }) => requirement.id === 'listCampaigns.answer.json')).toMatchObject({
    outcome: 'not exercised',
    reason: expect.stringContaining('JSON of more than 500 levels, which the suite does not read'),
  })
})

/** The main company's records, and as many copies with ids of their own as make up a number. */
function manyOf<T extends { readonly id: string; readonly companyId: string }>(
  records: readonly T[],
  count: number,
): T[] {
  const own = records.filter(({ companyId }) => companyId === records[0]!.companyId)
  const copies = Array.from({ length: count - own.length }, (_, nth) => ({
    ...own[nth % own.length]!,
    id: randomUUID(),
  }))
  return [...own, ...copies]
}

/** Judges a service by the requirements whose id begins with a text, and that are no observations. */
async function judged(
  begins: string,
  options: { readonly dataset: Dataset; readonly deviations?: readonly Deviation[] },
): Promise<readonly Result[]> {
  const service = await startService(options)
  const requirements = register(contract).filter(({ id, level }) => id.startsWith(begins) && level !== 'observed')
  try {
    const { results } = await conformance(
      targetOf(service, 'read-only'),
      { ...readRunSettings(), seed: 1 },
      contract,
      requirements,
      { begin },
    )
    return results
  } finally {
    await service.close()
  }
}
