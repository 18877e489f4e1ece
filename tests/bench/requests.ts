import { startService } from '../../fixtures/service/start-service.ts'
import { readDataset } from '../engine/data/dataset.ts'
import { conformance } from '../engine/judging/conformance.ts'
import { Contract } from '../engine/contract.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { MODES, type ModeId } from '../proving/mode.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'
import { leaveAsItWas } from '../requirements/restoration/restoration.ts'
import { PUBLISHED_DATASET } from '../run/target-under-test.ts'
import type { Bench } from './figure.ts'
import { published, targetOf } from './target.ts'

const GOALS: Partial<Record<ModeId, number>> = { 'read-only': 250, everything: 400 }
const SEEDS = [1, 2, 3]

/** How many requests a run sends, by what it is given: the most of some seeds. */
export const requests: Bench = {
  name: 'requests',
  measure: async () => {
    const contract = new Contract()
    const known = readDataset(contract, 'The published data set', PUBLISHED_DATASET)
    const service = await startService({ dataset: published() })
    const sent = async (mode: ModeId, seed: number): Promise<number> => {
      const dataset = MODES.find(({ id }) => id === mode)!.gives.includes('dataset') ? known : undefined
      const settings = { ...readRunSettings(), seed }
      const frame = { begin, restore: leaveAsItWas, dataset }
      const { session } = await conformance(targetOf(service, mode), settings, contract, register(contract), frame)
      return session.evidence.exchanges.length
    }
    try {
      const figures = []
      for (const { id, title } of MODES) {
        const counts = []
        for (const seed of SEEDS) counts.push(await sent(id, seed))
        const goal = GOALS[id]
        figures.push({
          what: `requests, ${title}`,
          value: Math.max(...counts),
          unit: 'requests',
          ...(goal && { goal }),
        } as const)
      }
      return figures
    } finally {
      await service.close()
    }
  },
}
