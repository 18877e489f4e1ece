import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MS = 100
const PATIENCE_MS = 1500

/** Looks again and again until what is seen is as hoped for, or patience runs out; gives what was seen last. */
export async function eventually<T>(
  look: () => Promise<T>,
  hopedFor: (seen: T) => boolean,
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  const end = Date.now() + patienceMs
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const seen = await look()
    if (hopedFor(seen) || Date.now() + pause > end) return seen
    await sleep(pause)
  }
}
