import type { Run } from '../../../engine/judging/run.ts'
import type { Session } from '../../../engine/judging/session.ts'
import { eventually, hasShownLate } from '../eventually.ts'

/** A target that stores nothing is not waited for each time: so many waits in vain are enough, where none was ever of use. */
const WAITS_IN_VAIN = 2
const SHORT_PATIENCE_MS = 300

/** How many updates did not show to the end of the wait. */
const inVain = new WeakMap<Run, number>()

/** Whether an update has not shown to the end of the wait. */
export function hasWaitedInVain({ run }: Session): boolean {
  return inVain.has(run)
}

/**
 * Looks at a contact until it shows an update: a cache may still hold what was shown some updates ago. Gives what was seen
 * last.
 */
export async function untilItShows<T>(
  session: Session,
  look: () => Promise<T | undefined>,
  isShown: (seen: T) => boolean,
): Promise<T | undefined> {
  const waits = (): number => inVain.get(session.run) ?? 0
  const seen = await eventually(
    session,
    look,
    (now) => now !== undefined && isShown(now),
    waits() >= WAITS_IN_VAIN && !hasShownLate(session) ? SHORT_PATIENCE_MS : undefined,
  )
  if (seen !== undefined && !isShown(seen)) inVain.set(session.run, waits() + 1)
  return seen
}
