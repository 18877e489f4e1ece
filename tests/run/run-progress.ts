import type { Session } from '../engine/judging/session.ts'
import type { TestRun } from './test-run.ts'

// Playwright loads the global setup, which opens the session, and the reporters into one process and one graph of modules.
let session: Session | undefined
let run: TestRun | undefined

/** Lets `runProgress` know the session of this process's run and, as soon as there is one, the run. */
export function tellProgressOf(opened: Session, begun?: TestRun): void {
  session = opened
  run = begun
}

/** How many requests the run has sent to the target so far, and how many requirements it has judged. */
export function runProgress(): { readonly requests: number; readonly judged: number } {
  return { requests: session?.evidence.exchanges.length ?? 0, judged: run?.judged ?? 0 }
}
