import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type Page } from '@playwright/test'
import { contract, FILTER, HOSTILE, requirements } from './documentation-sources.ts'
import { operationIn, PAGES, test } from './documentation-test.ts'

test('the first screen tells what this is, and what was verified, when and against what', async ({ open }) => {
  const page = await open('index.html')

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Contact-centre service (1.0.0)')
  await expect(page).toHaveTitle('Contact-centre service: reference')
  const verification = page.locator('.verification')
  await expect(verification).toBeInViewport({ ratio: 1 })
  await expect(verification).toContainText('nonconformant: verified 2026-11-21 09:00 UTC against Ana')
  await expect(verification).toContainText(/\d+ passed.*\d+ not exercised.*\d+ failed.* of \d+ stated and implied/s)
})

test('the reference shows every operation, with calls, a recorded answer and the demands on it', async ({ open }) => {
  const page = await open('index.html')

  for (const { id, method, path: template } of contract.operations.values()) {
    const operation = operationIn(page, id)
    await expect(operation.getByRole('button', { name: template, exact: false }).first()).toContainText(
      method.toLowerCase(),
    )
    await expect(operation.getByRole('heading', { name: 'Left open by the document' })).toBeVisible()
    await expect(operation.getByText(/^stated \d+: the document says it/)).toBeVisible()
    await operation.getByRole('tab', { name: 'curl' }).click()
    await expect(operation.getByText('$BASE_URL', { exact: false }).first()).toBeVisible()
    await operation.getByRole('tab', { name: 'TypeScript' }).click()
    await expect(operation.getByText('createClient', { exact: false }).first()).toBeVisible()
    await expect(operation.getByText('Recorded: Ana, 2026-11-21').last()).toBeVisible()
  }
  const lastMessage = page.getByRole('row', { name: 'lastMessage string no Repeats' })
  await expect(lastMessage).toContainText(/\s3\s+1\s+0\s/)
})

test('every link within the documentation leads somewhere', async ({ open, folderOf }) => {
  const docs = await folderOf('sample')
  const ids = new Map<string, ReadonlySet<string>>()
  const links: string[] = []
  for (const file of [...PAGES, '../index.html']) {
    const page = await open(file)
    ids.set(path.join(docs, file), new Set(await attributes(page, 'id')))
    if (file !== '../index.html')
      links.push(...(await attributes(page, 'href')).map((link) => new URL(link, page.url()).href))
  }

  const lost = links.filter((link) => {
    const url = new URL(link)
    if (url.protocol !== 'file:') return !['https://redocly.com/redoc/'].includes(link) && !link.includes('example.com')
    const file = decodeURIComponent(url.pathname)
    return !existsSync(file) || (url.hash !== '' && !ids.get(file)?.has(decodeURIComponent(url.hash.slice(1))))
  })
  expect(links.length).toBeGreaterThan(1000)
  expect([...new Set(lost)]).toEqual([])
})

test('a link to an operation, to a resource or to a requirement shows it', async ({ open }) => {
  const operation = await open('index.html#tag/Tags/operation/getTag')
  await expect(operation.getByRole('heading', { name: 'Get a tag by its identifier' })).toBeInViewport()
  await expect(operation.getByRole('menuitem', { name: 'Get a tag by its identifier' })).toBeVisible()

  const page = await open('index.html#tag/Ticket')
  await expect(page.getByRole('heading', { name: 'Ticket', exact: true })).toBeInViewport()
  await page
    .getByRole('row', { name: 'status' })
    .last()
    .getByRole('link', { name: /passed|failed|not exercised/ })
    .click()
  await expect(page.locator('[id="Ticket.status"]')).toBeFocused()
  await expect(page.locator('[id="Ticket.status"]')).toBeInViewport()

  await page.getByRole('searchbox').fill('status pending')
  await expect(page.locator(`[id="${FILTER}"]`)).toBeHidden()
})

test('a guide is shown as a section, and its links lead to other guides', async ({ open }) => {
  const page = await open('index.html#tag/certification')
  await expect(page.getByRole('heading', { name: 'Certification: from an empty workspace' })).toBeInViewport()
  await expect(page.getByRole('row', { name: '5 verifier runs npm run verify' })).toBeVisible()

  // The reference scrolls once more when it has laid out all of its sections.
  await expect(async () => {
    await page.getByRole('link', { name: 'Loading data' }).first().click()
    await expect(page.getByRole('heading', { name: 'Loading the published data set' })).toBeInViewport({ timeout: 500 })
  }).toPass()
})

test('the search of the reference works offline', async ({ open }) => {
  const page = await open('index.html')

  await page.getByRole('textbox', { name: 'Search' }).fill('campaign')

  const found = page.locator('[data-role="search:results"]').getByRole('menuitem', { name: 'List campaigns' })
  await expect(found).toBeVisible()
  await found.press('Enter')
  await expect(page.getByRole('heading', { name: 'List campaigns' })).toBeInViewport()
})

for (const file of PAGES)
  test(`in ${file}, a target's text is text`, async ({ open }) => {
    const page = await open(file, 'hostile')
    await page.evaluate(`document.querySelectorAll('details').forEach((details) => (details.open = true))`)

    const words = HOSTILE.replaceAll('\u202E', '\uFFFD').replace(/\s+/g, ' ')
    await expect(page).toHaveTitle(/^Contact-centre service: /)
    await expect(page.locator('.verification')).toContainText(words)
    await expect(page.locator('dd, .observed').filter({ hasText: words }).first()).toBeVisible()
    await expect(page.locator('img, iframe, script:not(body > script), h1:text("taken"), a[href*=taken]')).toHaveCount(
      0,
    )
    await expect(
      page.locator('a[href^=javascript], [onerror], th:text-is("taken"), code:text("https://taken")'),
    ).toHaveCount(0)
    expect(await page.content()).not.toContain('\u202E')
  })

test('a hostile answer is shown as it came, and its names and references mean nothing', async ({ open }) => {
  const page = await open('index.html', 'hostile')

  const example = operationIn(page, 'listTickets').locator('.redoc-json')
  await expect(example).toContainText('"$ref (as answered)": "https://taken.example/$ref"')
  await expect(example).toContainText('"__proto__":')
  await expect(example).toContainText('<img src=x onerror=')
})

test('without a report, all is there but what a target did', async ({ open, page }) => {
  await open('index.html', 'bare')
  await expect(page.locator('.verification')).toContainText('Not verified yet.')
  await expect(page.getByRole('link', { name: 'Report', exact: true })).toHaveCount(0)
  await expect(page.getByRole('columnheader', { name: 'Seen' })).toHaveCount(0)
  await expect(page.locator('.badge')).toHaveCount(0)
  for (const id of contract.operations.keys()) await expect(operationIn(page, id)).toContainText('Not verified yet.')

  await open('requirements.html', 'bare')
  await expect(page.locator('.requirements > li')).toHaveCount(requirements.length)
  await expect(page.getByLabel('Outcome')).toHaveCount(0)
  await page.getByLabel('Operation').selectOption('getTag')
  const mine = requirements.filter(({ operations }) => operations.includes('getTag'))
  await expect(page.locator('.requirements > li:visible')).toHaveCount(mine.length)
})

test('a browser without scripts leads to what can be read', async ({ folderOf, browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()

  await page.goto(pathToFileURL(path.join(await folderOf('sample'), 'index.html')).href)
  await expect(page.locator('main')).toContainText('The reference needs a browser that runs scripts.')
  await page.getByRole('link', { name: 'requirements', exact: true }).click()

  await expect(page.getByRole('heading', { level: 2 })).toHaveCount(requirements.length)
  await context.close()
})

function attributes(page: Page, name: 'id' | 'href'): Promise<string[]> {
  return page.locator(`[${name}]:not(link)`).evaluateAll((all, name) => all.map((one) => one.getAttribute(name)!), name)
}
