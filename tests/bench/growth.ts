import { randomUUID } from 'node:crypto'
import { buildDataset, LARGEST_SIZE } from '../../fixtures/dataset/build.ts'
import type { Contact } from '../../fixtures/dataset/records.ts'
import { startService } from '../../fixtures/service/start-service.ts'
import { conformance } from '../engine/judging/conformance.ts'
import { Contract } from '../engine/contract.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'
import { leaveAsItWas } from '../requirements/restoration/restoration.ts'
import { timed, type Bench, type Figure } from './figure.ts'
import { targetOf } from './target.ts'

const SIZES = [100, 1000, 10_000, 100_000] as const

/** What a run costs as the list of contacts grows: past MAX_PAGES, no more. */
export const growth: Bench = {
  name: 'growth',
  measure: async () => {
    const contract = new Contract()
    const settings = { ...readRunSettings(), seed: 1 }
    const figures: Figure[] = []
    for (const size of SIZES) {
      const dataset = buildDataset({ contacts: Math.min(size, LARGEST_SIZE.contacts) })
      dataset.contacts.push(...copies(dataset.contacts, size - LARGEST_SIZE.contacts))
      const service = await startService({ dataset })
      try {
        const target = targetOf(service, 'writes')
        const { seconds, result } = await timed(() =>
          conformance(target, settings, contract, register(contract), { begin, restore: leaveAsItWas }),
        )
        const contacts = `${size.toLocaleString('en')} contacts`
        figures.push(
          { what: `requests, ${contacts}`, value: result.session.evidence.exchanges.length, unit: 'requests', size },
          { what: `a judged target, ${contacts}`, value: seconds, unit: 's', size },
        )
      } finally {
        await service.close()
      }
    }
    return figures
  },
}

/** More contacts than there are fictitious telephone numbers for: of copies, that is no matter here. */
function copies(contacts: readonly Contact[], count: number): Contact[] {
  return Array.from({ length: Math.max(0, count) }, (_, nth) => ({
    ...contacts[nth % contacts.length]!,
    id: randomUUID(),
    number: `9${String(nth).padStart(11, '0')}`,
  }))
}
