import type { Exchange } from '../../engine/http/exchange.ts'
import type { RedactionPolicy } from '../redaction/redaction-policy.ts'
import { evidenceEntry, type EvidenceEntry } from '../result/evidence-har.ts'
import { requestLineOf } from './request-line.ts'

/** Characters of a body that are shown; the evidence has more. */
const LONGEST_BODY = 16 * 1024

/** An exchange as text, for people who read it in Playwright's own report; it may be shown. */
export interface ExchangeText {
  /** The request in a line, the status and the number of the exchange. */
  readonly title: string
  readonly request: string
  readonly response: string
}

/** An exchange as it went over the wire, what must not be shown masked. */
export function exchangeText(exchange: Exchange, policy: RedactionPolicy): ExchangeText {
  const { _failure: failure, request, response } = evidenceEntry(exchange, policy)
  const line = requestLineOf(request)
  const { status, statusText, content } = response
  const answer = failure ? failure.message : `status ${status}`
  return {
    title: `${line}: ${answer} (exchange ${exchange.number})`,
    request: message(line, request.headers, request.postData?.text),
    response: failure
      ? failure.message
      : message(`HTTP/1.1 ${status} ${statusText}`.trimEnd(), response.headers, content.text),
  }
}

function message(start: string, headers: EvidenceEntry['request']['headers'], body = ''): string {
  const cut = body.length > LONGEST_BODY ? `${body.slice(0, LONGEST_BODY)}…` : body
  return [start, ...headers.map(({ name, value }) => `${name}: ${value}`), '', cut].join('\n')
}
