import { tmpdir } from 'node:os'
import path from 'node:path'
import { defineConfig } from '@playwright/test'
import { integrationService } from '../engine/settings.ts'

/** Tests of the suite itself. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.test.ts',
  globalSetup: './provide-chromium.ts',
  outputDir: path.join(tmpdir(), 'contact-centre-conformance-self'),
  fullyParallel: true,
  workers: 2,
  forbidOnly: integrationService() !== undefined,
  timeout: 120_000,
  updateSnapshots: 'none',
  reporter: 'dot',
})
