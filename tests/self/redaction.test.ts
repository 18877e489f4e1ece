import { expect, test } from '@playwright/test'
import { Redaction } from '../reporting/redaction/redaction.ts'
import { spellingsOf } from './token-spellings.ts'

const TOKEN = 'aK9/+x~Q.z-81_hTqW3=='
const OTHER = 'mQ7vXz2LrTb9KdHs4WcYp8JnFa6GeUi3RoVt5BkNxCw'

for (const token of [TOKEN, OTHER, 'Ab3dE6gH', 'pw12', 'secret-of-two-words'])
  test(`the token ${token} is found in every spelling`, () => {
    const redaction = new Redaction([undefined, token])
    for (const [name, spelling] of Object.entries(spellingsOf(token))) {
      const text = redaction.text(`before ${spelling} after`)
      expect(text, name).not.toContain(spelling)
      expect(text, name).toMatch(/^before .*\[token\].* after$/s)
    }
  })

test('both tokens are found, however often they occur', () => {
  const text = new Redaction([TOKEN, OTHER]).text(`${TOKEN},${OTHER};${TOKEN}`)

  expect(text).toBe('[token],[token];[token]')
})

test('a token that was cut, lengthened, changed or put among other letters is found', () => {
  const redaction = new Redaction([OTHER])

  for (const part of [
    OTHER.slice(0, -1),
    `${OTHER}A`,
    `x${OTHER}x`,
    `${OTHER.slice(0, -1)}!`,
    OTHER.slice(0, 24),
    OTHER.slice(19),
  ])
    expect(redaction.text(`<${part}>`), part).toMatch(/^<x?\[token\][Ax!]?>$/)
})

test('half of a token is hidden where its middle was changed', () => {
  for (const length of [17, 28, 29]) {
    const token = OTHER.slice(0, length)
    const middle = Math.floor(length / 2)
    const shown = new Redaction([token]).text(`${token.slice(0, middle)}_${token.slice(middle + 1)}`)
    expect(shown, token).not.toContain(token.slice(0, middle))
  }
})

test('a part of a signed token is found, and what is left when it was reversed and encoded', () => {
  const signed = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0NzExIiwiY29tcGFueSI6NH0.${OTHER}`
  const redaction = new Redaction([signed])
  const reversed = Buffer.from(Array.from(signed).toReversed().join(''))

  const parts = [...signed.split('.'), reversed.toString('base64'), reversed.toString('hex')]
  for (const part of parts) expect(redaction.text(`<${part}>`), part).toMatch(/^<.?\[token\].{0,3}>$/)
  expect(redaction.text('sub 4711 of company 4')).toBe('sub 4711 of company 4')
})

test('a token of escapes in part is found', () => {
  const redaction = new Redaction([OTHER])
  const mixed = Array.from(OTHER, (character, index) =>
    index % 3 === 0
      ? `&#${character.charCodeAt(0)};`
      : index % 5 === 0
        ? `\\u00${character.charCodeAt(0).toString(16)}`
        : character,
  ).join('')

  expect(redaction.text(`a ${mixed} b`)).toBe('a [token] b')
})

test('a tiny token is found as a word alone', () => {
  const redaction = new Redaction(['abc'])

  expect(redaction.text('"abc" abcde xabc Bearer abc')).toBe('"[token]" abcde xabc Bearer [token]')
})

test('what is no token stays', () => {
  const redaction = new Redaction([TOKEN, OTHER])
  const text = '{"name":"Jo\\u00e3o & Cia &lt;matriz&gt;","url":"https:\\/\\/host\\/?q=50%25%20off","İ":"ẞ"} mQ7vXz2L'

  expect(redaction.text(text)).toBe(text)
  expect(new Redaction([]).text(OTHER)).toBe(OTHER)
})

test('a body that is no text is cleaned too', () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(OTHER), Buffer.from([0xe9])])

  const clean = new Redaction([OTHER]).bytes(bytes)

  expect(clean.toString('latin1')).toBe('ÿþ\0[token]é')
})

test('a large text takes time in proportion to its length', () => {
  const text = '{"name":"Maria","lastMessage":"até amanhã"},'.repeat(200_000)
  const start = performance.now()

  new Redaction([OTHER, TOKEN]).text(text)

  // A second on an idle machine; hours if every character met every other.
  expect(performance.now() - start).toBeLessThan(30_000)
})
