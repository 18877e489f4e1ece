/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { expect, test as base, type BrowserContext } from '@playwright/test'
import { chromiumPath } from '../engine/settings.ts'
import { CHROMIUM_ARGUMENTS } from './chromium-sources.ts'

interface Options {
  /** Complaints that a test expects, such as `console: …`; a request that is expected is sent. */
  readonly allowed: RegExp | undefined
}

/**
 * A test with a page in a browser of this machine. It fails where the page asks for anything outside this machine, breaks
 * off with an error, or complains on the console.
 */
export const test = base.extend<Options>({
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
})

/** Gives a list that grows by whatever the pages of a context do that they may not; requests among it aren't sent. */
export async function watch(context: BrowserContext, allowed?: RegExp): Promise<readonly string[]> {
  const complaints: string[] = []
  const isAllowed = (complaint: string): boolean => {
    const fine = allowed?.test(complaint) === true
    if (!fine) complaints.push(complaint)
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
