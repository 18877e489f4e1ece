import { expect, test } from '@playwright/test'
import { accepted, differences, driftLines, hasNewMembers } from '../reporting/profile/drift.ts'

const SAME: Readonly<Record<string, readonly [pinned: unknown, observed: unknown]>> = {
  'an equal value': [20, 20],
  'a list that shows fewer values': [['email', 'web'], ['web']],
  'a list in another order': [
    [200, 206],
    [206, 200],
  ],
  'an object that shows fewer members': [{ a: true, b: false }, { b: false }],
  'a member that is new': [{ a: true }, { a: true, b: false }],
}

for (const [what, [pinned, observed]] of Object.entries(SAME))
  test(`${what} is no drift`, () => {
    expect(differences({ pinned, observed })).toEqual([])
  })

const DIFFERENT: Readonly<Record<string, readonly [pinned: unknown, observed: unknown, lines: readonly string[]]>> = {
  'another number': [20, 50, ['- 20', '+ 50']],
  'a value that is new in a list': [['web'], ['email', 'web'], ['+ "email"']],
  'the first value of a list': [[], ['nickname'], ['+ "nickname"']],
  'another value of a member': [{ a: true, b: true }, { a: false, b: true }, ['a:', '- true', '+ false']],
  'the same change of two members': [{ a: true, b: true }, { a: false, b: false }, ['a, b:', '- true', '+ false']],
  'a value of another kind': ['none', ['name'], ['- "none"', '+ ["name"]']],
}

for (const [what, [pinned, observed, lines]] of Object.entries(DIFFERENT))
  test(`${what} is drift, and shows in a diff`, () => {
    expect(driftLines({ pinned, observed })).toEqual(lines)
    expect(differences({ pinned: accepted({ pinned, observed }), observed })).toEqual([])
  })

test('what is accepted keeps what was not seen this time', () => {
  expect(accepted({ pinned: ['b'], observed: ['a'] })).toEqual(['a', 'b'])
  expect(Object.entries(accepted({ pinned: { b: 1, c: 3 }, observed: { a: 0, b: 2 } }) as object)).toEqual([
    ['a', 0],
    ['b', 2],
    ['c', 3],
  ])
  expect(accepted({ pinned: 20, observed: 50 })).toBe(50)
  expect(hasNewMembers({ pinned: { a: 1 }, observed: { a: 1, b: 2 } })).toBe(true)
  expect(hasNewMembers({ pinned: { a: 1, b: 2 }, observed: { a: 1 } })).toBe(false)
})
