import { stripVTControlCharacters } from 'node:util'
import { expect } from '@playwright/test'
import { reportOf } from './child-run.ts'
import { test } from './own-target.ts'
import { schemaErrors } from './report-schema.ts'

const WRONG_USE = 2
const BROKEN = 3
const NOWHERE = { BASE_URL: 'http://127.0.0.1:1', ACCESS_TOKEN: 'a-token-that-opens-nothing', MAX_DURATION_S: '10' }

/** Settings that can't be used, each with the one that the sentence must name. */
const MISTAKES: Readonly<
  Record<string, readonly [setting: string, settings: Readonly<Record<string, string>>, args?: readonly string[]]>
> = {
  'a target that is not there': ['BASE_URL', NOWHERE],
  'an invalid address': ['BASE_URL', { ...NOWHERE, BASE_URL: 'staging' }],
  'a target without a token': ['ACCESS_TOKEN', { BASE_URL: NOWHERE.BASE_URL }],
  'an unknown level': ['LEVEL', { LEVEL: 'foo' }],
  'an unknown level, seen by --reporter=list': ['LEVEL', { LEVEL: 'foo' }, ['--reporter=list']],
  'an unknown level, seen by --reporter=line': ['LEVEL', { LEVEL: 'foo' }, ['--reporter=line']],
  'an invalid date format': ['DATE_FORMAT', { ...NOWHERE, DATE_FORMAT: 'yesterday' }],
  'a data set that is not JSON': ['DATASET', { ...NOWHERE, DATASET: 'spec/openapi.yaml' }],
  'a data set of another format': ['DATASET', { ...NOWHERE, DATASET: 'package.json' }],
  'a thing that nothing can be made to exercise': ['FAIL_ON', { FAIL_ON: 'incomplete, everything' }],
  'a data set that is not there': ['DATASET', { ...NOWHERE, DATASET: 'no/such.json' }],
}

for (const [what, [setting, settings, args]] of Object.entries(MISTAKES))
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
