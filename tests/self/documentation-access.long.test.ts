import { expect, type Page } from '@playwright/test'
import { operationIn, PAGES, test } from './documentation-test.ts'
import { topicOf } from '../reporting/documentation/operation-notes.ts'
import { requirements } from './documentation-sources.ts'
import { expectAccessible, SCREENS } from './page-test.ts'

const PHONE = SCREENS['on a phone screen, dark'].viewport

test('the keyboard reaches contents, notes, calls and examples', async ({ open }) => {
  const page = await open('index.html', 'small')

  await page.keyboard.press('Tab')
  await expect(page.getByText('Skip to the content')).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(`document.querySelector('.api-content').contains(document.activeElement)`)).toBe(true)

  await page.getByRole('menuitem', { name: 'Contacts', exact: true }).focus()
  await page.keyboard.press('Enter')
  // What is opened stays open, though the contents follow what is in view.
  await expect(page.getByRole('menuitem', { name: 'List contacts' })).toBeVisible()
  await page.waitForTimeout(500)
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: 'List contacts' })).toBeFocused()
  await page.keyboard.press('Enter')
  const operation = operationIn(page, 'listContacts')
  await expect(operation.getByRole('heading', { level: 2 })).toBeInViewport()

  const stops: string[] = []
  await operation.locator('.left-open > summary').press('Enter')
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    stops.push(String(await page.evaluate('document.activeElement.textContent')))
  }
  const topics = requirements.filter(({ level }) => level === 'observed').map(({ title }) => topicOf(title))
  expect(stops.filter((text) => topics.includes(text))).not.toEqual([])
  for (const stop of ['stated', 'implied', '2XX', '/api/contacts', 'curl', 'Copy'])
    expect(
      stops.some((text) => text.includes(stop)),
      stop,
    ).toBe(true)
  await operation.getByRole('tab', { name: 'curl' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(operation.getByRole('tab', { name: 'TypeScript' })).toBeFocused()
})

test('on a phone, the contents are opened and left by the keyboard', async ({ open, page }) => {
  await page.setViewportSize(PHONE)
  await open('index.html')

  const opener = page.getByRole('button', { name: 'Contents' })
  await expect(opener).toHaveAttribute('aria-expanded', 'false')
  await opener.press('Enter')
  await expect(page.getByRole('navigation', { name: 'Contents' })).toBeVisible()
  await expect(opener).toHaveAttribute('aria-expanded', 'true')
  await page.getByRole('menuitem', { name: 'Ticket', exact: true }).press('Enter')
  await expect(page.getByRole('navigation', { name: 'Contents' })).toBeHidden()
  await expect(page.getByRole('heading', { name: 'Ticket', exact: true })).toBeInViewport()
})

for (const file of PAGES)
  for (const [where, { viewport, colorScheme }] of Object.entries(SCREENS))
    test(`${where}, ${file} is accessible and fits`, async ({ open, page }) => {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      await open(file, 'small')
      await page.evaluate(`document.querySelectorAll('details').forEach((details) => (details.open = true))`)
      // The other sections are made as these are, and would take axe half a minute.
      await page.evaluate(`for (const section of document.querySelectorAll('.api-content > [id^="tag/"]'))
          if (!/^tag.(Contacts|Tickets?\\b)/.test(section.id)) section.remove()`)

      await expectAccessible(page)
    })

test('the reference follows a change of colours, and stays where it was', async ({ open, page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await open('index.html#tag/Ticket')
  const heading = page.getByRole('heading', { name: 'Ticket', exact: true })
  await expect(heading).toHaveCSS('color', 'rgb(27, 31, 39)')

  await page.emulateMedia({ colorScheme: 'dark' })

  await expect(heading).toHaveCSS('color', 'rgb(231, 234, 240)')
  await expect(heading).toBeInViewport()
})

for (const file of PAGES)
  test(`on paper, ${file} is dark on light, unfolded and not cut off`, async ({ open, page }) => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await open(file)

    const printed = await page.pdf({ format: 'A4' })
    await page.setViewportSize({ width: 700, height: 1000 })
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)

    expect(printed.length).toBeGreaterThan(100_000)
    await expect(page.locator('details:not([open])')).toHaveCount(0)
    for (const left of ['navigation', 'search'] as const) await expect(page.getByRole(left)).toHaveCount(0)
    await expect(page.getByRole('button', { name: /^(copy|expand|collapse)( all)?$/i })).toHaveCount(0)
    expect(await lostOnPaper(page)).toEqual([])
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`)
    await expect(page.locator('details[open] > summary')).not.toHaveCount(await page.locator('details').count())
  })

/** Text that is cut off, or too light to be read on paper. */
function lostOnPaper(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('main *, [role=main] *')]
    .filter((element) => element.checkVisibility() && element.clientWidth > 1)
    .filter((element) => {
      const { overflowX, overflowY, color } = getComputedStyle(element)
      const [red, green, blue] = color.match(/[\\d.]+/g).map(Number)
      const isCut = (overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1)
        || (overflowY !== 'visible' && element.scrollHeight > element.clientHeight + 1)
      return isCut || red + green + blue > 500
    })
    .map((element) => element.outerHTML.slice(0, 100))`)
}
