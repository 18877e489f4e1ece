import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Operation, OperationId } from './contract.ts'
import type { Evidence } from './evidence.ts'
import { headerOf, type Caller, type Exchange, type HeaderList } from './exchange.ts'
import type { Transport } from './transport.ts'

const REQUESTS_AT_ONCE = 6
/** With the pauses between them, which double, an outage of some nine seconds is waited out. */
const MAX_ATTEMPTS = 7
const FIRST_PAUSE_MS = 150
const LONGEST_PAUSE_MS = 30_000
/** What never lets anybody in is not waited for again at full length. */
const ATTEMPTS_WITHOUT_HOPE = 3

/** Statuses that say "not now". */
export const TRANSIENT_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** One call of an operation. */
export interface Call {
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON; a Buffer is sent as it is. */
  readonly body?: unknown
}

export interface Authorization {
  readonly caller: Caller
  /** The header's value; undefined sends none. */
  readonly value: string | undefined
}

export interface ClientSettings {
  readonly baseUrl: string
  readonly maxRequestsPerSecond?: number
}

/**
 * Sends calls to the target: paced, a bounded number at once, retried where the target says "not now".
 * Every attempt is recorded.
 */
export class Client {
  readonly #settings: ClientSettings
  readonly #transport: Transport
  readonly #evidence: Evidence
  readonly #limit = pLimit(REQUESTS_AT_ONCE)
  /** Operations whose last call got no final answer, however often it was sent. */
  readonly #hopeless = new Set<OperationId>()
  #nextSlot = 0

  constructor(settings: ClientSettings, transport: Transport, evidence: Evidence) {
    this.#settings = settings
    this.#transport = transport
    this.#evidence = evidence
  }

  /**
   * Sends a call and gives its last attempt.
   * @param patience `retry` tries again after a transient refusal or a broken connection; `once` tries again only
   *   where no response arrived at all, as a probe of refusal must not be turned into something else.
   */
  send(
    operation: Operation,
    call: Call,
    authorization: Authorization,
    purpose: Exchange['purpose'],
    patience: 'retry' | 'once',
  ): Promise<Exchange> {
    return this.#limit(async () => {
      let pause = FIRST_PAUSE_MS
      for (let attempt = 1; ; attempt++) {
        const exchange = await this.#attempt(operation, call, authorization, purpose)
        const wait =
          patience === 'retry' ? transientPause(exchange, pause) : exchange.failure?.kind === 'dropped' ? 0 : undefined
        if (wait === undefined) this.#hopeless.delete(operation.id)
        if (wait === undefined || wait > LONGEST_PAUSE_MS) return exchange
        const patient = this.#hopeless.has(operation.id) ? ATTEMPTS_WITHOUT_HOPE : MAX_ATTEMPTS
        const attempts = patience === 'once' ? 2 : patient
        if (attempt >= attempts) {
          if (patience === 'retry') this.#hopeless.add(operation.id)
          return exchange
        }
        // Whoever asks for a pause asks it of every request.
        this.#nextSlot = Math.max(this.#nextSlot, Date.now() + wait)
        pause *= 2
      }
    })
  }

  async #attempt(
    operation: Operation,
    call: Call,
    authorization: Authorization,
    purpose: Exchange['purpose'],
  ): Promise<Exchange> {
    await this.#pace()
    const base = new URL(this.#settings.baseUrl)
    const target = base.pathname.replace(/\/+$/, '') + targetOf(operation, call)
    const body = call.body === undefined ? undefined : bodyText(call.body)
    const headers: HeaderList = [
      ['accept', 'application/json'],
      ['accept-encoding', 'gzip, deflate, br'],
      ['user-agent', 'contact-centre-conformance'],
      ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
    ]
    const startedAt = new Date()
    const start = performance.now()
    const outcome = await this.#transport.send({
      method: operation.method,
      origin: base.origin,
      target,
      headers: authorization.value === undefined ? headers : [['authorization', authorization.value], ...headers],
      ...(body !== undefined && { body }),
    })
    return this.#evidence.record({
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
      startedAt,
      durationMs: performance.now() - start,
    })
  }

  async #pace(): Promise<void> {
    const interval = this.#settings.maxRequestsPerSecond === undefined ? 0 : 1000 / this.#settings.maxRequestsPerSecond
    const now = Date.now()
    const slot = Math.max(now, this.#nextSlot)
    this.#nextSlot = slot + interval
    if (slot > now) await sleep(slot - now)
  }
}

function bodyText(body: unknown): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : JSON.stringify(body)
}

function targetOf(operation: Operation, call: Call): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(call.path?.[name] ?? ''))
  const query = Object.entries(call.query ?? {})
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&')
  return query === '' ? path : `${path}?${query}`
}

/** Percent-encodes any text; half a surrogate pair, which no URL can carry, is replaced. */
function encode(value: string): string {
  return encodeURIComponent(String(value).toWellFormed())
}

/** How long to wait before trying again, in milliseconds; undefined where the exchange is final. */
function transientPause(exchange: Exchange, pause: number): number | undefined {
  if (exchange.failure) return ['dropped', 'cut', 'unreachable'].includes(exchange.failure.kind) ? pause : undefined
  if (!TRANSIENT_STATUS.has(exchange.response!.status)) return undefined
  const after = headerOf(exchange.response!.headers, 'retry-after')
  if (after === undefined) return pause
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now()
  return Number.isNaN(ms) ? pause : Math.max(ms, 0)
}

/** The identity of a call: equal calls have equal keys. */
export function callKey(operation: OperationId, call: Call): string {
  return JSON.stringify([operation, call.path, Object.entries(call.query ?? {}).toSorted()])
}
