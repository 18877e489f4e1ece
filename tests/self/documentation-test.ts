/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Locator, Page } from '@playwright/test'
import { documentation } from '../reporting/documentation/documentation.ts'
import type { Sources } from '../reporting/documentation/sources.ts'
import { reportPage } from '../reporting/report-page/report-page.ts'
import { contract, HOSTILE, requirements, sampleSources } from './documentation-sources.ts'
import { test as base } from './page-test.ts'

export const PAGES = ['index.html', 'requirements.html'] as const

const BUILDS: Readonly<Record<string, () => Sources>> = {
  sample: () => sampleSources(),
  hostile: () => sampleSources(HOSTILE),
  bare: () => ({ contract, requirements }),
  // Every kind of thing, and few of each.
  small: () => ({ ...sampleSources(), requirements: requirements.filter((_, index) => index % 9 === 0) }),
}

interface Fixtures {
  /** Opens a page of the documentation from a file, and waits until it is there. */
  readonly open: (file: string, build?: keyof typeof BUILDS) => Promise<Page>
}

interface WorkerFixtures {
  /** The folder of a build, made once; the report it belongs to lies above it. */
  readonly folderOf: (build: string) => Promise<string>
}

/** A test with the documentation, built once a worker and opened from a file. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  folderOf: [
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'documentation-'))
      await use(async (build) => {
        const docs = path.join(folder, build, 'docs')
        if (existsSync(docs)) return docs
        const sources = BUILDS[build]!()
        mkdirSync(docs, { recursive: true })
        for (const [name, content] of await documentation(sources)) writeFileSync(path.join(docs, name), content)
        if (sources.report)
          writeFileSync(path.join(docs, '../index.html'), await reportPage(sources.report, sources.evidence))
        return docs
      })
      rmSync(folder, { recursive: true })
    },
    { scope: 'worker' },
  ],
  open: async ({ page, folderOf }, use) => {
    await use(async (file, build = 'sample') => {
      const [name = '', hash = ''] = file.split('#')
      const address = pathToFileURL(path.join(await folderOf(build), name))
      address.hash = hash
      await page.goto(address.href)
      await page
        .locator('main, [role=main]')
        .filter({ has: page.locator('h2') })
        .waitFor({ timeout: 20_000 })
      return page
    })
  },
})

/** The part of the reference about an operation. */
export function operationIn(page: Page, id: string): Locator {
  return page.locator(`[id="operation/${id}"]`)
}
