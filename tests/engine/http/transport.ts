import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { EnvHttpProxyAgent } from 'undici'
import type { RunSettings } from '../settings/settings.ts'
import type { Caller, Failure, HeaderList, ReceivedResponse } from './exchange.ts'

const LONGEST_STEP_MS = 100
/** An answer larger than this is not read to its end. */
const MAX_BODY_MB = 16
/** Nor are longer headers read. */
const MAX_HEADER_KB = 16
const MAX_BODY_BYTES = MAX_BODY_MB * 1024 * 1024

export type TransportSettings = Pick<RunSettings, 'requestTimeoutMs' | 'clientCertFile' | 'clientKeyFile' | 'proxies'>

export interface WireRequest {
  readonly method: string
  readonly origin: string
  readonly target: string
  readonly headers: HeaderList
  /** Whose authorization is among the headers. */
  readonly caller: Caller
  readonly body?: string
}

/** What answers requests: a target, or a recording of one. */
export interface Wire {
  /**
   * Sends one request once. It never throws for anything that a server does: what went wrong is a Failure.
   * @param patienceMs how long it is waited for, at most REQUEST_TIMEOUT_MS.
   */
  readonly send: (request: WireRequest, patienceMs: number) => Promise<ReceivedResponse | Failure>
  readonly close: () => Promise<void>
}

/** Sends requests over HTTP. It follows no redirect, keeps no cookie, and bounds time and size. */
export class Transport implements Wire {
  readonly #dispatcher: EnvHttpProxyAgent
  readonly #timeoutMs: number
  readonly #proxies: readonly Proxy[]

  constructor(settings: TransportSettings) {
    this.#timeoutMs = settings.requestTimeoutMs
    this.#proxies = proxiesOf(settings)
    this.#dispatcher = new EnvHttpProxyAgent({
      ...settings.proxies,
      // Plain http goes through a proxy by its whole address; many let nothing but TLS be tunnelled.
      proxyTunnel: false,
      connect: {
        timeout: settings.requestTimeoutMs,
        ...(settings.clientCertFile && { cert: readFileSync(settings.clientCertFile) }),
        ...(settings.clientKeyFile && { key: readFileSync(settings.clientKeyFile) }),
      },
      maxHeaderSize: MAX_HEADER_KB * 1024,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  async send(request: WireRequest, patienceMs: number): Promise<ReceivedResponse | Failure> {
    const isFull = patienceMs >= this.#timeoutMs
    const ms = isFull ? this.#timeoutMs : Math.ceil(patienceMs)
    const abort = new AbortController()
    const timer = abortAfter(abort, ms)
    let begun = false
    try {
      const answer = await this.#dispatcher.request({
        origin: request.origin,
        path: request.target,
        method: request.method,
        headers: request.headers.flatMap(([name, value]) => [name, value]),
        body: request.body ?? null,
        signal: abort.signal,
        responseHeaders: 'raw',
      })
      begun = true
      const headers = pairs(answer.headers as unknown as string[])
      const body = await readBody(answer.body)
      if (!body) return { kind: 'too large', message: `an answer of more than ${MAX_BODY_MB} MB` }
      return { status: answer.statusCode, statusText: answer.statusText, headers, body: decode(body, headers) }
    } catch (error) {
      if (abort.signal.aborted)
        return { kind: isFull ? 'timeout' : 'given up', message: `no whole answer within ${ms} ms` }
      return describe(error, begun, this.#proxies)
    } finally {
      clearInterval(timer)
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }
}

/**
 * Aborts when so many milliseconds have passed in which this process could have read an answer: what it spends on other
 * work, such as judging a long list, is no time that the target took.
 */
function abortAfter(abort: AbortController, ms: number): NodeJS.Timeout {
  const step = Math.min(LONGEST_STEP_MS, ms)
  let [last, waited] = [performance.now(), 0]
  return setInterval(() => {
    const now = performance.now()
    waited += Math.min(now - last, 2 * step)
    last = now
    if (waited >= ms) abort.abort()
  }, step)
}

/** A proxy that requests may go through. */
interface Proxy {
  readonly setting: 'HTTP_PROXY' | 'HTTPS_PROXY'
  readonly url: URL
}

function proxiesOf({ proxies: { httpProxy, httpsProxy } }: TransportSettings): readonly Proxy[] {
  return [
    ...(httpProxy === undefined ? [] : [{ setting: 'HTTP_PROXY' as const, url: new URL(httpProxy) }]),
    ...(httpsProxy === undefined ? [] : [{ setting: 'HTTPS_PROXY' as const, url: new URL(httpsProxy) }]),
  ]
}

async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function pairs(raw: readonly (string | Buffer)[]): HeaderList {
  const list: [string, string][] = []
  for (let index = 0; index + 1 < raw.length; index += 2) list.push([String(raw[index]), String(raw[index + 1])])
  return list
}

/** Undoes the content codings, last applied first; an unknown coding leaves the bytes as they are. */
export function decode(body: Buffer, headers: HeaderList): Buffer {
  const codings = headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
  return codings.reduceRight((bytes, coding) => (bytes.length === 0 ? bytes : undo(bytes, coding)), body)
}

function undo(bytes: Buffer, coding: string): Buffer {
  const limit = { maxOutputLength: MAX_BODY_BYTES }
  if (coding === 'gzip' || coding === 'x-gzip') return gunzipSync(bytes, limit)
  if (coding === 'br') return brotliDecompressSync(bytes, limit)
  // Half of all servers send raw deflate data under this name.
  if (coding === 'deflate') return (bytes[0]! & 0x0f) === 8 ? inflateSync(bytes, limit) : inflateRawSync(bytes, limit)
  return bytes
}

/** Whether an error in reaching something is one in reaching the proxy. */
function isAt({ hostname, port, protocol }: URL, error: NetworkError): boolean {
  const number = Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port)
  return error.port === undefined ? error.hostname === hostname : error.port === number
}

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/
const UNREACHABLE_CODE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|EADDRNOTAVAIL)$/

interface NetworkError extends Error {
  readonly code?: string
  readonly cause?: unknown
  readonly port?: number
  readonly hostname?: string
}

function describe(thrown: unknown, begun: boolean, proxies: readonly Proxy[]): Failure {
  const error = (thrown instanceof AggregateError ? thrown.errors[0] : thrown) as NetworkError
  const code = error.code ?? (error.cause as NetworkError | undefined)?.code ?? ''
  const detail = code === '' ? error.message : code
  const proxy = proxies.find(({ url }) => isAt(url, (error.cause as NetworkError | undefined) ?? error))
  if (proxy && UNREACHABLE_CODE.test(code))
    return { kind: 'proxy', message: `${proxy.setting} ${proxy.url.host} can't be reached (${detail})` }
  const refusal = /\((407)\)|Proxy response \((\d+)\)/.exec(
    `${error.message} ${(error.cause as Error | undefined)?.message}`,
  )
  const status = refusal?.[1] ?? refusal?.[2]
  const settings = proxies.map(({ setting }) => setting).join(' or ')
  if (settings !== '' && status === '407')
    return { kind: 'proxy', message: `${settings} asks for a user name and a password in its address (status 407)` }
  if (settings !== '' && status !== undefined)
    return { kind: 'proxy', message: `${settings} refused the way to the target (status ${status})` }
  if (TLS_CODE.test(code)) return { kind: 'tls', message: `TLS was refused (${detail})` }
  if (UNREACHABLE_CODE.test(code)) return { kind: 'unreachable', message: `the connection failed (${detail})` }
  if (/HEADERS?_OVERFLOW$/.test(code))
    return { kind: 'headers too large', message: `headers of more than ${MAX_HEADER_KB} KB` }
  if (code === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too large', message: `an answer of more than ${MAX_BODY_MB} MB` }
  return begun
    ? { kind: 'cut', message: `the answer broke off (${detail})` }
    : { kind: 'dropped', message: `the connection was dropped (${detail})` }
}
