import { base, en, Faker } from '@faker-js/faker'
import { expect, test } from '@playwright/test'
import { similarTo, randomWord } from '../requirements/unknown-value.ts'

const ROUNDS = 2000

/** Values as targets use them, and the form that a value like them has. */
const SHAPES = {
  'a random UUID': [
    '8f14e45f-ceea-467f-a0e6-1d3b5c7e9f21',
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  ],
  'a UUID in order of time': [
    '01890a5d-ac96-774b-bcce-b302099a8057',
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  ],
  'a UUID in capitals': [
    '8F14E45F-CEEA-467F-A0E6-1D3B5C7E9F21',
    /^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/,
  ],
  'an id of 24 hexadecimal digits': ['507f1f77bcf86cd799439011', /^[0-9a-f]{24}$/],
  'a short number': ['7', /^[12]\d{9}$/],
  'a number of ten digits': ['1999999999', /^[12]\d{9}$/],
  'a telephone number': ['5511987650143', /^\d{13}$/],
  'an id with a prefix': ['con_4Hq8Zt', /^[a-z]{3}_\d[A-Z][a-z]\d[A-Z][a-z]$/],
  'an id of capitals': ['TKT-QZX', /^[A-Z]{3}-[A-Z]{3}$/],
  'a token of three parts': [
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.dGhlLXNpZ25hdHVyZQ',
    /^[A-Za-z0-9]{20}\.[A-Za-z0-9]{16}\.[A-Za-z0-9]{18}$/,
  ],
  'an address': ['120363000000000417@groups.example.com', /^\d{18}@[a-z]{6}\.[a-z]{7}\.[a-z]{3}$/],
} as const

for (const [what, [sample, shape]] of Object.entries(SHAPES))
  test(`a value like ${what} has its shape, and is another`, () => {
    const values = likenesses(sample)

    expect(values.filter((value) => !shape.test(value)).slice(0, 3)).toEqual([])
    expect(values.indexOf(sample)).toBe(-1)
    expect(new Set(values).size).toBeGreaterThan(ROUNDS * 0.9)
  })

test('a value like another is never that other, short as it is', () => {
  const samples = ['a', 'X', 'c1', 'T1', 'ff', 'тег-1', '李雷']

  expect(samples.filter((sample) => likenesses(sample).includes(sample))).toEqual([])
})

test('a value like a short number fits 32 bits, and is far beyond any number in use', () => {
  const numbers = likenesses('42').map(Number)

  expect(Math.min(...numbers)).toBeGreaterThan(1_000_000_000)
  expect(Math.max(...numbers)).toBeLessThan(2 ** 31)
})

test('a value like another is the same for the same seed', () => {
  const [first, second] = [random(7), random(7)]

  expect(similarTo('con_4Hq8Zt', first)).toBe(similarTo('con_4Hq8Zt', second))
  expect(similarTo('con_4Hq8Zt', first)).not.toBe(similarTo('con_4Hq8Zt', random(8)))
})

test('randomWord is a text without vowels, digits or blanks, and different each time', () => {
  const source = random(7)
  const texts = Array.from({ length: ROUNDS }, () => randomWord(source))

  expect(texts.filter((text) => !/^[b-df-hj-np-tv-xz]{20}$/.test(text)).slice(0, 3)).toEqual([])
  expect(new Set(texts).size).toBe(ROUNDS)
})

function likenesses(sample: string): string[] {
  const source = random(20260302)
  return Array.from({ length: ROUNDS }, () => similarTo(sample, source))
}

function random(seed: number): Faker {
  return new Faker({ locale: [en, base], seed })
}
