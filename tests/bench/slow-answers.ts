import { setTimeout } from 'node:timers/promises'
import { startService } from '../../fixtures/service/start-service.ts'
import type { ModeId } from '../proving/mode.ts'
import type { Bench, Figure } from './figure.ts'
import { runOfPlaywright } from './playwright-run.ts'
import { published, settingsOf } from './target.ts'

const ANSWER_MS = 150
const GOALS = { everything: 15, 'read-only': 10 } as const satisfies Partial<Record<ModeId, number>>
const LONGEST_CHAIN = 40

/** A run on a target that takes its time: what counts is how many requests wait for the one before. */
export const slowAnswers: Bench = {
  name: 'slow',
  measure: async () => {
    const service = await startService({
      dataset: published(),
      deviations: [{ arrive: () => setTimeout(ANSWER_MS, undefined) }],
    })
    const figures: Figure[] = []
    try {
      for (const [mode, goal] of Object.entries(GOALS) as [keyof typeof GOALS, number][]) {
        const { seconds, chain } = await runOfPlaywright(settingsOf(service, mode))
        const given = mode === 'everything' ? 'everything given' : mode
        figures.push(
          { what: `a run with every answer after ${ANSWER_MS} ms, ${given}`, value: seconds, unit: 's', goal },
          { what: '— requests that wait for the one before', value: chain, unit: 'steps', goal: LONGEST_CHAIN },
        )
      }
    } finally {
      await service.close()
    }
    return figures
  },
}
