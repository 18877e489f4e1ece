import pLimit from 'p-limit'
import { isPage } from '../http/answer.ts'
import { Bans } from './bans.ts'
import type { Clock } from '../time/clock.ts'
import { isHang, requestLine, type Exchange } from '../http/exchange.ts'
import {
  isOfAGateway,
  isRedirect,
  isThrottled,
  isTransient,
  isTrouble,
  isUp,
  isWithoutReason,
  retryAfterMs,
} from './kinds-of-trouble.ts'
import { ENOUGH_FOR_A_PACE, Pace, REFUSALS_OF_A_QUOTA } from './pace.ts'
import { Unanswered } from './unanswered.ts'

const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 5000
/** With the pauses between them, which double, what lasts some nine seconds is waited out for one call. */
const MOST_ATTEMPTS = 7
/** How long a redirect of every call is waited out, which may come of a restart and is more likely to be a login. */
const REDIRECTED_MS = 10_000
/** What was retried at full length in vain is not retried so again; nor is anything else, once so many calls were. */
const ATTEMPTS_WITHOUT_HOPE = 3
const MOST_IN_VAIN = 2
/** How often one call is waited for, which may be what brings the target down. */
const TIMES_WAITED_FOR_ONE = 8
/** What the control call has just told need not be asked again. */
const CONTROL_HOLDS_MS = 500

/** How long trouble that says nothing of its end is waited out, in milliseconds. */
export interface WaitLimits {
  /** Each time that requests are refused for their number. */
  readonly quotaMs: number
  /** Each time that the target is down; one outage and the next are one, unless enough was answered in between. */
  readonly outageMs: number
  /** The same, where nothing at all comes back: it is no limit by the minute then. */
  readonly silenceMs: number
}

const THROTTLED = 'requests were refused for their number'
const DOWN = 'the target was down'
const SPACED = 'requests were spaced out'
const SENT_AGAIN = 'single requests were sent again'

/** What was waited for, how often and how long in all. */
export interface Waiting {
  readonly what: typeof THROTTLED | typeof DOWN | typeof SPACED | typeof SENT_AGAIN | 'requests hung'
  readonly times: number
  readonly seconds: number
}

interface Counted {
  readonly times: number
  readonly ms: number
}

/** What was waited for, in seconds. */
export function waitingFor(what: Waiting['what'], { times, ms }: Counted): Waiting {
  return { what, times, seconds: Math.round(ms / 100) / 10 }
}

/** The target went down and did not come back while it was waited for, or went down again and again. */
export class TargetDown extends Error {
  override readonly name = 'TargetDown'
}

/** Every call is redirected, as to a login when a token has expired. */
export class Redirected extends Error {
  override readonly name = 'Redirected'
  readonly exchange: Exchange

  constructor(exchange: Exchange) {
    super('redirected')
    this.exchange = exchange
  }
}

/** Sends a call that tells whether something works; gives undefined where none has worked yet. */
type Control = () => Promise<Exchange | undefined>

/** How it is told whether an operation works by itself. */
export interface OwnControl {
  readonly ask: Control
  /** Whether it is another call than the one in question. */
  readonly isOther: boolean
  /** Whether a call of the same list, or of the same record, has worked for the same company. */
  readonly hasWorked: boolean
  /** Whether any call of the operation has worked. */
  readonly hasWorkedAnywhere: boolean
}

/** How a call is sent again, and how it is told whether anything works. */
interface Ways {
  /** Sends the call once more. */
  readonly again: () => Promise<Exchange>
  /** Sends a plain call that has worked before, of another operation where there is one; undefined where none has. */
  readonly control: Control
  /** When a control call has brought a fresh token, as a date in milliseconds. */
  readonly renewedAt: () => number
  readonly own: OwnControl
  /** Whether the call must be refused: then it is sent again only where the target did not get to it. */
  readonly mustBeRefused: boolean
  /** The operation, or another name for what may be out of order by itself. */
  readonly part: string
  /** The call, by which it is known when it comes again: a firewall drops one for its text, however often it is sent. */
  readonly key: string
}

interface WaysWhereDown extends Ways {
  /** Whether no other call was sent since the target was seen up. */
  readonly isAlone: boolean
}

/** What came at last, and whether sending the call again is of no use. */
interface Outcome {
  readonly exchange: Exchange
  readonly isFinal: boolean
}

/**
 * Waits out what is no fault of the answers: limits on the number of requests, outages, broken connections. While one
 * request waits all others do, and a control call tells a target that is down from a call that is never answered.
 */
export class Trouble {
  readonly #limits: WaitLimits
  readonly #clock: Clock
  readonly #pace: Pace
  readonly #turn = pLimit(1)
  /** Calls that wait, or wait for their turn to. */
  #waiting = 0
  readonly #waited = new Map<Waiting['what'], Counted>()
  /** Parts and calls that got no final answer, however often they were asked. */
  readonly #hopeless = new Set<string>()
  /** Calls that were retried at full length in vain since that last helped. */
  #inVain = 0
  #isEnding = false
  /** Refusals for the number of requests outlasted the limit once. */
  #isThrottledForGood = false
  #lastControl = { at: -Infinity, isUp: false }
  /** An operation that was refused for the moment, while others were answered, outlasted the limit. */
  #isPartDownForGood = false
  /** Parts that were waited for in vain and have not been answered since, each with what it was answered. */
  readonly #down = new Map<string, Exchange>()
  readonly #bans = new Bans()
  /** Up to when a part takes no requests, which is longer than the run lasts. */
  readonly #closed = new Map<string, { until: number; at: Exchange }>()
  /** What single calls were answered while a plain one of the same operation worked, as a gateway might have. */
  readonly #ownAnswers = new Set<string>()
  /** When the last pause or outage was over, as a date in milliseconds. */
  #overAt = 0
  /** The last outage: how long it was waited for, and how many answers had come when it was over. */
  #outage = { ms: 0, answers: 0 }

  constructor(limits: WaitLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
    this.#pace = new Pace(clock)
  }

  /** Milliseconds between two requests, as learned from refusals; 0 where there were none. */
  get intervalMs(): number {
    return this.#pace.intervalMs
  }

  /** What a part was answered that was waited for in vain while others were answered, and not answered since. */
  downFor(part: string): Exchange | undefined {
    return this.#down.get(part)
  }

  get waited(): readonly Waiting[] {
    return [...this.#waited].map(([what, counted]) => waitingFor(what, counted))
  }

  /** Whether the target turns everybody away after some calls: which one it was can be told only of one at a time. */
  get isBanning(): boolean {
    return this.#bans.areKnown
  }

  /** Whether one request is to be sent at a time. */
  get isOneAtATime(): boolean {
    return this.isBanning || this.#pace.isRefusedAgain
  }

  /** @throws Unanswered where a call that has not been sent yet would be of no use, or would do harm. */
  check({ part, key, mustBeRefused }: Pick<Ways, 'part' | 'key' | 'mustBeRefused'>): void {
    const closed = this.#closed.get(part)
    if (closed && this.#clock.now < closed.until) throw throttled(closed.at)
    this.#bans.check({ key, mustBeRefused })
  }

  /**
   * Forgets what was waited for in vain, so that it is waited for again, and the pace: the few requests that are left have
   * little time. Nothing that hangs is waited for, as the run is to end.
   */
  renew(): void {
    this.#isEnding = true
    this.#down.clear()
    this.#pace.forget()
    this.#isThrottledForGood = false
    this.#hopeless.clear()
    this.#inVain = 0
    this.#closed.clear()
    this.#bans.clear()
  }

  /** Resolves when nothing is being waited out. */
  async calm(): Promise<void> {
    while (this.#waiting > 0) await this.#turn(() => undefined)
  }

  /**
   * Gives an exchange that is final: what it was given, or what came when the call was sent again.
   * @throws Unanswered where requests are refused for their number, or an operation is down, for longer than is waited.
   * @throws TargetDown where the target doesn't come back; Redirected where it only redirects.
   */
  settle(first: Exchange, ways: Ways): Promise<Exchange> | Exchange {
    if (isTransient(first) && !isThrottled(first) && this.#down.has(ways.part) && !ways.mustBeRefused) {
      if (ways.own.hasWorkedAnywhere) throw down(first)
      return first
    }
    if (!isTrouble(first) || (isHang(first) && this.#isEnding)) return this.#note(ways, first)
    this.#waiting++
    return this.#turn(async () => {
      // What others have waited for may be over for this call too.
      const isOver = first.startedAt.getTime() < Math.max(this.#overAt, ways.renewedAt())
      let current = isOver ? await ways.again() : first
      for (let time = 0; time < TIMES_WAITED_FOR_ONE && isTrouble(current); time++) {
        const pause = Math.min(FIRST_PAUSE_MS * 2 ** time, LONGEST_PAUSE_MS)
        const isAlone = isOver || time > 0 || this.isBanning
        const next = await (isThrottled(current)
          ? this.#waitForQuota(current, ways, pause)
          : this.#waitForUp(current, { ...ways, isAlone }, pause))
        current = next.exchange
        if (next.isFinal) return this.#note(ways, current)
      }
      if (isThrottled(current)) throw throttled(current)
      return this.#note(ways, current)
    }).finally(() => this.#waiting--)
  }

  #note({ part, key }: Ways, exchange: Exchange): Exchange {
    if (isTrouble(exchange)) return exchange
    this.#hopeless.delete(part)
    this.#hopeless.delete(key)
    this.#down.delete(part)
    this.#pace.answered()
    return exchange
  }

  /** A rate limit: the call is retried until it is accepted, or, where it must be refused, until a control call is. */
  async #waitForQuota(first: Exchange, ways: Ways, firstPause: number): Promise<Outcome> {
    // A bad token may be answered so, whatever the number of requests.
    if (ways.mustBeRefused && (await this.#isUp(ways, first))) return { exchange: first, isFinal: true }
    const probe = async () => (ways.mustBeRefused ? await ways.control() : undefined) ?? (await ways.again())
    const begun = this.#clock.now
    const limit = this.#isThrottledForGood ? firstPause : this.#limits.quotaMs
    let current = first
    let isTold = false
    let refusals = 0
    for (let pause = firstPause; isThrottled(current); pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const asked = retryAfterMs(current, this.#clock.now)
      isTold ||= asked !== undefined
      const wait = asked ?? pause
      const waitedMs = this.#clock.now - begun
      if (wait > this.#clock.leftMs || (asked === undefined && waitedMs + wait > limit)) {
        this.#isThrottledForGood = true
        if (asked !== undefined) this.#closed.set(ways.part, { until: this.#clock.now + asked, at: current })
        this.#count(THROTTLED, waitedMs)
        throw throttled(current)
      }
      await this.#clock.sleep(wait)
      current = await probe()
      refusals++
    }
    this.#isThrottledForGood = false
    this.#count(THROTTLED, this.#clock.now - begun)
    // A target that sends Retry-After says itself when to retry.
    if (!isTold && !this.#isEnding) this.#pace.learn(refusals)
    return { exchange: ways.mustBeRefused ? await ways.again() : current, isFinal: false }
  }

  /** An outage, or a broken connection: where a control call works, the call itself is what is out of order. */
  async #waitForUp(first: Exchange, ways: WaysWhereDown, firstPause: number): Promise<Outcome> {
    if (ways.mustBeRefused || isHang(first) || isOfAGateway(first)) return this.#waitForUpOnce(first, ways)
    // Of a limit on the number of requests that is told as an outage, the control call tells at once; not so where it goes on.
    const mayBeQuota = isTransient(first) && this.#pace.intervalMs > 0 && firstPause === FIRST_PAUSE_MS
    if (mayBeQuota && !(await this.#isUp(ways, first))) {
      await this.#outlast(first, ways)
      return { exchange: await ways.again(), isFinal: false }
    }
    const isHopeless = this.#inVain >= MOST_IN_VAIN || this.#hopeless.has(ways.part) || this.#hopeless.has(ways.key)
    const attempts = isHopeless ? ATTEMPTS_WITHOUT_HOPE : MOST_ATTEMPTS
    let current = first
    // A call that was answered once is none that is never answered, though its connection breaks at last.
    let final = first
    let pause = firstPause
    for (let attempt = 2; attempt <= attempts; attempt++) {
      const wait = retryAfterMs(current, this.#clock.now) ?? pause
      if (wait > this.#limits.outageMs || wait > this.#clock.leftMs) return { exchange: final, isFinal: true }
      await this.#clock.sleep(wait)
      this.#add(SENT_AGAIN, wait)
      current = await ways.again()
      if (current.response || !final.response) final = current
      if (!isTrouble(current) || isThrottled(current)) {
        if (attempt > ATTEMPTS_WITHOUT_HOPE) this.#inVain = 0
        return { exchange: current, isFinal: false }
      }
      if (!(await this.#isUp(ways, current))) {
        await this.#outlast(current, ways)
        return { exchange: await ways.again(), isFinal: false }
      }
      if (await this.#isPartUpAgain(ways, current)) return { exchange: await ways.again(), isFinal: false }
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
    this.#inVain++
    this.#hopeless.add(ways.part)
    this.#hopeless.add(ways.key)
    return { exchange: final, isFinal: true }
  }

  /**
   * A call that hung, that must be refused, or that may rightly be answered so, is sent once more where the target was
   * down. A connection that was dropped may have been broken.
   */
  async #waitForUpOnce(first: Exchange, ways: WaysWhereDown): Promise<Outcome> {
    if (!(await this.#isUp(ways, first))) await this.#outlast(first, ways)
    else if (first.startedAt.getTime() >= ways.renewedAt() && !(await this.#isPartUpAgain(ways, first)))
      return { exchange: first.failure?.kind === 'dropped' ? await ways.again() : first, isFinal: true }
    return { exchange: await ways.again(), isFinal: false }
  }

  /** Whether an operation alone was refused for the moment, as for the number of its requests, and is so no more. */
  async #isPartUpAgain({ own, mustBeRefused, part }: Ways, at: Exchange): Promise<boolean> {
    // Of a target that has answered nothing yet, no part is by itself.
    const mayPass = (isTransient(at) && this.#pace.answers > 0) || (own.hasWorked && isOfAGateway(at))
    if (this.#isPartDownForGood || !mayPass || (mustBeRefused && !own.isOther)) return false
    if (own.isOther && (await own.ask())?.response?.status !== at.response!.status) {
      if (!isTransient(at)) this.#ownAnswers.add(answerOf(at))
      return false
    }
    if (!own.isOther && this.#ownAnswers.has(answerOf(at))) return false
    try {
      const limitMs = own.hasWorked ? this.#limits.outageMs : this.#limits.silenceMs
      // The call itself may rightly be answered as a gateway answers.
      await this.#untilUp(own.ask, at, limitMs, isTransient(at) ? (now) => !isTrouble(now) : isUp)
      return true
    } catch (error) {
      if (!(error instanceof TargetDown || error instanceof Redirected)) throw error
      this.#isPartDownForGood = true
      this.#down.set(part, at)
      return false
    }
  }

  /**
   * Waits until the target is up again.
   * @throws Unanswered where the call is what it was down for: a firewall turns everybody away who has sent some text.
   */
  async #outlast(at: Exchange, ways: WaysWhereDown): Promise<void> {
    const begun = this.#clock.now
    // Each ban is an outage of its own.
    if (ways.isAlone && this.#bans.mayGoOn(this.#pace.answers)) this.#outage = { ...this.#outage, ms: 0 }
    await this.#untilUp(ways.control, at)
    if (!this.#isEnding) this.#bans.learn(at, ways, this.#clock.now - begun, this.#pace.answers)
  }

  async #untilUp(
    control: Control,
    at: Exchange,
    limitMs: number = at.response ? this.#limits.outageMs : this.#limits.silenceMs,
    isBack: (exchange: Exchange) => boolean = isUp,
  ): Promise<void> {
    const begun = this.#clock.now
    const isAnother = this.#pace.answers - this.#outage.answers >= ENOUGH_FOR_A_PACE
    const before = isAnother ? 0 : this.#outage.ms
    let last = at
    // What comes again and again lasts about as long each time.
    const firstPause = isAnother ? Math.max(FIRST_PAUSE_MS, this.#outage.ms / 4) : FIRST_PAUSE_MS
    for (let pause = firstPause; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const waitedMs = this.#clock.now - begun
      const most = isRedirect(last) ? Math.min(limitMs, REDIRECTED_MS) : limitMs
      const wait = Math.min(pause, most - before - waitedMs)
      if (wait <= 0 && isRedirect(last)) {
        this.#add(SENT_AGAIN, waitedMs)
        throw new Redirected(last)
      }
      if (wait <= 0) {
        this.#count(DOWN, waitedMs)
        const seconds = Math.round((before + waitedMs) / 1000)
        const sign = isWithoutReason(at) ? `status ${at.response!.status}` : isPage(at) ? 'a page of HTML' : undefined
        const orRefused = sign === undefined ? '' : `, or took the token no more (${sign}),`
        const again = before > 0 ? ', not for the first time' : ''
        throw new TargetDown(
          `The target was down${orRefused} at ${requestLine(at)} (exchange ${at.number})${again}, and was waited for ${seconds} s in all.`,
        )
      }
      await this.#clock.sleep(wait)
      const exchange = await control()
      if (!exchange || isBack(exchange)) break
      last = exchange
    }
    this.#lastControl = { at: this.#clock.now, isUp: true }
    const ms = this.#clock.now - begun
    // One that comes again and again is how some targets limit the number of requests.
    const isQuota = at.response && isAnother && this.#waited.has(DOWN) && !this.isBanning
    if (isQuota && !this.#isEnding) this.#pace.learn(REFUSALS_OF_A_QUOTA)
    else this.#pace.resumed()
    this.#outage = { ms: before + ms, answers: this.#pace.answers }
    this.#count(DOWN, ms)
  }

  /** Whether a plain call works, of which it is known that it did: asked after another call went wrong. */
  async #isUp({ control }: Ways, { startedAt }: Exchange): Promise<boolean> {
    const { now } = this.#clock
    const { at, isUp: wasUp } = this.#lastControl
    // A date has whole milliseconds.
    if (at >= startedAt.getTime() + 1 && now - at < CONTROL_HOLDS_MS) return wasUp
    const exchange = await control()
    this.#lastControl = { at: now, isUp: !exchange || isUp(exchange) }
    return this.#lastControl.isUp
  }

  /** Notes that a request waited for its turn, some milliseconds, at the pace that was learned. */
  countSpacing(ms: number): void {
    this.#add(SPACED, ms)
  }

  /** Notes that the target was waited for, some milliseconds, before anything was asked of it. */
  countOutage(ms: number): void {
    this.#count(DOWN, ms)
  }

  #count(what: Waiting['what'], ms: number): void {
    this.#overAt = this.#clock.now
    this.#add(what, ms)
  }

  #add(what: Waiting['what'], ms: number): void {
    const before = this.#waited.get(what) ?? { times: 0, ms: 0 }
    this.#waited.set(what, { times: before.times + 1, ms: before.ms + ms })
  }
}

/** An answer, by which it is known when it comes again. */
function answerOf({ response }: Exchange): string {
  return `${response?.status} ${response?.body.toString()}`
}

function throttled(exchange: Exchange): Unanswered {
  const refused = `${requestLine(exchange)} was refused with 429 again and again (exchange ${exchange.number})`
  return new Unanswered(
    exchange.operation,
    `The target's rate limit is too low for the suite's pace: ${refused}; set MAX_REQUESTS_PER_SECOND, and MAX_DURATION_S where that takes longer`,
  )
}

function down(exchange: Exchange): Unanswered {
  const refused = `${requestLine(exchange)} was answered with ${exchange.response!.status} as long as it was waited for`
  return new Unanswered(
    exchange.operation,
    `${refused} (exchange ${exchange.number}), while others worked; run again when the target is well`,
  )
}
