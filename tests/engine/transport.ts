import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { EnvHttpProxyAgent } from 'undici'
import type { RunSettings } from './settings.ts'
import type { Failure, HeaderList, ReceivedResponse } from './exchange.ts'

/** An answer larger than this is not read to its end. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

export type TransportSettings = Pick<RunSettings, 'requestTimeoutMs' | 'clientCertFile' | 'clientKeyFile' | 'proxies'>

export interface WireRequest {
  readonly method: string
  readonly origin: string
  readonly target: string
  readonly headers: HeaderList
  readonly body?: string
}

/**
 * Sends requests over HTTP. It follows no redirect, keeps no cookie, bounds time and size, and never throws for
 * anything that a server does: what went wrong is a Failure.
 */
export class Transport {
  readonly #dispatcher: EnvHttpProxyAgent
  readonly #timeoutMs: number

  constructor(settings: TransportSettings) {
    this.#timeoutMs = settings.requestTimeoutMs
    this.#dispatcher = new EnvHttpProxyAgent({
      ...settings.proxies,
      connect: {
        timeout: settings.requestTimeoutMs,
        ...(settings.clientCertFile && { cert: readFileSync(settings.clientCertFile) }),
        ...(settings.clientKeyFile && { key: readFileSync(settings.clientKeyFile) }),
      },
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** Sends one request once. */
  async send(request: WireRequest): Promise<ReceivedResponse | Failure> {
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), this.#timeoutMs)
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
      if (!body) return { kind: 'too large', message: `an answer of more than ${MAX_BODY_BYTES} bytes` }
      return { status: answer.statusCode, statusText: answer.statusText, headers, body: decode(body, headers) }
    } catch (error) {
      if (abort.signal.aborted) return { kind: 'timeout', message: `no whole answer within ${this.#timeoutMs} ms` }
      return describe(error, begun)
    } finally {
      clearTimeout(timer)
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy()
  }
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
function decode(body: Buffer, headers: HeaderList): Buffer {
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

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/
const UNREACHABLE_CODE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|EADDRNOTAVAIL)$/

function describe(thrown: unknown, begun: boolean): Failure {
  const error = (thrown instanceof AggregateError ? thrown.errors[0] : thrown) as Error & {
    code?: string
    cause?: unknown
  }
  const code = error.code ?? (error.cause as { code?: string } | undefined)?.code ?? ''
  const detail = code === '' ? error.message : code
  if (TLS_CODE.test(code)) return { kind: 'tls', message: `TLS was refused (${detail})` }
  if (UNREACHABLE_CODE.test(code)) return { kind: 'unreachable', message: `no connection (${detail})` }
  if (code === 'ERR_BUFFER_TOO_LARGE')
    return { kind: 'too large', message: `an answer of more than ${MAX_BODY_BYTES} bytes` }
  return begun
    ? { kind: 'cut', message: `the answer broke off (${detail})` }
    : { kind: 'dropped', message: `the connection was dropped (${detail})` }
}
