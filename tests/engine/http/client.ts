import pLimit from 'p-limit'
import { isPage } from './answer.ts'
import type { Clock } from '../time/clock.ts'
import type { Operation, OperationId } from '../contract.ts'
import type { Evidence } from '../judging/evidence.ts'
import type { Company, Credentials } from './credentials.ts'
import { isSuccess, type Caller, type Exchange, type HeaderList } from './exchange.ts'
import { Patience } from '../trouble/patience.ts'
import { SettingError } from '../settings/setting-values.ts'
import type { Wire } from './transport.ts'
import { isWithoutReason } from '../trouble/kinds-of-trouble.ts'
import { Trouble, waitingFor, type OwnControl, type WaitLimits, type Waiting } from '../trouble/trouble.ts'
import { Unanswered } from '../trouble/unanswered.ts'

const REQUESTS_AT_ONCE = 6
const RENEWED_AT_MOST_EVERY_MS = 30_000
/** Time lost with requests that hung, from which on it is told. */
const SHORTEST_TOLD_MS = 100

/** What every request accepts that says nothing else. */
export const ACCEPTED = 'application/json'

/** One call of an operation. */
export interface Call {
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Whether the path ends with a slash, which many a router does not mind, and a guard may. */
  readonly endsWithSlash?: boolean
  /** Headers in place of those that every request has, or besides them; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON; a Buffer is sent as it is. */
  readonly body?: unknown
}

/** Who calls: a company, with its token of the moment, or somebody with a header's value that must be refused. */
export type Authorization =
  | { readonly caller: Company }
  | {
      readonly caller: Exclude<Caller, Company>
      /** The header's value; undefined sends none. */
      readonly value: string | undefined
    }

export interface ClientSettings {
  readonly baseUrl: string
  readonly requestTimeoutMs: number
  readonly maxRequestsPerSecond?: number
  readonly waitLimits: WaitLimits
}

interface Sending {
  readonly operation: Operation
  readonly call: Call
  readonly authorization: Authorization
  readonly purpose: Exchange['purpose']
}

/**
 * Sends calls to the target: paced, a bounded number at once, each with the patience that its kind has earned, and again
 * where the target says "not now". Every attempt is recorded.
 */
export class Client {
  readonly #settings: ClientSettings
  readonly #credentials: Credentials
  readonly #transport: Wire
  readonly #evidence: Evidence
  readonly #clock: Clock
  readonly #patience: Patience
  readonly #trouble: Trouble
  readonly #limit = pLimit(REQUESTS_AT_ONCE)
  /** Calls that hung: sent again, they would again. */
  readonly #hung = new Map<string, Exchange>()
  /** Calls that were answered. */
  readonly #answered = new Set<string>()
  /** What calls succeeded of: operations, and where, a company's list, or record. */
  readonly #worked = new Set<string>()
  /** Plain calls that succeeded, by company: sending one again shows whether the target is up and the token valid. */
  readonly #working: Readonly<Record<Company, Map<OperationId, Sending>>> = { main: new Map(), other: new Map() }
  #nextSlot = 0
  /** Up to when requests have been spaced out: of those that wait at the same time, each waits for the one before. */
  #spacedUntil = 0
  #triedToRenewAt = -Infinity
  #renewedAt = -Infinity

  constructor(settings: ClientSettings, credentials: Credentials, transport: Wire, evidence: Evidence, clock: Clock) {
    this.#settings = settings
    this.#credentials = credentials
    this.#transport = transport
    this.#evidence = evidence
    this.#clock = clock
    this.#patience = new Patience(settings.requestTimeoutMs)
    this.#trouble = new Trouble(settings.waitLimits, clock)
  }

  /** What the run has waited for so far. */
  get waited(): readonly Waiting[] {
    const { hangs: times, lostMs: ms } = this.#patience
    return [...this.#trouble.waited, ...(ms >= SHORTEST_TOLD_MS ? [waitingFor('requests hung', { times, ms })] : [])]
  }

  /** What an operation that had worked was answered as long as it was waited for, while others were answered, and since. */
  downFor(operation: OperationId): Exchange | undefined {
    return this.#worked.has(operation) ? this.#trouble.downFor(operation) : undefined
  }

  /** Notes that the target was waited for, some milliseconds, before anything was asked of it. */
  countOutage(ms: number): void {
    this.#trouble.countOutage(ms)
  }

  /** Sends again what has hung or been refused for its number before. */
  tryAgain(): void {
    this.forgetHangs()
    this.#trouble.renew()
  }

  /** Sends again what has hung before. */
  forgetHangs(): void {
    this.#patience.renew()
    this.#hung.clear()
  }

  /**
   * Sends a call and gives its final attempt.
   * @param mustBeRefused whether it is a probe of refusal, which is sent again only where the target did not get to it.
   * @throws Unanswered where its kind has hung before, or no answer is to be had for another reason that is not the call's.
   * @throws Redirected, TargetDown, RunEnded where no call is answered any more.
   */
  send(sending: Sending, mustBeRefused: boolean): Promise<Exchange> {
    return this.#limit(async () => {
      await this.#trouble.calm()
      const { operation, authorization, call } = sending
      const known = { part: operation.id, key: keyOf(sending), mustBeRefused }
      this.#trouble.check(known)
      const exchange = await this.#trouble.settle(await this.#attempt(sending), {
        again: () => this.#attempt(sending),
        control: () => this.#controlOrRenew(operation.id),
        renewedAt: () => this.#renewedAt,
        own: this.#ownControl(sending),
        ...known,
      })
      if (this.#trouble.isOneAtATime) this.#limit.concurrency = 1
      if (isSuccess(exchange) && !('value' in authorization)) this.#worked.add(placeOf(sending)).add(operation.id)
      if ('value' in authorization || !isEmpty(call) || !isSuccess(exchange) || isPage(exchange)) return exchange
      this.#working[authorization.caller].set(operation.id, sending)
      return exchange
    })
  }

  /**
   * Sends a plain call again that succeeded before with a company's token.
   * @param other an operation that is avoided where another one has succeeded.
   * @returns undefined where no plain call has succeeded yet.
   */
  async control(company: Company, other?: OperationId): Promise<Exchange | undefined> {
    const known = [...this.#working[company]]
    const [, sending] = known.find(([operation]) => operation !== other) ?? known[0] ?? []
    return this.#again(sending)
  }

  /** As `control`, when what is in the way is waited out: a firewall's page tells nothing of the token. */
  async controlWhenUp(company: Company, other: OperationId): Promise<Exchange | undefined> {
    const answer = await this.control(company, other)
    const sending = answer && isPage(answer) ? this.#working[company].get(answer.operation) : undefined
    return sending ? this.send({ ...sending, purpose: 'probe' }, false) : answer
  }

  /** As `control`, after a fresh token, where the one that a command printed may be what a login or a gateway answers to. */
  async #controlOrRenew(other: OperationId): Promise<Exchange | undefined> {
    const answer = await this.control('main', other)
    const isRecent = this.#clock.now - this.#triedToRenewAt < RENEWED_AT_MOST_EVERY_MS
    const mayBeLogin = answer && (isWithoutReason(answer) || isPage(answer))
    if (!mayBeLogin || isRecent || !this.#credentials.canRenew('main')) return answer
    this.#triedToRenewAt = this.#clock.now
    try {
      await this.#credentials.renew('main')
    } catch (error) {
      // The target may only be down.
      if (error instanceof SettingError) return answer
      throw error
    }
    this.#renewedAt = this.#clock.now
    return this.control('main', other)
  }

  /** The plain call of the same list, or, where none has worked, the call itself. */
  #ownControl(sending: Sending): OwnControl {
    const { operation, authorization } = sending
    const plain = 'value' in authorization ? undefined : this.#working[authorization.caller].get(operation.id)
    const ask = () => this.#again(plain ?? sending)
    return {
      ask,
      isOther: plain !== undefined,
      hasWorked: this.#worked.has(placeOf(sending)),
      hasWorkedAnywhere: this.#worked.has(operation.id),
    }
  }

  async #again(sending: Sending | undefined): Promise<Exchange | undefined> {
    return sending && this.#attempt({ ...sending, purpose: 'probe' }, this.#patience.shortMs)
  }

  async #attempt(sending: Sending, givenMs?: number): Promise<Exchange> {
    const { operation, call, authorization, purpose } = sending
    await this.#pace()
    this.#clock.check()
    const kind = kindOf(operation, call, authorization.caller)
    const key = keyOf(sending)
    // What was answered before is asked again, whatever hangs that is like it.
    const patienceMs = givenMs ?? this.#patience.with(kind) ?? (this.#answered.has(key) ? this.#patience.shortMs : 0)
    if (patienceMs === 0) {
      const hung = this.#hung.get(key)
      if (hung) return hung
      throw new Unanswered(
        operation.id,
        `Requests such as ${kind} hung, and were not waited for again; raise REQUEST_TIMEOUT_MS where they are only slow`,
      )
    }
    const base = new URL(this.#settings.baseUrl)
    const target = base.pathname.replace(/\/+$/, '') + targetOf(operation, call)
    const body = call.body === undefined ? undefined : bodyText(call.body)
    const headers: HeaderList = Object.entries({
      Accept: ACCEPTED,
      'Accept-Encoding': 'gzip, deflate, br',
      'User-Agent': 'contact-centre-conformance',
      'Content-Type': body === undefined ? undefined : 'application/json',
      ...call.headers,
    }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
    const credential =
      'value' in authorization ? authorization.value : `Bearer ${this.#credentials.token(authorization.caller)}`
    const start = this.#clock.now
    const outcome = await this.#transport.send(
      {
        method: operation.method,
        origin: base.origin,
        target,
        caller: authorization.caller,
        headers: credential === undefined ? headers : [['Authorization', credential], ...headers],
        ...(body !== undefined && { body }),
      },
      Math.min(patienceMs, this.#clock.leftMs),
    )
    const exchange = this.#evidence.record({
      operation: operation.id,
      purpose,
      request: {
        method: operation.method,
        url: base.origin + target,
        target,
        headers,
        caller: authorization.caller,
        ...(body !== undefined && { body }),
      },
      ...('status' in outcome ? { response: outcome } : { failure: outcome }),
      startedAt: new Date(start),
      durationMs: this.#clock.now - start,
    })
    this.#patience.learn(kind, exchange)
    if (exchange.failure?.kind === 'timeout') this.#hung.set(key, exchange)
    if (exchange.response) this.#answered.add(key)
    return exchange
  }

  async #pace(): Promise<void> {
    const { maxRequestsPerSecond = Infinity } = this.#settings
    const { intervalMs } = this.#trouble
    const interval = Math.max(1000 / maxRequestsPerSecond, intervalMs)
    const { now } = this.#clock
    const slot = Math.max(now, this.#nextSlot)
    this.#nextSlot = slot + interval
    if (slot === now) return
    if (interval === intervalMs) this.#trouble.countSpacing(slot - Math.max(now, this.#spacedUntil))
    this.#spacedUntil = slot
    try {
      await this.#clock.sleep(slot - now)
    } catch (error) {
      // Who no longer waits leaves the way free for what puts the target back as it was.
      this.#nextSlot = this.#clock.now
      throw error
    }
  }
}

/** Requests that hang for the same reason, if they do: who calls, what, and with which parameters. */
function kindOf({ method, path }: Operation, { query = {} }: Call, caller: Caller): string {
  const parameters = Object.keys(query).toSorted().join('&')
  const who = caller === 'main' ? '' : caller === 'other' ? ' of the second company' : ` ${caller.refused}`
  return `${method} ${path}${parameters === '' ? '' : `?${parameters}`}${who}`
}

/** A call and its caller, by which it is known when it comes again. */
function keyOf({ operation, call, authorization }: Sending): string {
  return JSON.stringify([operation.id, call, authorization.caller])
}

/** A company's list, or record. */
function placeOf({ operation, call: { path }, authorization }: Sending): string {
  return JSON.stringify([authorization, operation.id, path])
}

function isEmpty(call: Call): boolean {
  return Object.values(call).every((part) => part === undefined)
}

function bodyText(body: unknown): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : JSON.stringify(body)
}

function targetOf(operation: Operation, call: Call): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(call.path?.[name] ?? ''))
  const query = Object.entries(call.query ?? {})
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&')
  return `${path}${call.endsWithSlash ? '/' : ''}${query === '' ? '' : `?${query}`}`
}

/** Percent-encodes any text; half a surrogate pair, which no URL can carry, is replaced. */
function encode(value: string): string {
  return encodeURIComponent(String(value).toWellFormed())
}

/** The identity of a call: equal calls have equal keys. */
export function callKey(operation: OperationId, call: Call): string {
  return JSON.stringify([operation, call.path, Object.entries(call.query ?? {}).toSorted(), call.headers])
}
