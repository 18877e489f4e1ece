import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { defineConfig } from '@playwright/test'
import { projectRoot } from '../engine/settings/environment.ts'
import { integrationService } from '../run/continuous-integration.ts'

// Two copies of the project may be tested at once, and Playwright empties the folder when it begins.
const copy = createHash('sha256').update(projectRoot).digest('hex').slice(0, 12)

/** Tests of the suite itself. */
export default defineConfig({
  testDir: '.',
  // `npm test` is the quick ones; the long ones start whole runs, many services or Chromium.
  projects: [
    { name: 'quick', testMatch: '*.test.ts', testIgnore: '*.long.test.ts' },
    { name: 'long', testMatch: '*.long.test.ts' },
  ],
  globalSetup: './provide-chromium.ts',
  outputDir: path.join(tmpdir(), `contact-centre-conformance-self-${copy}`),
  fullyParallel: true,
  workers: 2,
  forbidOnly: integrationService() !== undefined,
  timeout: 120_000,
  // As long as drawing a long page takes beside another test on a slow machine.
  expect: { timeout: 20_000 },
  updateSnapshots: 'none',
  reporter: 'dot',
})
