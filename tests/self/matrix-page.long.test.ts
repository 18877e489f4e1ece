import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, mergeTests, type Locator, type Page } from '@playwright/test'
import { Contract } from '../engine/contract.ts'
import { folderNames } from '../reporting/support-table/folder-names.ts'
import { supportPage } from '../reporting/support-table/support-page.ts'
import { register } from '../requirements/register.ts'
import { reportOf } from './child-run.ts'
import { deviationOf } from './deviation-of.ts'
import { runMatrix, startMatrix } from './matrix-run.ts'
import { dataset, DATASET_FILE, test as targetTest } from './own-target.ts'
import { expectAccessible, SCREENS, test as pageTest } from './page-test.ts'
import { schemaErrors } from './report-schema.ts'
import { HOSTILE, sampleReport } from './sample-report.ts'

const test = mergeTests(targetTest, pageTest)
const requirements = register(new Contract())
const UNREACHABLE = { name: 'nobody', baseUrl: 'http://127.0.0.1:9', accessToken: 'token-of-nobody' }

test('the table shows what each target does, and leads to the report of each', async ({ target, page }, testInfo) => {
  const plain = await target()
  const deviations = ['ticket-status-ignored', 'pages-of-7'].map(deviationOf)
  const faulty = await target({ deviations })
  const { accessToken, otherAccessToken } = plain
  const everything = { baseUrl: plain.url, accessToken, otherAccessToken, dataset: DATASET_FILE, allowWrites: true }
  const targets = [
    { name: 'Plain & simple', ...everything },
    { name: 'faulty', baseUrl: faulty.url, accessToken: faulty.accessToken },
    UNREACHABLE,
  ]
  const [html, reports] = [testInfo.outputPath('support.html'), testInfo.outputPath('their reports')]

  const { exitCode, rows, output } = await runMatrix(testInfo.outputPath(), targets, [
    '--html',
    html,
    '--reports',
    reports,
  ])

  expect(exitCode, output).toBe(1)
  expect(output).toMatch(
    /faulty: nonconformant .*\n {2}listTickets: tickets whose status is not the one asked for were returned$/m,
  )
  expect(rows.map(({ verdict }) => verdict)).toEqual(['conformant', 'nonconformant', 'broken'])
  await page.goto(`file://${html}`)
  await expect(page.getByRole('columnheader')).toHaveText(['Target', ...targets.map(({ name }) => name)])
  await expect(cellsOf(page, 'Verdict')).toHaveText([/conformant/, /nonconformant/, /broken\s+why/])
  await expect(cellsOf(page, 'Requests')).toHaveText(rows.map(({ requests }) => requests.toLocaleString('en')))
  await expect(cellsOf(page, /^filters/)).toHaveText(['✓ 27 of 27', '✗ 7 of 27 failed', '○ 27 not exercised'])
  await expect(cellsOf(page, /^page size listContacts$/)).toHaveText(['20', '7', '○ not observed'])

  const status = cellsOf(page, /listTickets\.filter\.status-open$/)
  await expect(status.first()).toBeHidden()
  await page.getByRole('button', { name: 'filters' }).press('Enter')
  await expect(status).toHaveText([/✓ passed/, /✗ failed\s*tickets whose status is not the one asked for/, /not ex/])

  await status.nth(1).getByRole('link').click()
  await expect(page.locator('[id="listTickets.filter.status-open"]')).toBeFocused()
  await page.goBack()
  await page.getByRole('link', { name: 'Plain & simple' }).click()
  await expect(page).toHaveTitle('conformant: Plain & simple')
  expect(readdirSync(reports).toSorted()).toEqual(['faulty', 'nobody', 'plain-simple'])
  const report = reportOf({ folder: path.join(reports, 'plain-simple') })
  expect(schemaErrors(report)).toEqual([])
  expect(report.dataset?.file).toBe('dataset.json')
  expect(reportOf({ folder: path.join(reports, 'nobody') }).requirements[0]?.reason).toContain("can't be reached")
})

test('of a target with data of its own, nothing that is written holds personal values or the token', async ({
  target,
}, testInfo) => {
  const { url, accessToken } = await target({ deviations: [deviationOf('ticket-search-finds-nothing')] })
  const [html, reports] = [testInfo.outputPath('support.html'), testInfo.outputPath('reports')]
  const entry = { name: 'private', baseUrl: url, accessToken }

  await runMatrix(testInfo.outputPath(), [entry], ['--html', html, '--reports', reports])

  const folder = path.join(reports, 'private')
  const files = readdirSync(folder).map((name) => path.join(folder, name))
  expect(files).toHaveLength(3)
  const secrets = [accessToken, ...dataset.contacts.flatMap(({ email }) => (email ? [email] : []))]
  for (const file of [html, ...files]) {
    const text = readFileSync(file, 'utf8')
    expect(
      secrets.filter((secret) => text.includes(secret)),
      file,
    ).toEqual([])
  }
})

test('without --reports there are no links, and nothing is written but the table', async ({ openFile }, testInfo) => {
  const html = testInfo.outputPath('support.html')

  const { exitCode } = await runMatrix(testInfo.outputPath(), [UNREACHABLE], ['--html', html])

  expect(exitCode).toBe(1)
  expect(readdirSync(testInfo.outputPath()).toSorted()).toEqual(['matrix.json', 'support.html', 'targets.json'])
  const page = await openFile(readFileSync(html, 'utf8'))
  await expect(page.locator('main a')).toHaveCount(0)
  await page.getByText('why').click()
  await expect(page.getByText("can't be reached")).toBeVisible()
})

test('a signal ends the matrix with the table and the reports of what was judged', async ({ target }, testInfo) => {
  let requests = 0
  const counting = { arrive: () => void requests++ }
  const { url: baseUrl, accessToken } = await target({ deviations: [counting] })
  const file = (name: string): string => testInfo.outputPath(name)
  const targets = ['one', 'two'].map((name) => ({ name, baseUrl, accessToken }))
  const args = ['--html', file('support.html'), '--reports', file('reports'), '--jobs', '1']
  const { run, ended } = startMatrix(testInfo.outputPath(), targets, args)

  await expect.poll(() => requests, { intervals: [1], timeout: 60_000 }).toBeGreaterThan(50)
  run.kill('SIGTERM')

  expect(await ended).toBe(130)
  expect(readFileSync(file('support.html'), 'utf8')).toContain('The matrix was interrupted')
  for (const name of ['one', 'two']) expect(existsSync(file(`reports/${name}/index.html`))).toBe(true)
  expect(reportOf({ folder: file('reports/one') }).interrupted).toBe(true)
})

test('where no script runs, every row is shown', async ({ browser }, testInfo) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  writeFileSync(testInfo.outputPath('page.html'), await sampleTable())
  await page.goto(`file://${testInfo.outputPath('page.html')}`)

  await expect(page.locator('tbody tr:visible')).toHaveCount(await page.locator('tbody tr').count())
  await context.close()
})

test('names and heads stay in sight, however far a large table is scrolled', async ({ openFile }) => {
  const page = await openFile(await sampleTable(30))

  await page.getByRole('button', { name: 'fields' }).click()
  await page.locator('.support').evaluate((region) => region.scrollTo(1500, 1200))

  await expect(page.getByRole('columnheader', { name: 'Target' })).toBeInViewport({ ratio: 1 })
  const [corner, region] = [page.getByRole('columnheader', { name: 'Target' }), page.locator('.support')]
  const [at, within] = [await corner.boundingBox(), await region.boundingBox()]
  expect(at!.x - within!.x).toBeLessThan(3)
  expect(at!.y - within!.y).toBeLessThan(3)
})

test("a target's text is text in the table, too", async ({ openFile }) => {
  const page = await openFile(await sampleTable(2, HOSTILE))

  await expect(page).toHaveTitle('What 2 targets support')
  await expect(page.locator('img, script:not(body > script), a[href^=javascript]')).toHaveCount(0)
  await expect(page.getByRole('columnheader').nth(1)).toHaveText(HOSTILE.replace('\u202E', '\uFFFD'))
})

for (const [where, { viewport, colorScheme }] of Object.entries(SCREENS))
  test(`${where}, the table is accessible and fits`, async ({ openFile, page }) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    // Every kind of row, and few of each, which would take axe half a minute.
    const some = requirements.filter((_, index) => index % 9 === 0)
    await openFile(await sampleTable(4, 'a value that is so long that the table folds it behind its beginning', some))
    for (const button of await page.getByRole('button').all())
      if ((await button.getAttribute('aria-expanded')) === 'false') await button.click()

    await expectAccessible(page)
  })

test('the table is one file, and asks for nothing else', async () => {
  expect(await sampleTable()).not.toMatch(/(?:src|href)="(?!#|data:)/)
})

test('folders have plain names, each its own', () => {
  expect(
    folderNames(['São Paulo (v2)', 'sao paulo V2', 'team_a', 'team-a', '../..', '北京', 'target-2', 'x'.repeat(99)]),
  ).toEqual(['sao-paulo-v2', 'sao-paulo-v2-2', 'team_a', 'team-a', 'target', 'target-2', 'target-2-2', 'x'.repeat(60)])
})

for (const [option, place] of [
  ['--html', 'none/support.html'],
  ['--out', 'none/matrix.json'],
  ['--reports', 'targets.json'],
] as const)
  test(`${option} that cannot be written is told before anything is judged`, async () => {
    const { exitCode, output } = await runMatrix(
      test.info().outputPath(),
      [UNREACHABLE],
      [option, test.info().outputPath(place)],
    )

    expect(exitCode).toBe(2)
    expect(output.trim()).toMatch(new RegExp(`^${option} .*can't be written to`))
    expect(output.trim().split('\n')).toHaveLength(1)
  })

/** The cells of the row with a name. */
function cellsOf(page: Page, name: string | RegExp): Locator {
  const head = page.locator('th[scope=row]').filter({ hasText: name })
  return page.getByRole('row', { includeHidden: true }).filter({ has: head }).locator('td')
}

function sampleTable(targets = 1, text = 'Ana', rows = requirements): Promise<string> {
  const { report } = sampleReport({ text })
  const columns = Array.from({ length: targets }, () => ({ report, durationMs: 1234 }))
  return supportPage({ requirements: rows, settings: { level: 'implied' }, columns, isInterrupted: false })
}
