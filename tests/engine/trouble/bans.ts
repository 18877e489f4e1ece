import { requestLine, type Exchange } from '../http/exchange.ts'
import { ENOUGH_FOR_A_PACE } from './pace.ts'
import { Unanswered } from './unanswered.ts'

/** A call sent by itself, after which the target is down for so long, is what it turns everybody away for. */
const SHORTEST_MS = 2000
/** Of bad tokens several are sent at once, and one outage among them may be anything's. */
const TIMES_FOR_BAD_TOKENS = 2
/** So many one after the other are an outage. */
const MOST_IN_A_ROW = 4

const BAD_TOKENS = 'bad tokens'

/** A call, by which it is known when it comes again; all that must be refused for their token are one. */
interface Sent {
  readonly key: string
  readonly mustBeRefused: boolean
}

/** What calls a target turned everybody away for, for some seconds, as a firewall does for a text. */
export class Bans {
  readonly #known = new Map<string, Unanswered>()
  #timesForBadTokens = 0
  #inARow = 0
  /** How many answers had come at the last one. */
  #answers = 0

  get areKnown(): boolean {
    return this.#known.size > 0
  }

  /** @throws Unanswered where a call has brought a ban. */
  check(sent: Sent): void {
    const known = this.#known.get(nameOf(sent))
    if (known) throw known
  }

  /** Forgets them: each call may be sent again. */
  clear(): void {
    this.#known.clear()
  }

  /**
   * Whether there may be one more; else it is an outage.
   * @param answers how many have come in the run.
   */
  mayGoOn(answers: number): boolean {
    return this.#inARow < MOST_IN_A_ROW || this.#isApart(answers)
  }

  /**
   * Learns from an outage that is over whether it was a ban.
   * @param at the call that met it, and whether no other was sent since the target was seen up.
   * @throws Unanswered where it was.
   */
  learn(at: Exchange, sent: Sent & { readonly isAlone: boolean }, ms: number, answers: number): void {
    const { isAlone, mustBeRefused } = sent
    if (ms < SHORTEST_MS || !(isAlone || mustBeRefused)) return
    this.#inARow = this.#isApart(answers) ? 1 : this.#inARow + 1
    this.#answers = answers
    if (mustBeRefused && ++this.#timesForBadTokens < TIMES_FOR_BAD_TOKENS) return
    const what = mustBeRefused ? 'Bad tokens were' : `${requestLine(at)} was`
    const seconds = Math.round(ms / 1000)
    const banned = new Unanswered(
      at.operation,
      `${what} followed by some ${seconds} s in which the target turned everybody away (exchange ${at.number}), and not sent again; let the run's address pass where a firewall does so`,
    )
    this.#known.set(nameOf(sent), banned)
    throw banned
  }

  #isApart(answers: number): boolean {
    return answers - this.#answers >= ENOUGH_FOR_A_PACE
  }
}

function nameOf({ key, mustBeRefused }: Sent): string {
  return mustBeRefused ? BAD_TOKENS : key
}
