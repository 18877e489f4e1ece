import type { Requirement } from '../engine/requirement.ts'

type Demand = Pick<Requirement, 'phase'>

// Playwright runs the files in the order of their paths: what reads, then updates.spec.ts, then the folders
// using-bad-tokens and whole-run.

/** Whether a requirement only reads, so that it may be judged before anything is written. */
export function reads({ phase }: Demand): boolean {
  return phase === undefined
}

/** Whether a requirement writes to the target. */
export function writes({ phase }: Demand): boolean {
  return phase === 'write'
}

/** Whether a requirement sends bad tokens. */
export function sendsBadTokens({ phase }: Demand): boolean {
  return phase === 'unauthorized'
}

/** Whether a requirement weighs every answer of the run, so that it comes last. */
export function reviews({ phase }: Demand): boolean {
  return phase === 'review'
}
