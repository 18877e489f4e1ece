import type { Requirement } from '../engine/requirement.ts'

type Demand = Pick<Requirement, 'turn'>

// Playwright runs the files in the order of their paths: what reads, then updates.spec.ts, then the folders
// using-bad-tokens and whole-run.

/** Whether a requirement only reads, so that it may be judged before anything is written. */
export function reads({ turn }: Demand): boolean {
  return turn === undefined
}

/** Whether a requirement writes to the target. */
export function writes({ turn }: Demand): boolean {
  return turn === 'writes'
}

/** Whether a requirement sends bad tokens. */
export function knocks({ turn }: Demand): boolean {
  return turn === 'knocks'
}

/** Whether a requirement weighs every answer of the run, so that it comes last. */
export function weighsTheWholeRun({ turn }: Demand): boolean {
  return turn === 'everything'
}
