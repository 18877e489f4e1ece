/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, test as base, type BrowserContext, type Page } from '@playwright/test'
import { CHROMIUM_ARGUMENTS, chromiumPath } from './chromium-sources.ts'

interface Options {
  /** Page errors that a test expects, such as `console: …`; a request that is expected is sent. */
  readonly allowed: RegExp | undefined
}

interface Fixtures {
  /** Opens a page that is given as text, from a file. */
  readonly openFile: (html: string, hash?: string) => Promise<Page>
}

/** The screens that every page must fit, and the colours in which it must be read: no style asks for both. */
export const SCREENS = {
  'on a phone screen, dark': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  'on a wide screen, light': { viewport: { width: 1600, height: 1000 }, colorScheme: 'light' },
} as const

/**
 * A test with a page in a browser of this machine. It fails where the page asks for anything outside this machine, breaks
 * off with an error, or complains on the console.
 */
export const test = base.extend<Options & Fixtures>({
  allowed: [undefined, { option: true }],
  // What a service worker asks for would not be seen here.
  serviceWorkers: 'block',
  launchOptions: [
    async ({}, use) => {
      const executablePath = chromiumPath()
      await use({ args: CHROMIUM_ARGUMENTS, ...(executablePath !== undefined && { executablePath }) })
    },
    { scope: 'worker' },
  ],
  context: async ({ context, allowed }, use) => {
    const complaints = await watch(context, allowed)
    await use(context)
    expect(complaints, 'what no page of this suite may do').toEqual([])
  },
  openFile: async ({ page }, use, testInfo) => {
    await use(async (html, hash = '') => {
      const file = testInfo.outputPath('index.html')
      writeFileSync(file, html)
      await page.goto(`${pathToFileURL(file).href}${hash}`)
      return page
    })
  },
})

/** Expects that everybody can use a page, and that it is no wider than its screen. */
export async function expectAccessible(page: Page): Promise<void> {
  // What is out of sight is not drawn, and axe would pass over its colours.
  await page.evaluate(`document.styleSheets[0].insertRule('* { content-visibility: visible !important }')`)
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`)).toEqual([])
  const width = await page.evaluate('document.documentElement.scrollWidth')
  expect(width).toBeLessThanOrEqual(page.viewportSize()!.width)
}

/** Gives a list that grows by whatever the pages of a context do that they may not; requests among it aren't sent. */
export async function watch(context: BrowserContext, allowed?: RegExp): Promise<readonly string[]> {
  const complaints: string[] = []
  const isAllowed = (draft: string): boolean => {
    const fine = allowed?.test(draft) === true
    if (!fine) complaints.push(draft)
    return fine
  }
  await context.route(isElsewhere, (route) =>
    isAllowed(`request: ${route.request().url()}`) ? route.continue() : route.abort(),
  )
  await context.routeWebSocket(isElsewhere, async (socket) => {
    if (isAllowed(`request: ${socket.url()}`)) socket.connectToServer()
    else await socket.close()
  })
  context.on('weberror', (error) => isAllowed(`error: ${error.error().message}`))
  context.on('console', (message) => message.type() === 'error' && isAllowed(`console: ${message.text()}`))
  return complaints
}

/** Whether an address is that of another machine. */
export function isElsewhere({ protocol, hostname }: URL): boolean {
  return !['file:', 'data:', 'blob:', 'about:'].includes(protocol) && hostname !== '127.0.0.1'
}
