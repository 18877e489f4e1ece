import { expect, test } from '@playwright/test'
import type { Entry } from 'har-format'
import type { Exchange } from '../engine/http/exchange.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { tokenShape } from '../certification/token-shape.ts'
import { evidenceHar } from '../reporting/result/evidence-har.ts'
import { aFinding, aRequirement } from './small-run.ts'

const TOKEN = 'mQ7vXz2LrTb9KdHs4WcYp8JnFa6GeUi3RoVt5BkNxCw'
const policy = RedactionPolicy.ofPublicData({ accessToken: TOKEN })

const EXCHANGE: Exchange = {
  number: 1,
  operation: 'listTickets',
  purpose: 'answer',
  request: {
    method: 'GET',
    url: 'https://host/crm/api/tickets?status=open',
    target: '/crm/api/tickets?status=open',
    headers: [['accept', 'application/json']],
    caller: 'main',
  },
  response: {
    status: 200,
    statusText: 'OK',
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Echo', `Bearer ${TOKEN}`],
      [`X-${TOKEN}`, '1'],
      ['Set-Cookie', 'session=4711'],
    ],
    body: Buffer.from('{"tickets":[]}'),
  },
  startedAt: new Date('2026-03-02T09:14:27.000Z'),
  durationMs: 12.3456,
}

test('an exchange becomes an entry with its number, its caller and its whole answer', () => {
  const entry = entryOf(EXCHANGE)

  expect(entry).toMatchObject({
    _exchange: 1,
    _operation: 'listTickets',
    _purpose: 'answer',
    _caller: 'main',
    startedDateTime: '2026-03-02T09:14:27.000Z',
    time: 12.346,
    request: {
      method: 'GET',
      url: EXCHANGE.request.url,
      headers: [
        { name: 'Authorization', value: 'Bearer [token]' },
        { name: 'accept', value: 'application/json' },
      ],
      queryString: [{ name: 'status', value: 'open' }],
    },
    response: { status: 200, content: { size: 14, mimeType: 'application/json', text: '{"tickets":[]}' } },
  })
  expect(entry.response.headers).toEqual([
    { name: 'Content-Type', value: 'application/json' },
    { name: 'X-Echo', value: 'Bearer [token]' },
    { name: 'X-[token]', value: '1' },
    { name: 'Set-Cookie', value: '[cookie]' },
  ])
})

test('a bad token is described, and none at all leaves no header', () => {
  expect(authorizationOf('other')).toBe('Bearer [token of the second company]')
  expect(authorizationOf({ refused: 'with the token cut short' })).toBe('[with the token cut short]')
  expect(authorizationOf({ refused: 'without an Authorization header' })).toBeUndefined()
})

test('a body that is no text is kept as bytes, without the token', () => {
  const body = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(TOKEN)])

  const { content } = entryOf({ ...EXCHANGE, response: { ...EXCHANGE.response!, body } }).response

  expect(content.encoding).toBe('base64')
  expect(Buffer.from(content.text!, 'base64').toString('latin1')).toBe('ÿþ[token]')
})

test('an exchange without an answer says why', () => {
  const { response: _, ...unanswered } = EXCHANGE

  const entry = entryOf({ ...unanswered, failure: { kind: 'timeout', message: 'no whole answer within 10 ms' } })

  expect(entry.response).toMatchObject({ status: 0, content: { size: 0 } })
  expect(entry).toMatchObject({ _failure: { kind: 'timeout', message: 'no whole answer within 10 ms' } })
})

test('of an answer that was cut short, the archive has what findings point to', () => {
  const cut = { ...EXCHANGE, response: { ...EXCHANGE.response!, cut: { size: 3_000_000, sha256: 'ab12' } } }
  const found = { pointer: '/tickets/9999/id', record: '12', received: 12 }
  const findings = [aFinding({ ...found, exchange: 1 })]
  const report = { requirements: [aRequirement({ findings })] }

  const [entry, whole] = [cut, EXCHANGE].map((exchange) => evidenceHar([exchange], policy, report).log.entries[0]!)

  expect(entry).toMatchObject({ _found: [found], response: { content: { size: 3_000_000 } } })
  expect(whole).not.toHaveProperty('_found')
})

test('the shape of a token has the form of the token and is never the token', () => {
  expect(tokenShape('Ab1-234567')).toBe('xx0-0000')
  expect(tokenShape('xxxx-0000')).toBe('yyyy-1111')
})

function entryOf(exchange: Exchange): Entry {
  return evidenceHar([exchange], policy).log.entries[0]!
}

function authorizationOf(caller: Exchange['request']['caller']): string | undefined {
  const { headers } = entryOf({ ...EXCHANGE, request: { ...EXCHANGE.request, caller } }).request
  return headers.find(({ name }) => name === 'Authorization')?.value
}
