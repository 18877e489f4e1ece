import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, mergeTests } from '@playwright/test'
import type { Outcome } from '../engine/judging/requirement.ts'
import { compare, inShort } from '../reporting/comparison/comparison.ts'
import { comparisonPage } from '../reporting/comparison/comparison-page.ts'
import { comparisonText } from '../reporting/comparison/comparison-text.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { runScript } from '../run/node-process.ts'
import { deviationOf } from './deviation-of.ts'
import { runMatrix } from './matrix-run.ts'
import { test as targetTest } from './own-target.ts'
import { expectAccessible, SCREENS, test as pageTest } from './page-test.ts'
import { HOSTILE, sampleReport } from './sample-report.ts'
import { aFinding, aReport, aRequirement } from './small-run.ts'

const test = mergeTests(targetTest, pageTest)

const runCompare = (...args: readonly string[]) => runScript('compare', args)

test('a fault is a regression, told with what failed, what is done otherwise and the fields that went', async ({
  target,
  page,
}, testInfo) => {
  const before = await target()
  const names = ['ticket-status-ignored', 'pages-of-7', 'creation-times-left-out']
  const after = await target({ deviations: names.map(deviationOf) })
  const targets = [
    { name: 'before', baseUrl: before.url, accessToken: before.accessToken },
    { name: 'after', baseUrl: after.url, accessToken: after.accessToken },
  ]
  const folder = testInfo.outputPath('reports')
  await runMatrix(testInfo.outputPath(), targets, ['--reports', folder])
  const [a, b] = [path.join(folder, 'before'), path.join(folder, 'after', 'conformance.json')]
  const html = testInfo.outputPath('comparison.html')

  const [worse, better, same] = [await runCompare(a, b, '--html', html), await runCompare(b, a), await runCompare(a, a)]

  expect(worse.exitCode).toBe(1)
  expect(worse.output).toMatch(/^A: before was incomplete on \d{4}-\d\d-\d\d \d\d:\d\d UTC \(suite [\d.]+\)$/m)
  expect(worse.output).toMatch(/^Worse \(\d+\)\n {2}passed → failed\n/m)
  expect(worse.output).toContain('listTickets.filter.status-open (implied)')
  expect(worse.output).toContain('tickets whose status is not the one asked for were returned')
  expect(worse.output).toContain('listContacts, listSchedules: page size\n    - 20\n    + 7\n')
  expect(worse.output).toMatch(/^Fields that went: seen in A, never in B \(\d+\)(\n {2}.*)*\n {2}Contact\.createdAt$/m)
  expect(worse.output).toContain('B is worse than A: the verdict was incomplete and is nonconformant, ')
  expect(better.exitCode).toBe(0)
  expect(better.output).toMatch(/^Better \(\d+\)\n/m)
  expect(better.output).toMatch(/^Fields that came: seen in B, never in A/m)
  expect(same.exitCode).toBe(0)
  expect(same.output.trim().endsWith('\n\nNo difference.')).toBe(true)

  await page.goto(`file://${html}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('before and after side by side')
  await expect(page.locator('.in-short')).toContainText('B is worse than A')
  const changed = page.locator('.requirements > li').filter({ hasText: 'listTickets.filter.status-open' })
  await expect(changed).toContainText(/passed\s+→\s*then\s+✗ failed/)
  await expect(page.locator('.observations > li').filter({ hasText: 'page size' })).toContainText('- 20')
})

const STEPS: readonly (readonly [was: Outcome, is: Outcome, heading: string, isRegression: boolean])[] = [
  ['passed', 'failed', 'Worse (1)', true],
  ['passed', 'not exercised', 'Worse (1)', true],
  ['passed', 'broken', 'Worse (1)', true],
  ['not exercised', 'failed', 'Worse (1)', true],
  ['failed', 'passed', 'Better (1)', false],
  ['not exercised', 'passed', 'Better (1)', false],
  ['failed', 'not exercised', 'Neither worse nor better (1)', false],
]

for (const [was, is, heading, isRegression] of STEPS)
  test(`${was}, then ${is}, is ${isRegression ? 'a' : 'no'} regression`, () => {
    const [a, b] = [was, is].map((outcome) => aReport([of(outcome)]))
    const comparison = compare(a!, b!)

    expect(comparison.isRegression).toBe(isRegression)
    expect(comparisonText(comparison)).toContain(`${heading}\n  ${was} → ${is}\n    listTickets.filter.status-open`)
  })

test('a verdict that got worse is a regression by itself', () => {
  const comparison = compare(aReport([], { verdict: 'conformant' }), aReport([], { verdict: 'broken' }))

  expect(comparison.isRegression).toBe(true)
  expect(inShort(comparison)).toBe('B is worse than A: the verdict was conformant and is broken.')
})

test('what does not count at LEVEL is told, and is no regression', () => {
  const [a, b] = [of('passed'), of('failed')].map((one) => aReport([{ ...one, level: 'implied' }]))
  const comparison = compare(a!, { ...b!, settings: { ...b!.settings!, level: 'stated' } })

  expect(comparison.isRegression).toBe(false)
  expect(comparisonText(comparison)).toContain('(implied, does not count): tickets were wrong')
  expect(inShort(comparison)).toBe('Nothing that counts got worse (LEVEL=stated).')
})

test('what is no longer exercised for one reason is told once, with every requirement', () => {
  const ids = ['updateContact.update.name', 'updateContact.update.email']
  const all = (outcome: Outcome): Report => aReport(ids.map((id) => ({ ...of(outcome), id })))

  expect(comparisonText(compare(all('passed'), all('not exercised')))).toContain(
    `    2 requirements: Updates are not allowed.\n${ids.map((id) => `      ${id} (stated)\n`).join('')}`,
  )
})

test('observations differ both ways: values that came and went, and what only one run has observed', () => {
  const ids = ['listContacts.observed.other-fields', 'listContacts.observed.page-size']
  const requirements = ids.map((id) => aRequirement({ id, level: 'observed' }))
  const [fields, size] = ids.map((id) => ({ id, topic: id.split('.')[2]!, operation: 'listContacts' }))
  const silent = { ...requirements[1]!, outcome: 'not exercised' as const, reason: 'Needs two pages.' }
  const a = aReport(requirements, {
    observations: [
      { ...fields!, value: ['a', 'b'] },
      { ...size!, value: 20 },
    ],
  })
  const b = aReport([requirements[0]!, silent], { observations: [{ ...fields!, value: ['c', 'b'] }] })

  const text = comparisonText(compare(a, b))

  expect(text).toContain('  listContacts: other-fields\n    - "a"\n    + "c"\n')
  expect(text).toContain('  listContacts: page-size (not observed in B: Needs two pages.)\n    - 20\n')
  expect(text).toContain('Nothing got worse.')
})

test('requirements that only one report knows are named', () => {
  const [a, b] = ['a.one', 'b.one'].map((id) => aReport([aRequirement({ id })]))

  const text = comparisonText(compare(a!, b!))

  expect(text).toContain('Only A knows (1)\n  a.one: It is so.')
  expect(text).toContain('Only B knows (1)\n  b.one: It is so.')
  expect(text).toContain('Nothing got worse in what both judge; B lacks 1 that A judges.')
})

test('a run that could not begin says why, and nothing of fields and observations', () => {
  const reason = 'BASE_URL cannot be reached.'
  const nothing = aReport([{ ...of('not exercised'), reason }], { verdict: 'broken', fields: [] })

  const text = comparisonText(compare(aReport([of('passed')]), nothing))

  expect(text).toContain(`   the run could not begin: ${reason}`)
  expect(text).not.toContain('Fields')
})

test("a target's text steers neither a terminal nor a page", async ({ openFile }) => {
  const hostile = `${HOSTILE}\u001B[2J\nB is better than A`
  const [a, b] = ['x', hostile].map((text) => sampleReport({ text, each: 3 }).report)
  const failing = { ...b!, requirements: b!.requirements.map((one) => ({ ...one, outcome: 'failed' as const })) }
  const comparison = compare(a!, failing)

  const text = comparisonText(comparison)
  for (const control of ['\u001B', '\u202E']) expect(text).not.toContain(control)
  expect(text.split('\n').filter((line) => line.startsWith('B is better'))).toEqual([])
  const page = await openFile(await comparisonPage(comparison))
  await expect(page).toHaveTitle(/^x and .*side by side$/)
  await expect(page.locator('img, script:not(body > script), a[href^=javascript]')).toHaveCount(0)
})

test('the page is one file, and asks for nothing else', async () => {
  const html = await comparisonPage(compare(sampleReport().report, sampleReport({ text: 'Eva' }).report))

  expect(html).not.toMatch(/(?:src|href)="(?!#|data:)/)
})

for (const [where, { viewport, colorScheme }] of Object.entries(SCREENS))
  test(`${where}, the page is accessible and fits`, async ({ openFile, page }) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    const { report } = sampleReport({ each: 7, text: 'a target with rather a long name' })
    const outcomes: readonly Outcome[] = ['passed', 'failed', 'not exercised', 'broken']
    const after = {
      ...sampleReport({ each: 7, text: 'another' }).report,
      requirements: report.requirements.slice(1).map((one, index) => ({ ...one, outcome: outcomes[index % 4]! })),
      fields: report.fields.slice(3),
    }

    await openFile(await comparisonPage(compare(report, after)))

    await expectAccessible(page)
  })

const REPORT = JSON.stringify(aReport([]))
const WRONG: readonly [what: string, files: Readonly<Record<string, string>>, args: readonly string[], says: RegExp][] =
  [
    ['one report', { a: REPORT }, ['a'], /^Give two reports; --help tells more\.$/],
    ['three reports', { a: REPORT }, ['a', 'a', 'a'], /^Give two reports; --help tells more\.$/],
    ['a file that is not there', { a: REPORT }, ['a', 'b'], /^B is ".*b", and there is no report; name the folder/],
    ['a folder without a report', { a: REPORT }, ['.', 'a'], /^A is ".*", and there is no report; name the folder/],
    [
      'a file that is no report',
      { a: REPORT, b: '{}' },
      ['a', 'b'],
      /b is not a report of this version: \w+ is missing/,
    ],
    ['a file that is not JSON', { a: REPORT, b: '\u001B[2J' }, ['a', 'b'], /b can't be read as JSON/],
    [
      'a report of another format',
      { a: '{"formatVersion":2}', b: REPORT },
      ['a', 'b'],
      /^A is ".*a", which has formatVersion 2; this suite reads 1/,
    ],
    [
      'a page that has no folder',
      { a: REPORT },
      ['a', 'a', '--html', 'none/x'],
      /^--html is ".*", which can't be written/,
    ],
  ]

for (const [what, files, args, says] of WRONG)
  test(`${what} is told in one sentence`, async () => {
    for (const [name, text] of Object.entries(files)) writeFileSync(fileOf(name), text)

    const { exitCode, output } = await runCompare(...args.map((arg) => (arg.startsWith('--') ? arg : fileOf(arg))))

    expect(exitCode).toBe(2)
    expect(output.trim()).toMatch(says)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).not.toContain('\u001B')
  })

/** A file of the test's own. */
function fileOf(name: string): string {
  return test.info().outputPath(name)
}

/** A requirement as a run with that outcome has it. */
function of(outcome: Outcome): ReturnType<typeof aRequirement> {
  if (outcome === 'failed') return aRequirement({ outcome, findings: [aFinding()] })
  return aRequirement({ outcome, ...(outcome !== 'passed' && { reason: 'Updates are not allowed.' }) })
}
