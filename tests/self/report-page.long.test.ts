import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { Contract } from '../engine/contract.ts'
import { reportPage } from '../reporting/report-page/report-page.ts'
import { reportOfNothing } from '../reporting/result/report.ts'
import { register } from '../requirements/register.ts'
import { expectAccessible, SCREENS, test as base } from './page-test.ts'
import { HOSTILE, sampleReport, type SampleOptions } from './sample-report.ts'
import { schemaErrors } from './report-schema.ts'

interface Fixtures {
  /** Opens the page of a sample's report, from a file. */
  readonly open: (options?: SampleOptions, hash?: string) => Promise<Page>
}

const test = base.extend<Fixtures>({
  open: async ({ openFile }, use) => {
    await use(async (options, hash) => {
      const { report, evidence } = sampleReport(options)
      expect(schemaErrors(report)).toEqual([])
      return openFile(await reportPage(report, evidence), hash)
    })
  },
})

test('the first screen tells verdict, target, when and what was judged', async ({ open }) => {
  const page = await open()

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('nonconformant Ana')
  await expect(page).toHaveTitle('nonconformant: Ana')
  const { totals } = sampleReport().report
  await expect(page.locator('.meaning')).toContainText(`${totals.failed} failed`)
  await expect(page.locator('.verdict')).toContainText('2026-11-21 09:00 UTC, for 6.0 s')
  await expect(page.locator('.verdict')).toContainText('updates were not judged (ALLOW_WRITES)')
})

test('what is only observed is counted apart, as at a terminal', async ({ open }) => {
  const page = await open()

  const { requirements } = sampleReport().report
  const demands = requirements.filter(({ level }) => level !== 'observed')
  const gaps = demands.filter(({ outcome }) => outcome === 'not exercised').length
  await expect(page.locator('.meaning')).toContainText(` ${gaps} not exercised`)
  await expect(page.locator('#not-exercised .count')).toHaveText(String(gaps))
  await expect(page.locator('#not-exercised .ids li')).toHaveCount(gaps)
  await expect(page.locator('.facts')).toContainText(
    `${demands.length} requirements and ${requirements.length - demands.length} observations`,
  )
})

test('the matrix counts every demand, at each of its operations', async ({ open }) => {
  const page = await open()

  const demands = sampleReport().report.requirements.filter(({ level }) => level !== 'observed')
  const cells = await page.locator('.matrix td a').evaluateAll((links) => links.map((link) => link.title))
  const counted = (outcome: string): number =>
    cells.reduce((sum, title) => sum + Number(new RegExp(`(\\d+) ${outcome}`).exec(title)?.[1] ?? 0), 0)
  for (const outcome of ['passed', 'failed', 'not exercised'])
    expect(counted(outcome), outcome).toBe(
      demands.filter((one) => one.outcome === outcome).reduce((sum, { operations }) => sum + operations.length, 0),
    )
})

test('a cell of the matrix narrows the list to what it counts', async ({ open }) => {
  const page = await open()

  await page.locator('.matrix a[data-operation=listTickets][data-area=filters]').click()

  const shown = page.locator('.requirements > li:visible')
  const wanted = sampleReport().report.requirements.filter(({ id }) => id.startsWith('listTickets.filter.'))
  await expect(shown).toHaveCount(wanted.length)
  await expect(page.getByText(`${wanted.length} shown`)).toBeVisible()
})

test('findings come worst first, each with what was sent and the place marked', async ({ open }) => {
  const page = await open({ findings: 3 })

  const levels = await page.locator('.finding .level').allTextContents()
  expect(levels).toEqual(levels.toSorted().toReversed())
  const first = page.locator('.finding').first()
  await expect(first).toContainText('3 times')
  await first.getByText('Exchange 1').click()
  await expect(first.locator('mark')).toHaveText('      "status": "Ana",')
  await expect(first.locator('.command pre')).toContainText('"Authorization: Bearer $ACCESS_TOKEN"')
  await expect(first).toContainText('Personal values are masked here')
})

test("a target's text is text", async ({ open }) => {
  const page = await open({ text: HOSTILE })

  await expect(page).toHaveTitle(/^nonconformant: /)
  const visible = HOSTILE.replace('\u202E', '\uFFFD')
  await expect(page.getByRole('heading', { level: 1 })).toContainText(visible)
  await expect(page.locator('.finding h4').first()).toContainText(visible)
  await expect(page.locator('.profile dd').first()).toContainText(visible)
  await expect(page.locator('img, script:not(body > script), a[href^=javascript]')).toHaveCount(0)
  expect(await page.content()).not.toContain('\u202E')
})

test('requirements are searched and filtered', async ({ open }) => {
  const page = await open()
  const { requirements } = sampleReport().report
  const shown = page.locator('.requirements > li:visible')

  await page.getByRole('searchbox').fill('status PENDING')
  await expect(shown.filter({ hasText: 'listTickets.filter.status-pending' })).toHaveCount(1)
  expect(await shown.count()).toBeLessThan(10)

  await page.getByRole('button', { name: 'All' }).click()
  await expect(shown).toHaveCount(requirements.length)

  await page.getByLabel('Outcome').selectOption('failed')
  await page.getByLabel('Level').selectOption('stated')
  const failed = requirements.filter(({ level, outcome }) => level === 'stated' && outcome === 'failed')
  await expect(shown).toHaveCount(failed.length)
})

test('a link to a requirement finds it, whatever was filtered out', async ({ open }) => {
  const page = await open({}, '#listTickets.filter.userId')

  const target = page.locator('[id="listTickets.filter.userId"]')
  await expect(target).toBeFocused()
  await expect(target).toBeInViewport()
  await page.getByLabel('Level').selectOption('observed')
  await expect(target).toBeHidden()
  await page.evaluate(`location.hash = ''`)
  await page.evaluate(`location.hash = '#listTickets.filter.userId'`)
  await expect(target).toBeInViewport()
})

test('every link within the page leads somewhere', async ({ open }) => {
  const page = await open()

  const ids = new Set(await page.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => id)))
  const links = await page.locator('a[href^="#"]').evaluateAll((all) => all.map((link) => link.getAttribute('href')!))
  const lost = links.filter((link) => !ids.has(link.slice(1)))
  expect(lost).toEqual([])
})

test('the keyboard reaches the content, a finding and its exchange', async ({ open }) => {
  const page = await open()

  await page.keyboard.press('Tab')
  await expect(page.getByText('Skip to the content')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).hash).toBe('#main')
  await page.locator('.finding summary').first().focus()
  await page.keyboard.press('Enter')
  await expect(page.locator('.finding details').first()).toHaveAttribute('open')
})

for (const [where, { viewport, colorScheme }] of Object.entries(SCREENS))
  test(`${where}, it is accessible and fits`, async ({ open, page }) => {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    await open({ text: 'a target with rather a long name', each: 7 })
    await page.locator('.finding summary').first().click()

    await expectAccessible(page)
  })

test('on paper, the exchanges are open, and what only a screen can use is left out', async ({ open }) => {
  const page = await open({ findings: 2 })

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)

  await expect(page.locator('.finding details:not([open])')).toHaveCount(0)
  await expect(page.locator('nav')).toBeHidden()
  await expect(page.locator('form.filters')).toBeHidden()
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`)
  await expect(page.locator('.finding details[open]')).toHaveCount(0)
})

test('a run that could not begin says why, and shows nothing that it does not know', async ({ openFile }) => {
  const contract = new Contract()
  const circumstances = { contract, requirements: register(contract), startedAt: new Date() }
  const reason = 'BASE_URL cannot be reached.'
  const page = await openFile(
    await reportPage(reportOfNothing(circumstances, reason, { count: 0, bytes: 0 }), undefined),
  )

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('broken no target')
  await expect(page.locator('.why-not')).toContainText(reason)
  await expect(page.locator('#matrix, #problems, #profile, #fields')).toHaveCount(0)
})

test('findings without their evidence say so', async ({ openFile }) => {
  const page = await openFile(await reportPage(sampleReport().report, undefined))

  await page.locator('.finding summary').first().click()
  await expect(page.locator('.finding').first()).toContainText('The evidence does not hold this exchange.')
})

test('the page is one file, and asks for nothing else', async () => {
  const { report, evidence } = sampleReport()

  const html = await reportPage(report, evidence)

  expect(html).not.toMatch(/(?:src|href)="(?!#|data:)/)
  expect(html).toContain('default-src &#39;none&#39;')
  expect(readFileSync(new URL('../reporting/pages/pages.css', import.meta.url), 'utf8')).not.toMatch(/url\(|@import/)
})
