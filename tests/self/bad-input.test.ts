import { stripVTControlCharacters } from 'node:util'
import { expect } from '@playwright/test'
import { reportOf } from './child-run.ts'
import { test } from './own-target.ts'
import { schemaErrors } from './report-schema.ts'

const WRONG_USE = 2
const BROKEN = 3
const NOWHERE = { BASE_URL: 'http://127.0.0.1:1', ACCESS_TOKEN: 'a-token-that-opens-nothing', MAX_DURATION_S: '10' }

interface Mistake {
  readonly what: string
  readonly setting: string
  readonly settings: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

const MISTAKES: readonly Mistake[] = [
  { what: 'a target that is not there', setting: 'BASE_URL', settings: NOWHERE },
  { what: 'an address that is none', setting: 'BASE_URL', settings: { ...NOWHERE, BASE_URL: 'staging' } },
  { what: 'a target without a token', setting: 'ACCESS_TOKEN', settings: { BASE_URL: NOWHERE.BASE_URL } },
  { what: 'an unknown level', setting: 'LEVEL', settings: { LEVEL: 'foo' } },
  {
    what: 'an unknown level, seen by --reporter=list',
    setting: 'LEVEL',
    settings: { LEVEL: 'foo' },
    args: ['--reporter=list'],
  },
  {
    what: 'an unknown level, seen by --reporter=line',
    setting: 'LEVEL',
    settings: { LEVEL: 'foo' },
    args: ['--reporter=line'],
  },
  {
    what: 'a date format that is none',
    setting: 'DATE_FORMAT',
    settings: { ...NOWHERE, DATE_FORMAT: 'yesterday' },
  },
  { what: 'a data set that is not JSON', setting: 'DATASET', settings: { ...NOWHERE, DATASET: 'spec/openapi.yaml' } },
  { what: 'a data set of another format', setting: 'DATASET', settings: { ...NOWHERE, DATASET: 'package.json' } },
  {
    what: 'a thing that nothing can be made to exercise',
    setting: 'FAIL_ON',
    settings: { FAIL_ON: 'incomplete, everything' },
  },
  { what: 'a data set that is not there', setting: 'DATASET', settings: { ...NOWHERE, DATASET: 'no/such.json' } },
]

for (const { what, setting, settings, args } of MISTAKES)
  test(`${what} is told in a sentence that names ${setting}`, async ({ run }) => {
    const finished = await run(settings, args)

    expect(finished.exitCode).toBe(settings === NOWHERE ? BROKEN : WRONG_USE)
    expect(finished.seconds).toBeLessThan(15)
    const said = withoutFirstLine(stripVTControlCharacters(finished.output))
    expect(said).toMatch(new RegExp(`^${setting}\\b[^\\n]+\\.$`))
    expectBroken(reportOf(finished), said)
  })

test('a refused token is told in a sentence that names ACCESS_TOKEN', async ({ run, target }) => {
  const service = await target()
  const token = 'not-the-token-of-anybody'

  const finished = await run({ BASE_URL: service.url, ACCESS_TOKEN: token })

  expect(finished.exitCode).toBe(BROKEN)
  const said = withoutFirstLine(finished.output)
  expect(said).toMatch(/^ACCESS_TOKEN was refused[^\n]+\.$/)
  expect(finished.output).not.toContain(token)
  expectBroken(reportOf(finished), said)
})

/** What was said of the mistake, without the line that names the target. */
function withoutFirstLine(output: string): string {
  return output.replace(/^Judging [^\n]+\n/, '').trim()
}

function expectBroken(report: ReturnType<typeof reportOf>, said: string): void {
  expect(schemaErrors(report)).toEqual([])
  expect(report.verdict).toBe('broken')
  expect(report.totals).toMatchObject({ passed: 0, failed: 0, broken: 0 })
  expect([...new Set(report.requirements.map(({ reason }) => reason))]).toEqual([said])
}
