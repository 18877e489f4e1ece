import type { Run } from '../../engine/run.ts'
import type { Session } from '../../engine/session.ts'
import { eventually } from './eventually.ts'

/** A target that stores nothing is not waited for each time: so many waits in vain are enough, where none was ever of use. */
const WAITS_IN_VAIN = 2
const SHORT_PATIENCE_MS = 300

interface Lateness {
  /** Whether an update ever showed later than at once. */
  isLate: boolean
  /** How many updates did not show to the end of the wait. */
  inVain: number
}

const latenessOf = new WeakMap<Run, Lateness>()

/**
 * Looks at a contact until it shows an update: a cache may still hold what was shown some updates ago. Gives what was seen
 * last.
 */
export async function untilItShows<T>(
  session: Session,
  look: () => Promise<T | undefined>,
  isShown: (seen: T) => boolean,
): Promise<T | undefined> {
  const lateness = latenessOf.get(session.run) ?? { isLate: false, inVain: 0 }
  latenessOf.set(session.run, lateness)
  let looks = 0
  const seen = await eventually(
    session,
    () => {
      looks++
      return look()
    },
    (now) => now !== undefined && isShown(now),
    !lateness.isLate && lateness.inVain >= WAITS_IN_VAIN ? SHORT_PATIENCE_MS : undefined,
  )
  if (seen !== undefined && isShown(seen)) lateness.isLate ||= looks > 1
  else if (seen !== undefined) lateness.inVain++
  return seen
}
