import { isUtf8 } from 'node:buffer'
import type { Contract, OperationId } from '../contract.ts'
import { headerOf, isSuccess, type Exchange } from './exchange.ts'

/** JSON nested deeper than this is not read, which is no fault of it. */
const MAX_DEPTH = 500

/** The steps by which an answer is judged; each needs the one before it. */
export type Step = 'status' | 'json' | 'mediaType' | 'envelope'

interface Mismatch {
  readonly expected: string
  readonly received: string
}

/** What became of each step; a step that could not be reached is absent. */
type Steps = Partial<Record<Step, Mismatch | 'passed'>>

/** An answer that was expected to be one, judged step by step. */
export interface Reading {
  readonly exchange: Exchange
  readonly steps: Steps
  /** The parsed body, where it is JSON. */
  readonly body?: unknown
  /** Whether the body can be used as the answer that the document describes. */
  readonly usable: boolean
}

/** Judges a response by what the contract says of the operation's answers. */
export function readAnswer(contract: Contract, exchange: Exchange): Reading {
  const operation = contract.operation(exchange.operation)
  const { response } = exchange
  if (!response) {
    const received = exchange.failure?.message ?? 'no answer'
    return { exchange, steps: { status: { expected: 'an answer', received } }, usable: false }
  }
  const success = isSuccess(exchange)
  const stated = operation.statedStatus
  const status: Mismatch | 'passed' = (stated === undefined ? success : response.status === stated)
    ? 'passed'
    : { expected: stated === undefined ? 'a success status (2xx)' : String(stated), received: String(response.status) }
  if (!success) return { exchange, steps: { status }, usable: false }

  const parsed = parseJson(response.body)
  if (!('body' in parsed))
    return { exchange, steps: { status, ...('problem' in parsed && { json: parsed.problem }) }, usable: false }
  const mediaType = isJsonMediaType(headerOf(response.headers, 'content-type') ?? '')
  const envelope = envelopeMismatch(operation.listMember, parsed.body)
  const steps: Steps = {
    status,
    json: 'passed',
    mediaType: mediaType ?? 'passed',
    envelope: envelope ?? 'passed',
  }
  return { exchange, steps, body: parsed.body, usable: envelope === undefined }
}

/** A body that was parsed, what is wrong with it, or, in a clause, what of it is past what the suite reads. */
type Parsed = { readonly body: unknown } | { readonly problem: Mismatch } | { readonly unread: string }

const known = new WeakMap<Buffer, Parsed>()

/** Parses bytes as UTF-8 JSON of bounded depth; the same bytes once, so what it gives must not be changed. */
export function parseJson(bytes: Buffer): Parsed {
  const parsed = known.get(bytes) ?? parseAgain(bytes)
  known.set(bytes, parsed)
  return parsed
}

/** The beginning of a body, for which what was read in the whole of it is still known. */
export function readingStays(whole: Buffer, beginning: Buffer): Buffer {
  known.set(beginning, parseJson(whole))
  return beginning
}

function parseAgain(bytes: Buffer): Parsed {
  if (!isUtf8(bytes)) return { problem: { expected: 'a body encoded as UTF-8', received: 'bytes that are not UTF-8' } }
  if (isDeeperThan(bytes, MAX_DEPTH)) return { unread: `JSON of more than ${MAX_DEPTH} levels` }
  const text = bytes.toString('utf8')
  try {
    return { body: JSON.parse(text) as unknown }
  } catch {
    return { problem: { expected: 'a JSON body', received: describeText(text) } }
  }
}

/** What of an exchange is past what the suite reads, in a clause; undefined where all of it was read. */
export function unreadOf({ response, failure }: Exchange): string | undefined {
  if (failure?.kind.endsWith('too large')) return failure.message
  const parsed = response && parseJson(response.body)
  return parsed && 'unread' in parsed ? parsed.unread : undefined
}

/** Whether an answer is a page for people, whatever its status and its media type. */
export function isPage({ response }: Exchange): boolean {
  return /^\s*<(!doctype|html)/i.test(response?.body.subarray(0, 200).toString('utf8') ?? '')
}

/** The media type of a content-type header, lower-case and without parameters. */
export function essence(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase()
}

function isJsonMediaType(contentType: string): Mismatch | undefined {
  if (/^(application\/json|text\/json|[^/\s]+\/[^/\s]+\+json)$/.test(essence(contentType))) return undefined
  return { expected: 'a JSON media type', received: contentType === '' ? 'no content-type' : contentType }
}

function envelopeMismatch(member: string | undefined, body: unknown): Mismatch | undefined {
  const expected = member === undefined ? 'an object' : `an object with the array "${member}"`
  if (typeOf(body) !== 'object') return { expected, received: typeOf(body) }
  if (member === undefined) return undefined
  const value = (body as Record<string, unknown>)[member]
  if (Array.isArray(value)) return undefined
  return { expected, received: value === undefined ? `no member "${member}"` : `"${member}" is ${typeOf(value)}` }
}

/** The JSON type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function describeText(text: string): string {
  const start = text.trim()
  if (start === '') return 'an empty body'
  if (/^<(!doctype|html|head|body)/i.test(start)) return 'an HTML page'
  return `text that is not JSON (${text.length} characters)`
}

function isDeeperThan(bytes: Buffer, limit: number): boolean {
  let depth = 0
  let quoted = false
  for (let index = 0; index < bytes.length; index++) {
    const code = bytes[index]
    if (quoted) {
      if (code === 0x5c) index++
      else if (code === 0x22) quoted = false
    } else if (code === 0x22) quoted = true
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}

/** The operation's list or resource in a body that need not be an answer, such as one that came with a refusal. */
export function resourcesIn(contract: Contract, id: OperationId, body: unknown): readonly unknown[] {
  const { listMember } = contract.operation(id)
  if (typeOf(body) !== 'object') return []
  if (listMember === undefined) return [body]
  const value = (body as Record<string, unknown>)[listMember]
  return Array.isArray(value) ? value : []
}
