import type { OperationId } from '../contract.ts'

/** Why no whole response arrived. */
export interface Failure {
  /**
   * `dropped`: no response at all; `cut`: a response that broke off; `timeout`: none, or no whole one, within
   * REQUEST_TIMEOUT_MS; `given up`: not waited for that long.
   */
  readonly kind:
    'timeout' | 'given up' | 'unreachable' | 'proxy' | 'tls' | 'dropped' | 'cut' | 'too large' | 'headers too large'
  /** One clause, such as `no answer within 10000 ms`. */
  readonly message: string
}

export type HeaderList = readonly (readonly [name: string, value: string])[]

/** What helps where an answer is longer than the suite reads; empty where nothing does. */
export function adviceOn({ kind }: Pick<Failure, 'kind'>): string {
  return kind === 'too large' ? '; judge a workspace with fewer records' : ''
}

/** Which authorization a request carried. The token itself is never kept with an exchange. */
export type Caller = 'main' | 'other' | { readonly refused: string }

export interface SentRequest {
  readonly method: string
  readonly url: string
  /** Path and query, as sent. */
  readonly target: string
  readonly headers: HeaderList
  readonly body?: string
  readonly caller: Caller
}

export interface ReceivedResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: HeaderList
  /** The body with any content coding undone; of a long one, its beginning. */
  readonly body: Buffer
  /** Of a body that was cut short, how many bytes it had, and the digest of them all. */
  readonly cut?: { readonly size: number; readonly sha256: string }
}

/** One request and its response, as recorded. */
export interface Exchange {
  readonly number: number
  readonly operation: OperationId
  /** `answer`: the document says what must come back; `probe`: what comes back is open, or must be a refusal. */
  readonly purpose: 'answer' | 'probe'
  readonly request: SentRequest
  readonly response?: ReceivedResponse
  readonly failure?: Failure
  readonly startedAt: Date
  readonly durationMs: number
}

/** The query parameters of a request. */
export function queryOf({ request }: Exchange): Record<string, string> {
  return Object.fromEntries(new URL(request.url).searchParams)
}

/** The id of the record that the path of a request names at its end. */
export function idInPath({ request }: Exchange): string {
  return decodeURIComponent(new URL(request.url).pathname.split('/').at(-1)!)
}

/** How many bytes a body had when it arrived. */
export function sizeOf({ body, cut }: ReceivedResponse): number {
  return cut?.size ?? body.length
}

/** How many bytes the bodies of exchanges had when they arrived. */
export function bytesOf(exchanges: readonly Exchange[]): number {
  return exchanges.reduce((sum, { response }) => sum + (response ? sizeOf(response) : 0), 0)
}

/** The value of a header, duplicates joined as HTTP says; names are compared without case. */
export function headerOf(headers: HeaderList, name: string): string | undefined {
  const values = headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/** When an exchange was over, in milliseconds since 1970. */
export function endOf({ startedAt, durationMs }: Exchange): number {
  return startedAt.getTime() + durationMs
}

/** A request in one line, such as `GET /api/tickets?status=open`. */
export function requestLine(exchange: Exchange): string {
  return `${exchange.request.method} ${exchange.request.target}`
}

/** Whether an exchange was answered with a success status. */
export function isSuccess({ response }: Pick<Exchange, 'response'>): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300
}

/** The status by which some say that nothing is found, and others that there is nothing of the kind. */
export const NOT_FOUND = 404

const FORBIDDEN: ReadonlySet<number> = new Set([401, 402, 403])

/** Whether the target refused the authorization, or the right to the call, be it for what the company has paid. */
export function isForbidden({ response }: Pick<Exchange, 'response'>): boolean {
  return response !== undefined && FORBIDDEN.has(response.status)
}

/** Whether no answer came in the time that it was given. */
export function isHang({ failure }: Pick<Exchange, 'failure'>): boolean {
  return failure?.kind === 'timeout' || failure?.kind === 'given up'
}
