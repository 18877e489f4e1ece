import type { ServiceTime } from '../../fixtures/service/time.ts'
import type { Time } from '../engine/time/time.ts'

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

/**
 * Time that passes only while a run and its service have nothing to do but wait: what is waited for then comes at once,
 * in the order in which it would have come.
 */
export class SimulatedTime implements Time, ServiceTime {
  #now = Date.now()
  /** Answers that are being made. */
  #busy = 0
  #isPassing = false
  readonly #sleepers = new Set<Sleeper>()

  readonly now = (): number => this.#now

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (how: () => void) => (): void => {
        this.#sleepers.delete(sleeper)
        signal?.removeEventListener('abort', abort)
        how()
      }
      const abort = end(() => reject(signal!.reason as Error))
      const sleeper = { until: this.#now + ms, wake: end(resolve) }
      this.#sleepers.add(sleeper)
      if (signal?.aborted) abort()
      signal?.addEventListener('abort', abort)
      this.#pass()
    })

  /** No time passes while this is done, but for what it waits for with {@link hold}. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1
    try {
      return await work()
    } finally {
      this.#busy -= 1
      this.#pass()
    }
  }

  async hold(ms: number): Promise<void> {
    this.#busy -= 1
    await this.sleep(ms)
    this.#busy += 1
  }

  later(ms: number, action: () => void): void {
    void this.sleep(ms).then(action)
  }

  /** Lets time pass to the next that is waited for, once all that can be done before is done. */
  #pass(): void {
    if (this.#isPassing) return
    this.#isPassing = true
    setImmediate(() => {
      this.#isPassing = false
      if (this.#busy > 0 || this.#sleepers.size === 0) return
      const next = [...this.#sleepers].reduce((first, one) => (one.until < first.until ? one : first))
      this.#now = Math.max(this.#now, next.until)
      next.wake()
      this.#pass()
    })
  }
}
