import { expect, test } from '@playwright/test'
import { excerptOf } from '../reporting/report-page/excerpt.ts'

/** An excerpt as text, with marked lines between arrows. */
function shown(body: unknown, pointer: string): string[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return excerptOf(text, pointer).map((line) => (line.marked ? `→${line.text}←` : line.text))
}

const TICKETS = { tickets: [{ id: 'a' }, { id: 'b', status: 'CLOSED', user: { id: 'u', name: 'Ana' } }, { id: 'c' }] }

test('the place is marked, among its siblings and with what leads to it', () => {
  expect(shown(TICKETS, '/tickets/1/status')).toEqual([
    '{',
    '  "tickets": [',
    '    … 1 before,',
    '    {',
    '      "id": "b",',
    '→      "status": "CLOSED",←',
    '      "user": {…}',
    '    },',
    '    … 1 after',
    '  ]',
    '}',
  ])
})

test('a place that holds an object is marked as a whole', () => {
  expect(shown(TICKETS, '/tickets/1/user').filter((line) => line.startsWith('→'))).toEqual([
    '→      "user": {←',
    '→        "id": "u",←',
    '→        "name": "Ana"←',
    '→      }←',
  ])
})

test('what is missing is marked where it should stand', () => {
  expect(shown({ tag: { id: 'a' } }, '/tag/color')).toEqual([
    '{',
    '  "tag": {',
    '    "id": "a",',
    '→    "color": nothing←',
    '  }',
    '}',
  ])
  expect(shown({ tags: ['a'] }, '/tags/4')).toContain('→    nothing←')
})

test('a way that ends too early is marked where it ends', () => {
  expect(shown({ tags: 'none' }, '/tags/0/color')).toContain('→  "tags": "none"←')
  expect(shown('null', '/tags')).toEqual(['→null←'])
})

test('a pointer may name members with slashes and tildes', () => {
  expect(shown({ 'a/b~c': 1 }, '/a~1b~0c')).toContain('→  "a/b~c": 1←')
})

test('of a whole answer the beginning is shown, and nothing is marked', () => {
  const lines = shown({ contacts: [{ id: 'a' }, { id: 'b' }], count: 2 }, '')

  expect(lines).toEqual([
    '{',
    '  "contacts": [',
    '    {',
    '      "id": "a"',
    '    },',
    '    … 1 more',
    '  ],',
    '  "count": 2',
    '}',
  ])
})

test('what is no JSON is shown as it is', () => {
  expect(shown('<!doctype html>\n<title>Down</title>', '/tickets')).toEqual(['<!doctype html>', '<title>Down</title>'])
})

test('however large or deep a body is, its excerpt is short', () => {
  const deep = JSON.stringify({ tickets: [{ id: 'x'.repeat(100_000) }] })
  const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, number) => [`k${number}`, number])))

  for (const body of [deep, nested, wide, 'x'.repeat(1_000_000)])
    for (const pointer of ['', '/tickets/0/id', '/0/0/0', '/k9999'])
      expect(
        excerptOf(body, pointer)
          .map(({ text }) => text)
          .join('\n').length,
      ).toBeLessThan(5000)
})
