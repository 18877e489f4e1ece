import type { Content, Entry, Har, Header, Log, Response } from 'har-format'
import { headerOf, sizeOf, type Caller, type Exchange, type HeaderList } from '../../engine/http/exchange.ts'
import { grouped } from '../../engine/data/grouped.ts'
import type { RedactionPolicy } from '../redaction/redaction-policy.ts'
import type { Report, ReportedFinding } from './report-format.ts'
import { suite } from './report.ts'

const CUT_SHORT = 'cut short'

/** An entry with the members of ours that judging it again needs; HAR wants their names to begin with `_`. */
export interface EvidenceEntry extends Entry {
  /** Number of the exchange: the entry's place in the list, counted from 1. */
  readonly _exchange: number
  readonly _operation: string
  readonly _purpose: Exchange['purpose']
  readonly _caller: Caller
  readonly _failure?: Exchange['failure']
  /** Of an answer that was cut short, the places that findings point to. */
  readonly _found?: readonly Pick<ReportedFinding, 'pointer' | 'record' | 'received'>[]
}

/**
 * A run's exchanges as an HTTP archive (HAR 1.2), in the order in which they were sent.
 * @param report what was found in them, which may lie past the end of an answer that was cut short.
 */
export function evidenceHar(
  exchanges: readonly Exchange[],
  policy: RedactionPolicy,
  report?: Pick<Report, 'requirements'> & Partial<Pick<Report, 'suite'>>,
): Har {
  const findings = report?.requirements.flatMap((requirement) => requirement.findings) ?? []
  const found = new Map(grouped(findings, ({ exchange }) => exchange))
  const entries = exchanges.map((exchange) => {
    const entry = evidenceEntry(exchange, policy)
    const here = exchange.response?.cut && found.get(exchange.number)
    if (!here) return entry
    return { ...entry, _found: here.map(({ pointer, record, received }) => ({ pointer, record, received })) }
  })
  return { log: { ...headOf(report?.suite ?? suite()), entries } }
}

/** What an archive says before its entries: which suite wrote it. */
export function headOf({ name, version, commit }: Report['suite']): Pick<Log, 'version' | 'creator'> {
  return {
    version: '1.2',
    creator: { name, version, ...(typeof commit === 'string' && { comment: `commit ${commit}` }) },
  }
}

/** How many answers an archive holds the beginning of alone. */
export function cutAnswers({ log }: Har): number {
  return log.entries.filter(({ response }) => response.content.comment?.startsWith(CUT_SHORT)).length
}

/** An exchange as the archive has it. */
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
  const { cut } = response
  const body = policy.responseBody(exchange)
  return {
    size: sizeOf(response),
    ...(cut && {
      comment: `${CUT_SHORT}: the first ${response.body.length} of ${cut.size} bytes, whose SHA-256 is ${cut.sha256}`,
    }),
    mimeType: policy.text(headerOf(response.headers, 'content-type') ?? ''),
    ...(typeof body === 'string' ? { text: body } : { text: body.toString('base64'), encoding: 'base64' }),
  }
}

/** The header with its token named instead of shown; of a token that must be refused, what was wrong with it. */
function authorization(caller: Caller): HeaderList {
  if (caller === 'main') return [['Authorization', 'Bearer [token]']]
  if (caller === 'other') return [['Authorization', 'Bearer [token of the second company]']]
  // "without an Authorization header" is the one bad token that sends no token.
  return caller.refused.startsWith('without') ? [] : [['Authorization', `[${caller.refused}]`]]
}

function named(headers: HeaderList): Header[] {
  return headers.map(([name, value]) => ({ name, value }))
}
