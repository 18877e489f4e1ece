import { createHash } from 'node:crypto'
import type { Content, Entry, Har, Header, Response } from 'har-format'
import { headerOf, type Caller, type Exchange, type HeaderList } from '../../engine/exchange.ts'
import type { RedactionPolicy } from '../redaction/redaction-policy.ts'
import { suite } from './report.ts'

/** Bytes of an answer that are kept of any, of one that is kept whole, and of all that are kept whole. */
const CUT_TO = 64 * 1024
const LARGEST = 2 * 1024 * 1024
const WHOLE_BODIES = 64 * 1024 * 1024

const CUT_SHORT = 'cut short'

/** Digests and beginnings of bodies, which the evidence holds once however often they came. */
const digests = new WeakMap<Buffer, string>()
const beginnings = new WeakMap<Buffer, Buffer>()

/** An entry with the members of ours that judging it again needs; HAR wants their names to begin with `_`. */
export interface EvidenceEntry extends Entry {
  /** Number of the exchange: the entry's place in the list, counted from 1. */
  readonly _exchange: number
  readonly _operation: string
  readonly _purpose: Exchange['purpose']
  readonly _caller: Caller
  readonly _failure?: Exchange['failure']
}

/** A run's exchanges as an HTTP archive (HAR 1.2), in the order in which they were sent. */
export function evidenceHar(exchanges: readonly Exchange[], policy: RedactionPolicy): Har {
  let whole = WHOLE_BODIES
  const entries = exchanges.map((exchange) => {
    const size = exchange.response?.body.length ?? 0
    if (size <= CUT_TO) return evidenceEntry(exchange, policy)
    whole -= Math.min(size, LARGEST)
    return size <= LARGEST && whole >= 0
      ? evidenceEntry(exchange, policy)
      : cutShort(evidenceEntry(beginningOf(exchange), policy), exchange)
  })
  return { log: { version: '1.2', creator: suite(), entries } }
}

/** How many answers an archive holds the beginning of alone. */
export function cutAnswers({ log }: Har): number {
  return log.entries.filter(({ response }) => response.content.comment?.startsWith(CUT_SHORT)).length
}

/** What is cut, in words. */
export const WHAT_IS_CUT = `answers over ${LARGEST >> 20} MB, and all over ${CUT_TO >> 10} KB once ${WHOLE_BODIES >> 20} MB of them are kept`

/** An exchange whose answer is short enough to be kept, or the first bytes of a longer one. */
export function bounded(exchange: Exchange): Exchange {
  return (exchange.response?.body.length ?? 0) > LARGEST ? beginningOf(exchange) : exchange
}

/** An exchange with the first bytes of its answer. */
function beginningOf(exchange: Exchange): Exchange {
  const response = exchange.response!
  const body = beginnings.get(response.body) ?? response.body.subarray(0, CUT_TO)
  beginnings.set(response.body, body)
  return { ...exchange, response: { ...response, body } }
}

function cutShort(entry: EvidenceEntry, { response }: Exchange): EvidenceEntry {
  const { body } = response!
  const sha256 = digests.get(body) ?? createHash('sha256').update(body).digest('hex')
  digests.set(body, sha256)
  const comment = `${CUT_SHORT}: the first ${CUT_TO} of ${body.length} bytes, whose SHA-256 is ${sha256}`
  return {
    ...entry,
    response: { ...entry.response, content: { ...entry.response.content, size: body.length, comment } },
  }
}

/** An exchange as the archive has it, whole. */
export function evidenceEntry(exchange: Exchange, policy: RedactionPolicy): EvidenceEntry {
  const { failure } = exchange
  const request = policy.request(exchange)
  const headers = [...authorization(request.caller), ...request.headers]
  const time = Math.round(exchange.durationMs * 1000) / 1000
  return {
    _exchange: exchange.number,
    _operation: exchange.operation,
    _purpose: exchange.purpose,
    _caller: request.caller,
    ...(failure && { _failure: { kind: failure.kind, message: policy.text(failure.message) } }),
    startedDateTime: exchange.startedAt.toISOString(),
    time,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: named(headers),
      queryString: [...new URL(request.url).searchParams].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: request.body === undefined ? 0 : Buffer.byteLength(exchange.request.body!),
      ...(request.body !== undefined && {
        postData: { mimeType: headerOf(headers, 'content-type') ?? '', text: request.body },
      }),
    },
    response: responseOf(exchange, policy),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
  }
}

function responseOf(exchange: Exchange, policy: RedactionPolicy): Response {
  const { response } = exchange
  const headers = policy.headers(response?.headers ?? [])
  return {
    // 0 says that no response arrived.
    status: response?.status ?? 0,
    statusText: policy.text(response?.statusText ?? ''),
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: named(headers),
    content: contentOf(exchange, policy),
    redirectURL: headerOf(headers, 'location') ?? '',
    headersSize: -1,
    bodySize: -1,
  }
}

function contentOf(exchange: Exchange, policy: RedactionPolicy): Content {
  const { response } = exchange
  if (!response) return { size: 0, mimeType: '' }
  const body = policy.responseBody(exchange)
  return {
    size: response.body.length,
    mimeType: policy.text(headerOf(response.headers, 'content-type') ?? ''),
    ...(typeof body === 'string' ? { text: body } : { text: body.toString('base64'), encoding: 'base64' }),
  }
}

/** The header with its token named instead of shown; of a token that must be refused, what was wrong with it. */
function authorization(caller: Caller): HeaderList {
  if (caller === 'main') return [['Authorization', 'Bearer [token]']]
  if (caller === 'other') return [['Authorization', 'Bearer [token of the second company]']]
  // "without an Authorization header" is the one bad token that is none.
  return caller.refused.startsWith('without') ? [] : [['Authorization', `[${caller.refused}]`]]
}

function named(headers: HeaderList): Header[] {
  return headers.map(([name, value]) => ({ name, value }))
}
