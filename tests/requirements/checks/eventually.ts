import type { Session } from '../../engine/session.ts'

const FIRST_PAUSE_MS = 100
const PATIENCE_MS = 6300

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
    if (hopedFor(seen) || waited + pause > patienceMs) return seen
    await session.pause(pause)
    waited += pause
  }
}
