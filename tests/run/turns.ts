import type { Requirement } from '../engine/requirement.ts'

// Playwright runs the files in the order of their paths: what reads, then updates.spec.ts, then the folders
// using-bad-tokens and whole-run.

/** Whether a requirement only reads, so that it may be judged before anything is written. */
export function reads({ turn }: Requirement): boolean {
  return turn === undefined
}

/** Whether a requirement writes to the target. */
export function writes({ turn }: Requirement): boolean {
  return turn === 'writes'
}

/** Whether a requirement sends bad tokens. */
export function knocks({ turn }: Requirement): boolean {
  return turn === 'knocks'
}

/** Whether a requirement weighs every answer of the run, so that it comes last. */
export function weighsTheWholeRun({ turn }: Requirement): boolean {
  return turn === 'everything'
}
