import type { Contract } from '../../engine/contract.ts'
import type { Exchange, HeaderList, SentRequest } from '../../engine/http/exchange.ts'
import type { Finding, Requirement } from '../../engine/judging/requirement.ts'
import type { TargetSettings } from '../../engine/settings/settings.ts'
import { Masking, utf8 } from './masking.ts'
import { Redaction } from './redaction.ts'

/** Headers whose value is a secret between the target and its caller. */
const SECRET_HEADERS: Readonly<Record<string, string>> = { 'set-cookie': '[cookie]', cookie: '[cookie]' }

type Person = Pick<TargetSettings, 'accessToken' | 'otherAccessToken'>

/**
 * What may be shown of what was sent and received: never a token, and personal values only of a target whose data set
 * is declared. Everything that is written or printed goes through here.
 */
export class RedactionPolicy {
  readonly #tokens: (string | undefined)[]
  readonly #masking: Masking | undefined
  #redaction: Redaction
  #learned = 0
  /** Bodies as they can be shown, by what they are the answer to, for as long as nothing else is to be hidden. */
  #shown = new WeakMap<Buffer, Map<string, string | Buffer>>()

  private constructor({ accessToken, otherAccessToken }: Partial<Person>, masking: Masking | undefined) {
    this.#tokens = [accessToken, otherAccessToken]
    this.#redaction = new Redaction(this.#tokens)
    this.#masking = masking
  }

  /** Of a target whose data set is declared, and therefore public. */
  static ofPublicData(tokens: Person): RedactionPolicy {
    return new RedactionPolicy(tokens, undefined)
  }

  /** Of what was redacted when it was written: its tokens are known no more. */
  static ofRedacted(): RedactionPolicy {
    return new RedactionPolicy({}, undefined)
  }

  /** Of a target with data of its own. */
  static ofPrivateData(tokens: Person, contract: Contract, requirements: readonly Requirement[]): RedactionPolicy {
    const ordinary = requirements.flatMap(({ id, title }) => [id, title])
    return new RedactionPolicy(tokens, new Masking(contract, ordinary))
  }

  /** Hides one more token. */
  hide(token: string): void {
    this.#tokens.push(token)
    this.#redaction = new Redaction(this.#tokens)
    this.#shown = new WeakMap()
  }

  /** Gets to know what must be hidden; given all exchanges so far, it looks at those that are new. */
  learn(exchanges: readonly Exchange[]): void {
    for (const exchange of exchanges.slice(this.#learned)) this.#masking?.learn(exchange)
    if (exchanges.length > this.#learned) this.#shown = new WeakMap()
    this.#learned = exchanges.length
  }

  /** A text of the suite's, which may quote the target. */
  text(text: string): string {
    return this.#redaction.text(this.#masking?.text(text) ?? text)
  }

  /** A value of the suite's, which may quote the target. */
  statement(value: unknown): unknown {
    return deeply(value, (text) => this.text(text))
  }

  /**
   * What was observed: names, formats and values of enumerations, never a person's. Masked, where one of them is a word of
   * somebody's message too, it would be another each time.
   */
  observation(value: unknown): unknown {
    return deeply(value, (text) => this.#redaction.text(text))
  }

  /** A finding that can be shown. */
  finding(finding: Finding): Finding {
    return {
      ...finding,
      message: this.text(finding.message),
      expected: this.#value(finding.expected),
      received: this.#value(finding.received),
      pointer: this.text(finding.pointer),
      ...(finding.record !== undefined && { record: this.text(finding.record) }),
      exchange: withoutAnswer({ ...finding.exchange, request: this.request(finding.exchange) }),
    }
  }

  /** A request as it can be shown. */
  request(exchange: Exchange): SentRequest {
    const { request } = exchange
    const target = this.#redaction.text(this.#masking?.target(request.target) ?? request.target)
    const body = this.#masking ? this.#masking.requestBody(exchange) : request.body
    return {
      ...request,
      target,
      url: this.#redaction.text(request.url.slice(0, -request.target.length)) + target,
      headers: this.headers(request.headers),
      ...(body !== undefined && { body: this.#redaction.text(body) }),
    }
  }

  headers(headers: HeaderList): HeaderList {
    return headers.map(([name, value]) => [
      this.#redaction.text(name),
      SECRET_HEADERS[name.toLowerCase()] ?? this.text(value),
    ])
  }

  /** The body of a response as it can be shown: a text where it is one, otherwise bytes. The same bytes are masked once. */
  responseBody(exchange: Exchange): string | Buffer {
    const { body, status } = exchange.response!
    const key = `${exchange.operation} ${status}`
    const known = this.#shown.get(body) ?? new Map<string, string | Buffer>()
    const shown = known.get(key) ?? this.#bodyOf(exchange)
    this.#shown.set(body, known.set(key, shown))
    return shown
  }

  #bodyOf(exchange: Exchange): string | Buffer {
    const { body } = exchange.response!
    const text = utf8(body)
    if (this.#masking) {
      const masked = this.#redaction.text(this.#masking.responseBody(exchange))
      return text === undefined ? Buffer.from(masked, 'latin1') : masked
    }
    return text === undefined ? this.#redaction.bytes(body) : this.#redaction.text(text)
  }

  #value(value: unknown): unknown {
    return deeply(this.#masking ? this.#masking.value(value) : value, (text) => this.#redaction.text(text))
  }
}

/** A JSON value with each of its texts changed; a number that a change would touch becomes a text. */
function deeply(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value === 'number') return change(String(value)) === String(value) ? value : change(String(value))
  if (Array.isArray(value)) return value.map((item) => deeply(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [change(key), deeply(member, change)]))
}

function withoutAnswer({ number, operation, purpose, request, startedAt, durationMs }: Exchange): Exchange {
  return { number, operation, purpose, request, startedAt, durationMs }
}
