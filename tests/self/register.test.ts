import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { Contract } from '../engine/contract.ts'
import { register } from '../requirements/register.ts'

const requirements = register(new Contract())

test('the ids of the requirements are the permanent ones', () => {
  const permanent = readFileSync(new URL('requirement-ids.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  expect(requirements.map(({ id }) => id).toSorted()).toEqual(permanent)
})

test('every requirement says what it demands, of which operation, and where the document says so', () => {
  for (const { id, title, source, operations } of requirements) {
    expect(title, id).toMatch(/^\p{Lu}.*\.$/u)
    expect(source, id).not.toBe('')
    expect(operations.length, id).toBeGreaterThan(0)
  }
})

test('each section that a requirement names is a heading that the contract names too', () => {
  const contract = new Contract()
  const headings = new Set([
    ...[...contract.operations.values()].map(({ section }) => section),
    ...contract.fields.map(({ section }) => section),
    ...[
      'Authentication',
      'Paging',
      'Errors',
      'Limits',
      'Versioning',
      'Endpoints',
      'Introduction',
      'What the service does',
    ],
  ])
  const named = requirements.flatMap(({ source }) => source.split('; '))
  expect([...new Set(named)].filter((heading) => !headings.has(heading))).toEqual([])
})
