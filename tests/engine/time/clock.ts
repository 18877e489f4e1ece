import { setMaxListeners } from 'node:events'
import { realTime, type Time } from './time.ts'

/** The run is to end: nothing is asked any more, but for what puts the target back as it was. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded'
}

/** What is said of whatever an interruption leaves out. */
export const WAS_INTERRUPTED = 'The run was interrupted.'

/** The time that a run has. Nothing waits longer than it lasts. */
export class Clock {
  #until: number
  #ended = endable()
  #tooLate: string
  readonly #time: Time

  /**
   * @param ms how long the run may take, in milliseconds.
   * @param tooLate what is said of whatever comes later, in a sentence.
   */
  constructor(ms: number, tooLate: string, time: Time = realTime) {
    this.#time = time
    this.#until = time.now() + ms
    this.#tooLate = tooLate
  }

  /** What time it is, in milliseconds since 1970. */
  get now(): number {
    return this.#time.now()
  }

  /** Milliseconds that are left; 0 where the run is to end. */
  get leftMs(): number {
    return this.#ended.signal.aborted ? 0 : Math.max(0, this.#until - this.now)
  }

  /** @throws RunEnded where no time is left. */
  check(): void {
    this.#ended.signal.throwIfAborted()
    if (this.leftMs === 0) throw new RunEnded(this.#tooLate)
  }

  /**
   * Waits some milliseconds.
   * @throws RunEnded as soon as no time is left.
   */
  async sleep(ms: number): Promise<void> {
    const { signal } = this.#ended
    await this.#time.sleep(Math.min(ms, this.leftMs), signal).catch(() => undefined)
    this.check()
  }

  /** Ends the run for a reason, in a sentence: whatever waits fails with it. */
  end(reason: string): void {
    this.#ended.abort(new RunEnded(reason))
  }

  /** Gives some milliseconds more, from now on, also to a run that has been ended; `tooLate` as before. */
  extend(ms: number, tooLate: string): void {
    this.#ended = endable()
    this.#tooLate = tooLate
    this.#until = this.now + ms
  }
}

/** Any number of calls may wait at once. */
function endable(): AbortController {
  const ended = new AbortController()
  setMaxListeners(0, ended.signal)
  return ended
}
