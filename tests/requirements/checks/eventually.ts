import type { Run } from '../../engine/judging/run.ts'
import type { Session } from '../../engine/judging/session.ts'

const FIRST_PAUSE_MS = 100
/** What has not shown by then does not show. */
export const PATIENCE_MS = 6300

const late = new WeakSet<Run>()

/** Whether something has shown only when it was looked at again. */
export function hasShownLate({ run }: Session): boolean {
  return late.has(run)
}

/**
 * Looks again and again until what is seen is as hoped for, or patience runs out; gives what was seen last. Only the
 * pauses try it: a target that is slow to answer is looked at as often as a fast one.
 */
export async function eventually<T>(
  session: Session,
  look: () => Promise<T>,
  hopedFor: (seen: T) => boolean,
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  let waited = 0
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const seen = await look()
    const isShown = hopedFor(seen)
    if (isShown && waited > 0) late.add(session.run)
    if (isShown || waited + pause > patienceMs) return seen
    await session.pause(pause)
    waited += pause
  }
}
