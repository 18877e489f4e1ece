import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import type { Dataset } from '../../fixtures/dataset/records.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { published } from '../bench/target.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import type { Result } from '../engine/judging/requirement.ts'
import type { ModeId } from '../proving/mode.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'
import { contract, judgeService } from './judge-service.ts'

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

test('headers longer than are read are no fault', async () => {
  const headers = { 'x-long': 'x'.repeat(20_000) }
  const deviation: Deviation = {
    reply: ({ nth }, reply) => (nth % 2 === 0 ? { ...reply, headers: { ...reply.headers, ...headers } } : reply),
  }

  const results = await judged('listTickets.', { dataset: published(), deviations: [deviation] })

  expect(results.flatMap(({ findings }) => findings)).toEqual([])
  expect(results.map(({ reason }) => reason).join('\n')).toContain('gave headers of more than 16 KB, which the suite')
})

test('of a long answer the beginning is kept, and what was read in all of it', async () => {
  const dataset = published()
  const contact = dataset.contacts.findLast(({ companyId }) => companyId === dataset.contacts[0]!.companyId)!
  Object.assign(contact, { name: 'x'.repeat(3 * MB), utmTerms: 7 })

  const { results, exchanges } = await run('Contact.utmTerms', { dataset })

  expect(results.flatMap(({ findings }) => findings.map(({ received }) => received))).toContain(7)
  const long = exchanges.flatMap(({ response }) => (response?.cut ? [response] : []))
  expect(long.length).toBeGreaterThan(0)
  for (const { body, cut } of long) {
    expect(cut!.size).toBeGreaterThan(3 * MB)
    expect(body.length).toBeLessThan(MB / 10)
  }
})

test('no call asks for a text too long for an address', async () => {
  const dataset = published()
  for (const record of [...dataset.contacts, ...dataset.tags, ...dataset.tickets])
    for (const [field, value] of Object.entries(record))
      if (typeof value === 'string' && !/[iI]d$|At$|status/.test(field))
        Object.assign(record, { [field]: `${value} ${'word '.repeat(1000)}` })

  const { exchanges } = await run('', { dataset }, 'writes')

  expect(exchanges.length).toBeGreaterThan(200)
  expect(exchanges.map(({ request }) => request.target).filter(({ length }) => length > 2000)).toEqual([])
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

/** Results of the requirements whose id begins with a text, and that are no observations. */
async function judged(begins: string, makings: Makings): Promise<readonly Result[]> {
  return (await run(begins, makings)).results
}

interface Makings {
  readonly dataset: Dataset
  readonly deviations?: readonly Deviation[]
}

/** Judges a service by some requirements. */
async function run(
  begins: string,
  makings: Makings,
  mode: ModeId = 'read-only',
): Promise<{ results: readonly Result[]; exchanges: readonly Exchange[] }> {
  const requirements = register(contract).filter(({ id, level }) => id.startsWith(begins) && level !== 'observed')
  const { results, session } = await judgeService(makings, requirements, { mode, begin })
  return { results, exchanges: session.run.evidence.exchanges }
}
