import type { Fault, Need } from '../../fixtures/faults/index.ts'

/** What a run is given beyond a token: each mode of the proof is one kind of run that users make. */
export interface Mode {
  readonly id: ModeId
  readonly title: string
  readonly gives: readonly Need[]
}

export type ModeId = 'read-only' | 'second-token' | 'writes' | 'dataset' | 'everything'

export const MODES: readonly Mode[] = [
  { id: 'read-only', title: 'read-only on unknown data', gives: [] },
  { id: 'second-token', title: 'with second token', gives: ['otherToken'] },
  { id: 'writes', title: 'with writes', gives: ['writes'] },
  { id: 'dataset', title: 'with data set', gives: ['dataset'] },
  {
    id: 'everything',
    title: 'with data set, writes and second token',
    gives: ['dataset', 'writes', 'otherToken'],
  },
]

/** Whether a run of this mode has all that it takes to catch the fault. */
export function canCatch({ gives }: Mode, { needs }: Pick<Fault, 'needs'>): boolean {
  return needs.every((need) => gives.includes(need))
}
