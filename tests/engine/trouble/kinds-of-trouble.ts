import { isPage } from '../http/answer.ts'
import { headerOf, isHang, type Exchange } from '../http/exchange.ts'

/** Statuses that say "not now". */
export const TRANSIENT_STATUS: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** Whether an exchange was answered with a status that says "not now". */
export function isTransient({ response }: Pick<Exchange, 'response'>): boolean {
  return TRANSIENT_STATUS.has(response?.status ?? 0)
}

/** Whether an exchange was answered with an error of the server's own, which is no matter of the moment. */
export function isServerError(exchange: Pick<Exchange, 'response'>): boolean {
  return (exchange.response?.status ?? 0) >= 500 && !isTransient(exchange)
}

/** What a gateway, or a login in front of the target, may answer to anything. */
const WITHOUT_REASON = /^(3\d\d|400|404|405|410)$/

export function isThrottled({ response }: Exchange): boolean {
  return response?.status === 429
}

/** Whether an exchange may tell of the moment rather than of the call. */
export function isTrouble(exchange: Exchange): boolean {
  const { failure } = exchange
  if (failure) return isHang(exchange) || ['dropped', 'cut', 'unreachable'].includes(failure.kind)
  return isTransient(exchange) || isOfAGateway(exchange)
}

/** Whether a plain call that has worked before works, or is refused for its token, or is met by an error of the target's own. */
export function isUp(exchange: Exchange): boolean {
  return !isTrouble(exchange) && !isWithoutReason(exchange)
}

/** Whether an answer tells of neither the token nor the target. */
export function isWithoutReason({ response }: Pick<Exchange, 'response'>): boolean {
  return WITHOUT_REASON.test(String(response?.status))
}

/**
 * Whether an answer may be that of a gateway, which has no target behind it, or that a token gets which has expired: a page,
 * 404 in words, a redirect of a call with a good token, or, to a call that must be a success, any status that tells of
 * neither the token nor the target.
 */
export function isOfAGateway(exchange: Exchange): boolean {
  const { response, purpose, request } = exchange
  if (!response || isTransient(exchange)) return false
  if (isRedirect(exchange) && typeof request.caller === 'string') return true
  if ((purpose === 'answer' && isWithoutReason(exchange)) || isPage(exchange)) return true
  return (
    response.status === 404 &&
    response.body.length > 0 &&
    !/json/i.test(headerOf(response.headers, 'content-type') ?? '')
  )
}

export function isRedirect({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 300 && response.status < 400
}

/** How long the target asks to wait, in milliseconds; undefined where it doesn't say. */
export function retryAfterMs({ response }: Exchange, now: number): number | undefined {
  const after = response && headerOf(response.headers, 'retry-after')
  if (after === undefined) return undefined
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - now
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}
