import type { ServerResponse } from 'node:http'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from '@playwright/test'
import type { Failure } from '../engine/http/exchange.ts'
import type { Session } from '../engine/judging/session.ts'
import { Unanswered } from '../engine/trouble/unanswered.ts'
import { realTime } from '../engine/time/time.ts'
import { hurriedTime } from './hurried-time.ts'
import { closeAfterEach, serve, sessionOf, TOKEN } from './own-server.ts'

type Handler = (response: ServerResponse) => unknown

const NOBODY = { caller: { refused: 'a token that nobody was given' }, value: 'Bearer nobody' } as const
const TAG = { id: 'tag_1', name: 'Été' }
const BYTES: Buffer = Buffer.from(JSON.stringify(TAG))
const ONE_TAG = { path: { tagId: 'tag_1' } }

closeAfterEach()

/** What a target does at the first request, and the least time in milliseconds until it is asked again. */
const NOT_NOW: Readonly<Record<string, readonly [Handler, number]>> = {
  'says 429 and how long to wait': [answer(429, { 'retry-after': '1' }), 990],
  'says 429 and until when to wait': [busyForTwoSeconds, 900],
  'says 503': [answer(503), 100],
  'breaks the connection': [(response) => response.destroy(), 100],
  'breaks off in the middle of an answer': [breakOff, 100],
}

for (const [what, [first, leastMs]] of Object.entries(NOT_NOW))
  test(`a target that ${what} is asked again, no sooner than it likes`, async () => {
    const target = await answering((response, number) => (number === 1 ? first : answer(200))(response))

    const { body } = await sessionOf(target.url).ask('getTag', ONE_TAG)

    expect(body).toEqual(TAG)
    expect(target.requests).toHaveLength(2)
    expect(target.requests[1]!.at - target.requests[0]!.at).toBeGreaterThanOrEqual(leastMs)
  })

const call = (session: Session) => session.attempt('getTag', ONE_TAG)
const unauthorized = (session: Session) => session.attemptUnauthorized('getTag', ONE_TAG, NOBODY)

/** How often something is sent in all, and what the target answers each time. */
const SENT: Readonly<Record<string, readonly [number, typeof call, Handler]>> = {
  'a call to a target that is never ready': [7, call, answer(503)],
  'a call to a target that wants a pause of an hour': [1, call, answer(503, { 'retry-after': '3600' })],
  'a probe of refusal that gets 429': [1, unauthorized, answer(429, { 'retry-after': '0' })],
  'a probe of refusal that gets 503': [1, unauthorized, answer(503)],
  'a probe of refusal that gets 401': [1, unauthorized, answer(401)],
  'a probe of refusal that gets half a response': [1, unauthorized, breakOff],
  'a probe of refusal that gets no response': [2, unauthorized, (response) => response.destroy()],
}

for (const [what, [times, send, handler]] of Object.entries(SENT))
  test(`${what} is sent ${times === 1 ? 'once' : `${times} times`}, and no more`, async () => {
    const target = await answering(handler)

    const { exchange } = await send(sessionOf(target.url, {}, hurriedTime))

    expect(exchange.number).toBe(times)
    const authorization = send === unauthorized ? NOBODY.value : `Bearer ${TOKEN}`
    expect(target.requests.map(({ authorization }) => authorization)).toEqual(Array(times).fill(authorization))
  })

test('no redirect is followed, and none takes the token anywhere', async () => {
  const other = await answering(answer(200))
  const statuses = [301, 302, 303, 307, 308]
  const target = await answering((response, number) => answer(statuses[number - 1]!, { location: other.url })(response))
  const session = sessionOf(target.url)

  for (const status of statuses) expect(await session.attempt('getTag', ONE_TAG)).toMatchObject({ status })

  expect([target.requests.length, other.requests.length]).toEqual([5, 0])
  expect(JSON.stringify(session.evidence.exchanges)).not.toContain(TOKEN)
})

test('an id or a base path that looks like an address leads to no other host', async () => {
  const [target, other] = [await answering(answer(200)), await answering(answer(200))]
  const address = other.url.replace('http:', '')

  await sessionOf(target.url + address).ask('getTag', { path: { tagId: address } })

  expect(other.requests).toEqual([])
  expect(target.requests.map(({ url }) => url)).toEqual([`${address}/api/tags/${encodeURIComponent(address)}`])
})

test('paths are appended to the base address, whether or not it has a path or ends with a slash', async () => {
  const target = await answering(answer(200))

  for (const base of ['', '/', '/crm/v2', '/crm/v2/']) await sessionOf(target.url + base).ask('getTag', ONE_TAG)

  const prefixes = ['', '', '/crm/v2', '/crm/v2']
  expect(target.requests.map(({ url }) => url)).toEqual(prefixes.map((prefix) => `${prefix}/api/tags/tag_1`))
})

test('any text arrives whole, as an id and as a search text', async () => {
  const target = await answering(answer(200))
  const session = sessionOf(target.url)
  const texts = ['a b', 'a/b?c#d&e=f%+', 'Été 😀', 'a\r\nx: 1']

  for (const text of texts) {
    await session.ask('getTag', { path: { tagId: text } })
    await session.attempt('listTickets', { query: { searchParam: text } })
  }

  const encoded = ['a%20b', 'a%2Fb%3Fc%23d%26e%3Df%25%2B', '%C3%89t%C3%A9%20%F0%9F%98%80', 'a%0D%0Ax%3A%201']
  const expected = encoded.flatMap((text) => [`/api/tags/${text}`, `/api/tickets?searchParam=${text}`])
  expect(target.requests.map(({ url }) => url)).toEqual(expected)
})

test('no more requests are sent in a second than MAX_REQUESTS_PER_SECOND allows', async () => {
  const target = await answering(answer(200))
  const session = sessionOf(target.url, { MAX_REQUESTS_PER_SECOND: '20' })

  await Promise.all(Array.from({ length: 9 }, (_, id) => session.ask('getTag', { path: { tagId: String(id) } })))

  expect(target.requests).toHaveLength(9)
  expect(target.requests[8]!.at - target.requests[0]!.at).toBeGreaterThanOrEqual(8 * 50 - 25)
})

const [GZIP, BROTLI] = [{ 'content-encoding': 'gzip' }, { 'content-encoding': 'br' }]
const zeros = (): Buffer => Buffer.alloc(20 * 1024 * 1024)

/** What a target does that would bring a careless client down, and the failure that it ends as. */
const HOSTILE: Readonly<Record<string, readonly [Handler, Failure['kind']]>> = {
  'an answer larger than the limit': [answer(200, {}, zeros), 'too large'],
  'a gzip bomb': [answer(200, GZIP, () => gzipSync(zeros())), 'too large'],
  'a brotli bomb': [answer(200, BROTLI, () => brotliCompressSync(zeros())), 'too large'],
  'a body that never ends': [drip, 'timeout'],
  'a target that hangs': [() => undefined, 'timeout'],
  'invalid gzip': [answer(200, GZIP), 'cut'],
  'a header of a megabyte': [answer(200, { 'x-long': 'x'.repeat(2 ** 20) }), 'headers too large'],
}

for (const [what, [handler, kind]] of Object.entries(HOSTILE))
  test(`${what} is a failure that says "${kind}", within seconds`, async () => {
    const target = await answering(handler)
    const limit = { REQUEST_TIMEOUT_MS: kind === 'timeout' ? '300' : '8000' }
    const session = sessionOf(target.url, limit, kind === 'cut' ? hurriedTime : realTime)

    const probe = await session.attempt('getTag', ONE_TAG).catch((error: Error) => error)

    if (kind.endsWith('too large')) expect(probe).toBeInstanceOf(Unanswered)
    else expect(probe).toMatchObject({ status: undefined, success: false, body: undefined })
    const { failure, durationMs } = session.evidence.exchanges.at(-1)!
    expect(failure?.kind).toBe(kind)
    expect(durationMs).toBeLessThan(kind === 'timeout' ? 2000 : 8000)
  })

test('JSON nested 100,000 deep is not read, which is no fault of it, and no crash', async () => {
  const target = await answering(answer(200, {}, () => Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)))
  const session = sessionOf(target.url)

  await expect(session.ask('getTag', ONE_TAG)).rejects.toThrow(
    'JSON of more than 500 levels, which the suite does not read',
  )

  expect(session.evidence.answers).toEqual([])
})

const CODINGS: Readonly<Record<string, readonly [name: string, encode: (bytes: Buffer) => Buffer]>> = {
  gzip: ['gzip', gzipSync],
  'gzip by its old name': ['x-gzip', gzipSync],
  'deflate with its zlib header': ['deflate', deflateSync],
  'deflate without a header': ['Deflate', deflateRawSync],
  brotli: ['br', brotliCompressSync],
  'two codings, one after the other': ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
}

for (const [what, [name, encode]] of Object.entries(CODINGS))
  test(`an answer in ${what} is decoded`, async () => {
    const target = await answering(answer(200, { 'content-encoding': name }, () => encode(BYTES)))

    const { body } = await sessionOf(target.url).ask('getTag', ONE_TAG)

    expect(body).toEqual(TAG)
  })

function answer(status: number, headers: Readonly<Record<string, string>> = {}, body = () => BYTES): Handler {
  const all = { 'content-type': 'application/json', ...headers }
  return (response) => response.writeHead(status, all).end(body())
}

function busyForTwoSeconds(response: ServerResponse): void {
  response.writeHead(429, { 'retry-after': new Date(Date.now() + 2000).toUTCString() }).end()
}

function breakOff(response: ServerResponse): void {
  response.writeHead(401, { 'content-length': '100' })
  response.write('{"error":', () => response.destroy())
}

function drip(response: ServerResponse): void {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}

/** A target, and what it was asked: when in milliseconds, for what and with which token. */
async function answering(handler: (response: ServerResponse, number: number) => unknown) {
  const requests: { at: number; url: string; authorization: string | undefined }[] = []
  const url = await serve(({ url: target, headers: { authorization } }, response) => {
    handler(response, requests.push({ at: Date.now(), url: target!, authorization }))
  })
  return { url, requests }
}
