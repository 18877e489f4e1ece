import type { Clock } from '../time/clock.ts'

/** Answers from which a pace is learned, at least. */
export const ENOUGH_FOR_A_PACE = 20
/** Answers in a row without a refusal, after which twice the pace is tried: at first, and twice as many each time in vain. */
const ENOUGH_TO_SPEED_UP = 30
/** Refusals in a row, at a pace, that came after no more answers than the first did: a pace is of no use. */
const REFUSALS_AT_ANY_PACE = 3
/** Unless one was refused so often, ever later: then it is the time that counts. */
export const REFUSALS_OF_A_QUOTA = 4

/** How far apart requests are sent, as learned from when they were refused for their number. */
export class Pace {
  readonly #clock: Clock
  /** When refusals ended, and how many answers had come by then. */
  readonly #marks: { at: number; answers: number }[]
  #answers = 0
  #sinceRefusal = 0
  #enoughToSpeedUp = ENOUGH_TO_SPEED_UP
  #intervalMs = 0
  /** How many answers came before the first refusal, and how many refusals at a pace came after no more. */
  #beforeFirst: number | undefined
  #unhelped = 0
  #isQuota = false
  #isRefusedAgain = false

  constructor(clock: Clock) {
    this.#clock = clock
    this.#marks = [{ at: clock.now, answers: 0 }]
  }

  /** How many requests were answered. */
  get answers(): number {
    return this.#answers
  }

  /** Milliseconds between two requests; 0 where none was refused. */
  get intervalMs(): number {
    return this.#intervalMs
  }

  /** Whether requests were refused again, for a moment, though they were spaced out: it may be how many there are at once that counts. */
  get isRefusedAgain(): boolean {
    return this.#isRefusedAgain
  }

  /** Notes an answer that was no refusal. */
  answered(): void {
    this.#answers++
    if (this.#intervalMs > 0 && ++this.#sinceRefusal % this.#enoughToSpeedUp === 0) this.#intervalMs /= 2
  }

  /** Notes that requests are answered again which were not, for another reason than their number. */
  resumed(): void {
    this.#marks.push({ at: this.#clock.now, answers: this.#answers })
  }

  /** Sends requests as fast as they come. */
  forget(): void {
    this.#intervalMs = 0
  }

  /**
   * Learns from the number of requests accepted between two refusals, over the time from one to the other, pause included.
   * @param refusals how often the same request was refused.
   */
  learn(refusals: number): void {
    const now = this.#clock.now
    const between = this.#answers - this.#marks.at(-1)!.answers
    this.#beforeFirst ??= between
    this.#isRefusedAgain ||= this.#intervalMs > 0 && refusals < REFUSALS_OF_A_QUOTA
    // Every so many requests may be refused however slowly they come: they are retried, and no longer spaced out.
    this.#isQuota ||= refusals >= REFUSALS_OF_A_QUOTA
    if (this.#sinceRefusal >= this.#enoughToSpeedUp) this.#enoughToSpeedUp *= 2
    if (this.#unhelped < REFUSALS_AT_ANY_PACE && !this.#isQuota)
      this.#unhelped = this.#intervalMs > 0 && between <= this.#beforeFirst ? this.#unhelped + 1 : 0
    const since = this.#marks.findLast(({ answers }) => this.#answers - answers >= ENOUGH_FOR_A_PACE) ?? this.#marks[0]!
    this.#intervalMs =
      this.#unhelped >= REFUSALS_AT_ANY_PACE ? 0 : (now - since.at) / Math.max(1, this.#answers - since.answers)
    this.#sinceRefusal = 0
    this.resumed()
  }
}
