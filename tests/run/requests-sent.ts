import type { Session } from '../engine/session.ts'

// Playwright loads the global setup, which opens the session, and the reporters into one process and one graph of modules.
let session: Session | undefined

/** Lets `requestsSent` know the session of this process's run. */
export function countRequestsOf(opened: Session): void {
  session = opened
}

/** How many requests the run has sent to the target so far. */
export function requestsSent(): number {
  return session?.evidence.exchanges.length ?? 0
}
