import { endOf, isHang, type Exchange } from '../http/exchange.ts'

/** What has hung this often in a row is not asked any more. */
const HANGS_IN_VAIN = 2
const HANGS_IN_VAIN_AT_LAST = 1
/** Time lost to hanging requests, in milliseconds, after which none is waited for at full length. */
const LOST_AT_MOST_MS = 25_000
/** The same, after which none is given more than what has answered before would need. */
const MUCH_LOST_MS = 45_000
/** Once patience is short: how many times as long as the slowest answer so far, how long at least, and at most. */
const TIMES_THE_SLOWEST = 5
const SHORTEST_MS = 1000
const LONGEST_SHORT_MS = 3000

/**
 * How long an answer is waited for, learned per kind of request: what has hung is not waited for again and again, so that
 * a target which hangs here and there, or everywhere, is judged in little more than a minute.
 */
export class Patience {
  readonly #fullMs: number
  /** By kind of request: hangs in a row, each begun after the one before, and when the last one ended. */
  readonly #hangs = new Map<string, { readonly times: number; readonly until: number }>()
  #isShort = false
  #all = 0
  #slowestMs = 0
  #lostMs = 0
  /** Up to when lost time has been counted: what hangs at the same time costs it once. */
  #countedUntil = 0

  /** @param fullMs how long a request may take, in milliseconds. */
  constructor(fullMs: number) {
    this.#fullMs = fullMs
  }

  /** How many requests hung. */
  get hangs(): number {
    return this.#all
  }

  /** Time that was lost to requests that hung, in milliseconds. */
  get lostMs(): number {
    return this.#lostMs
  }

  /** Milliseconds that the next request of a kind is given; undefined where it is not to be sent. */
  with(kind: string): number | undefined {
    const isPatient = !this.#isShort && this.#lostMs < LOST_AT_MOST_MS
    const most = isPatient ? HANGS_IN_VAIN : HANGS_IN_VAIN_AT_LAST
    if ((this.#hangs.get(kind)?.times ?? 0) >= most) return undefined
    if (isPatient) return this.#fullMs
    if (this.#lostMs >= MUCH_LOST_MS) return this.shortMs
    // What hangs elsewhere tells little of how slow this kind may be.
    return Math.max(this.shortMs, Math.min(LONGEST_SHORT_MS, this.#fullMs))
  }

  /** Milliseconds in which a target that has answered before would have answered again. */
  get shortMs(): number {
    const enough = Math.min(LONGEST_SHORT_MS, Math.max(SHORTEST_MS, this.#slowestMs * TIMES_THE_SLOWEST))
    return Math.min(this.#fullMs, Math.max(enough, this.#slowestMs * 1.5))
  }

  /** Learns from what became of a request. */
  learn(kind: string, exchange: Exchange): void {
    const { response, durationMs, startedAt } = exchange
    if (!isHang(exchange)) {
      this.#hangs.delete(kind)
      if (response) this.#slowestMs = Math.max(this.#slowestMs, durationMs)
      return
    }
    this.#all++
    const [began, ended] = [startedAt.getTime(), endOf(exchange)]
    const { times, until } = this.#hangs.get(kind) ?? { times: 0, until: 0 }
    this.#hangs.set(kind, { times: began >= until ? times + 1 : times, until: Math.max(until, ended) })
    this.#lostMs += Math.max(0, ended - Math.max(began, this.#countedUntil))
    this.#countedUntil = Math.max(this.#countedUntil, ended)
  }

  /** Lets each kind of request hang once more, whether it has or not, and not for long. */
  renew(): void {
    this.#hangs.clear()
    this.#isShort = true
  }
}
