import { setTimeout as wait } from 'node:timers/promises'

/** Longer, in milliseconds, than an answer is kept by most caches in front of lists. */
export const CACHED_MS = 3200

/** The time that a run goes by: the real one, or that of a recording which is judged again. */
export interface Time {
  /** Milliseconds since 1970; they never go back. */
  readonly now: () => number
  /** Resolves after some milliseconds; rejects as soon as the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

export const realTime: Time = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, { ...(signal && { signal }) }),
}
