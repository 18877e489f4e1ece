import { expect, test as plainTest } from '@playwright/test'
import { findChromium, type Place, type Sources } from './chromium.ts'
import { isElsewhere, test, watch } from './page-test.ts'

interface Machine {
  readonly named?: string
  readonly places?: readonly Place[]
  /** What runs from the start. */
  readonly running?: readonly Place[]
  /** What runs once each of the installations has been tried; undefined where it fails. */
  readonly installing?: readonly (string | undefined)[]
}

/** Tries to find a browser on a machine that isn't there, and gives what was found and what was installed for that. */
async function find(machine: Machine): Promise<{ found: Place | Error; installed: string[] }> {
  const running = new Set(machine.running)
  const places = [...(machine.places ?? [])]
  const installed: string[] = []
  const sources: Sources = {
    named: machine.named,
    places: () => places,
    runs: (place) => Promise.resolve(running.has(place)),
    installations: (machine.installing ?? []).map((place, index) => ({
      whose: `${index + 1}`,
      install: () => {
        installed.push(`${index + 1}`)
        if (place === undefined) return Promise.reject(new Error('no network'))
        places.push(place)
        running.add(place)
        return Promise.resolve()
      },
    })),
  }
  const found = await findChromium(sources).catch((error: Error) => error)
  return { found, installed }
}

const FINDS: readonly { what: string; machine: Machine; found: Place; installed?: string[] }[] = [
  {
    what: 'the one that is named, whatever else there is',
    machine: { named: '/mine', places: [undefined, '/usr/bin/chromium'], running: ['/mine', undefined] },
    found: '/mine',
  },
  {
    what: "Playwright's own before the system's",
    machine: { places: [undefined, '/usr/bin/chromium'], running: ['/usr/bin/chromium', undefined] },
    found: undefined,
  },
  {
    what: 'the first that runs, not the first that is there',
    machine: { places: [undefined, '/broken', '/usr/bin/chromium'], running: ['/usr/bin/chromium'] },
    found: '/usr/bin/chromium',
  },
  {
    what: 'the one that was installed, where none runs',
    machine: { places: ['/broken'], installing: ['/first', '/second'] },
    found: '/first',
    installed: ['1'],
  },
  {
    what: 'the one of the next installation, where the first fails',
    machine: { installing: [undefined, '/second'] },
    found: '/second',
    installed: ['1', '2'],
  },
]

for (const { what, machine, found, installed = [] } of FINDS)
  plainTest(`of all browsers it takes ${what}`, async () => {
    expect(await find(machine)).toEqual({ found, installed })
  })

plainTest('a named browser that does not run is told in a sentence, and no other is taken', async () => {
  const { found, installed } = await find({
    named: '/none\u001B[31m',
    places: ['/a'],
    running: ['/a'],
    installing: ['/b'],
  })

  expect((found as Error).message).toMatch(/^CHROMIUM_PATH is "\/none\uFFFD\[31m", which can't be run[^\n]+\.$/)
  expect(installed).toEqual([])
})

plainTest('where no browser can be had, a sentence says what was tried and what to do', async () => {
  const { found, installed } = await find({ places: ['/broken'], installing: [undefined, undefined] })

  expect((found as Error).message).toMatch(/^No Chromium runs[^\n]+1: no network; 2: no network[^\n]+CHROMIUM_PATH\.$/)
  expect(installed).toEqual(['1', '2'])
})

plainTest('only this machine is no other', () => {
  const elsewhere = ['https://example.com/', 'http://127.0.0.1.example.com/', 'ws://10.0.0.1/', 'http://localhost/']
  const here = ['http://127.0.0.1:4010/x', 'file:///x.html', 'data:text/html,x', 'blob:null/1', 'about:blank']

  expect(elsewhere.filter((url) => isElsewhere(new URL(url)))).toEqual(elsewhere)
  expect(here.filter((url) => isElsewhere(new URL(url)))).toEqual([])
})

test('a page opens and runs its scripts', async ({ page }) => {
  await page.goto(
    `data:text/html,<title>A page</title><p>one</p><script>document.querySelector('p').append(1 + 1)</script>`,
  )

  await expect(page).toHaveTitle('A page')
  await expect(page.locator('p')).toHaveText('one2')
})

const MISDEEDS: readonly { what: string; html: string; draft: string }[] = [
  {
    what: 'asks another machine',
    html: '<img src="http://example.invalid/x.png">',
    draft: 'request: http://example.invalid/x.png',
  },
  {
    what: 'opens a socket to another machine',
    html: '<script>new WebSocket("ws://example.invalid/x")</script>',
    draft: 'request: ws://example.invalid/x',
  },
  { what: 'breaks off with an error', html: '<script>throw new Error("oh")</script>', draft: 'error: oh' },
  { what: 'complains on the console', html: '<script>console.error("oh")</script>', draft: 'console: oh' },
]

for (const { what, html, draft } of MISDEEDS)
  test(`it is seen that a page ${what}`, async ({ browser }) => {
    const context = await browser.newContext()
    const complaints = await watch(context)

    await (await context.newPage()).goto(`data:text/html,${encodeURIComponent(html)}`)

    await expect.poll(() => complaints).toContain(draft)
    await context.close()
  })

test('what is seen fails the test of the page', async ({ page }) => {
  test.fail()
  await page.goto('data:text/html,<script>console.error("oh")</script>')
})

test.describe('where a draft is expected', () => {
  test.use({ allowed: /^console: oh$/ })

  test('the test of a page that has it passes', async ({ page }) => {
    await page.goto('data:text/html,<script>console.error("oh")</script>')
  })
})
