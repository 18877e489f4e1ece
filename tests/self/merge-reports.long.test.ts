import { rmSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { setting } from '../../fixtures/faults/building/answers.ts'
import { entriesOf, everythingOf, reportOf, textOf } from './child-run.ts'
import { test } from './own-target.ts'
import { schemaErrors } from './report-schema.ts'

const SOME = ['tickets', 'answers']
const TOKEN = 'a-token-of-this-test-alone'

/** Campaigns have a number for a name: the shard that filters tickets never sees it. */
const NUMBERS_FOR_NAMES = setting('campaign', 'name', () => 17)

test('the blobs of all shards make one report and one verdict, and without one of them the run is broken', async ({
  run,
  target,
}, testInfo) => {
  const { url, settings } = await target({ deviations: [NUMBERS_FOR_NAMES], token: TOKEN })
  const blobs = testInfo.outputPath('blobs')
  const shard = (number: number) =>
    run(
      { ...settings, PLAYWRIGHT_BLOB_OUTPUT_FILE: path.join(blobs, `${number}.zip`), PWTEST_BLOB_DO_NOT_REMOVE: '1' },
      [...SOME, `--shard=${number}/2`, '--reporter=blob'],
    )
  const merge = () => run({}, ['--config', 'playwright.config.ts', blobs], 'merge-reports')

  const whole = await run(settings, SOME)
  const parts = [await shard(1), await shard(2)]
  const merged = await merge()

  expect(parts.map((part) => reportOf(part).shard)).toEqual([
    { current: 1, total: 2 },
    { current: 2, total: 2 },
  ])
  const report = reportOf(merged)
  expect(schemaErrors(report)).toEqual([])
  expect(report).toMatchObject({ verdict: 'nonconformant', target: { baseUrl: url } })
  expect(merged.exitCode).toBe(1)
  expect(merged.output).toContain('NONCONFORMANT')
  expect(entriesOf(merged)).toHaveLength(report.requests.count)
  const told = ({ requirements }: typeof report) =>
    requirements
      .filter(({ id }) => /^Campaign\.|^Ticket\.|^listTickets\.filter/.test(id))
      .map(({ id, outcome, findings }) => [id, outcome, ...findings.map(({ message }) => message)])
  expect(told(report)).toEqual(told(reportOf(whole)))
  const [finding] = report.requirements.find(({ id }) => id === 'Campaign.name')!.findings
  expect(entriesOf(merged)[finding!.exchange - 1]).toMatchObject({
    _exchange: finding!.exchange,
    _operation: 'listCampaigns',
  })
  for (const [name, text] of everythingOf(merged)) expect(text, name).not.toContain(TOKEN)

  rmSync(path.join(blobs, '1.zip'))
  const lacking = await merge()

  expect(lacking.exitCode).toBe(3)
  expect(reportOf(lacking).verdict).toBe('broken')
  for (const text of [
    lacking.output,
    ...['junit.xml', 'summary.md', 'ctrf.json', 'index.html'].map((file) => textOf(lacking, file)),
  ])
    expect(text).toContain('Shard 1 of 2 handed in no report')
  const misspelt = await run({ FAIL_ON: 'upate' }, ['--config', 'playwright.config.ts', blobs], 'merge-reports')
  expect(misspelt.exitCode).toBe(2)
  expect(misspelt.output).toContain('FAIL_ON names "upate"')
  const listed = await run({}, ['--config', 'playwright.config.ts', '--reporter=list', blobs], 'merge-reports')
  expect(listed.exitCode).toBe(2)
})

test('a run that could not begin leaves nothing to merge, and why', async ({ run }, testInfo) => {
  const blobs = testInfo.outputPath('blobs')
  await run(
    {
      BASE_URL: 'http://127.0.0.1:9',
      ACCESS_TOKEN: TOKEN,
      MAX_DURATION_S: '10',
      PLAYWRIGHT_BLOB_OUTPUT_DIR: blobs,
    },
    ['--shard=1/2', '--reporter=blob'],
  )

  const merged = await run({}, ['--config', 'playwright.config.ts', blobs], 'merge-reports')

  expect(merged.exitCode).toBe(3)
  expect(merged.output).toContain("http://127.0.0.1:9 can't be reached")
  expect(merged.output).toContain('No blob here holds a report of this suite')
  expect(reportOf(merged).verdict).toBe('broken')
  expect(textOf(merged, 'junit.xml')).toContain('<error')
})
