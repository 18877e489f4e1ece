/* oxlint-disable no-underscore-dangle -- HAR wants the names of other members to begin with one. */
import { RunEnded } from '../engine/time/clock.ts'
import type { EvidenceEntry } from '../reporting/result/evidence-har.ts'
import type { Caller, Failure, ReceivedResponse } from '../engine/http/exchange.ts'
import type { Time } from '../engine/time/time.ts'
import type { Wire, WireRequest } from '../engine/http/transport.ts'

/** Recorded times are whole milliseconds, and a timer may end a little too soon. */
const TOLERANCE_MS = 50

/** An answer that was recorded, when it was asked for, and when it came, both in milliseconds since 1970. */
interface Recorded {
  readonly entry: EvidenceEntry
  readonly startedAt: number
  readonly at: number
}

/** A request that was recorded earlier than it could be sent. */
interface Early {
  readonly exchange: number
  readonly ms: number
}

interface Waiting {
  /** When it is over, in milliseconds since 1970. */
  readonly at: number
  /** What comes at the same time comes in this order. */
  readonly rank: number
  readonly end: () => void
}

/**
 * A recorded run in place of its target: each request gets the answer that it got then, in the order in which they came,
 * and time passes as it did then, in no time.
 */
export class Recording implements Wire, Time {
  /** Requests to which the recording has no answer, or no more. */
  readonly unanswered: string[] = []
  /** Numbers of the exchanges whose answer is not whole, and was asked for. */
  readonly incomplete: number[] = []
  /** What was answered, in the order of the answers. */
  readonly answered: EvidenceEntry[] = []
  /** Requests that the evidence has before all was over that comes before them: answers, and waiting. */
  readonly early: Early[] = []
  readonly #answers = new Map<string, Recorded[]>()
  readonly #waiting = new Set<Waiting>()
  #now: number
  #isStepping = false

  constructor(entries: readonly EvidenceEntry[]) {
    this.#now = Math.min(...entries.map(({ startedDateTime }) => Date.parse(startedDateTime)))
    let at = this.#now
    for (const entry of entries) {
      const startedAt = Date.parse(entry.startedDateTime)
      // They are numbered in the order in which their answers came.
      at = Math.max(at, startedAt + entry.time)
      const { method, url, postData } = entry.request
      const key = keyOf(method, pathOf(url), entry._caller, postData?.text)
      this.#answers.set(key, [...(this.#answers.get(key) ?? []), { entry, startedAt, at }])
    }
    // Of requests that are alike, the first to be sent may be answered last.
    for (const alike of this.#answers.values()) alike.sort((a, b) => a.startedAt - b.startedAt)
  }

  /** Numbers of the exchanges that nobody has asked for. */
  get unasked(): number[] {
    return [...this.#answers.values()]
      .flatMap((left) => left.map(({ entry }) => entry._exchange))
      .toSorted((a, b) => a - b)
  }

  readonly now = (): number => this.#now

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const waiting = this.#wait(this.#now + ms, 0, resolve)
      signal?.addEventListener('abort', () => {
        this.#waiting.delete(waiting)
        reject(signal.reason as Error)
      })
    })

  async send({ method, target, caller, body }: WireRequest): Promise<ReceivedResponse | Failure> {
    const recorded = this.#answers.get(keyOf(method, target, caller, body))?.shift()
    if (!recorded) {
      const line = `${method} ${target}`
      this.unanswered.push(line)
      throw new RunEnded(`the evidence has no answer to ${line}`)
    }
    const { entry, startedAt, at } = recorded
    const ms = this.#now - startedAt
    if (ms > TOLERANCE_MS) this.early.push({ exchange: entry._exchange, ms })
    await new Promise<void>((resolve) => this.#wait(at, entry._exchange, resolve))
    this.answered.push(entry)
    if (entry._failure) return entry._failure
    if (entry.response.content.comment !== undefined) this.incomplete.push(entry._exchange)
    return responseOf(entry)
  }

  readonly close = (): Promise<void> => Promise.resolve()

  #wait(at: number, rank: number, end: () => void): Waiting {
    const waiting = { at, rank, end }
    this.#waiting.add(waiting)
    if (!this.#isStepping) setImmediate(() => this.#step())
    this.#isStepping = true
    return waiting
  }

  /** Ends what is over first, once everything that can go on has gone on. */
  #step(): void {
    let next: Waiting | undefined
    for (const one of this.#waiting)
      if (!next || one.at < next.at || (one.at === next.at && one.rank < next.rank)) next = one
    this.#isStepping = next !== undefined
    if (!next) return
    this.#waiting.delete(next)
    this.#now = Math.max(this.#now, next.at)
    next.end()
    setImmediate(() => this.#step())
  }
}

/** What tells a request from others: what it asks, and who does. */
function keyOf(method: string, target: string, caller: Caller, body: string | undefined): string {
  return JSON.stringify([method, target, caller, body])
}

/** Path and query of an address, as they were sent. */
function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/]*/, '')
}

function responseOf({ response }: EvidenceEntry): ReceivedResponse {
  const { text = '', encoding } = response.content
  return {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers.map(({ name, value }) => [name, value] as const),
    body: Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8'),
  }
}
