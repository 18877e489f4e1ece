import path from 'node:path'
import { defineConfig } from '@playwright/test'
import { makeFolder } from './tests/engine/settings/make-folder.ts'
import { isMerge, runReportsDirectory } from './tests/engine/settings/settings.ts'
import { HTML_FOLDER, OUTPUT_FOLDER } from './tests/reporting/result/report-files.ts'
import { integrationService } from './tests/run/continuous-integration.ts'
import { EXIT_STATUS } from './tests/run/exit-status.ts'
import { heedSignals } from './tests/run/grace.ts'

if (isMerge() && process.argv.some((argument) => argument.startsWith('--reporter'))) {
  console.error(
    'merge-reports takes the reporters of its configuration, which write the report and the verdict: leave --reporter out.',
  )
  process.exit(EXIT_STATUS.wrongUse)
}

// Other commands and the workers, which load this too, end by signals as they always do.
if (process.argv[2] === 'test') heedSignals()

const reports = runReportsDirectory()
try {
  // Before Playwright looks at its own folder in it, which it does without a word on the setting.
  makeFolder(reports)
} catch (error) {
  console.error(`REPORTS_DIR can't be written to (${(error as NodeJS.ErrnoException).code}); name a folder that can.`)
  process.exit(EXIT_STATUS.wrongUse)
}

export default defineConfig({
  testDir: 'tests',
  testMatch: '**/*.spec.ts',
  globalSetup: './tests/run/global-setup.ts',
  outputDir: path.join(reports, OUTPUT_FOLDER),
  workers: 1,
  // Shards get their share of the tests, and not of the files.
  fullyParallel: true,
  forbidOnly: integrationService() !== undefined,
  retries: 0,
  // The engine bounds the time of every request, and their number.
  timeout: 0,
  updateSnapshots: 'none',
  reporter: [
    ['./tests/reporting/playwright/in-place-reporter.ts'],
    ['./tests/reporting/playwright/merge-reporter.ts'],
    ['./tests/reporting/playwright/console-reporter.ts'],
    ['./tests/reporting/playwright/artefacts-reporter.ts'],
    ['./tests/reporting/playwright/ctrf-reporter.ts'],
    // In the mode of tests, it says last, at a terminal, how to open this page, which is not the one to read.
    ['html', { outputFolder: path.join(reports, HTML_FOLDER), open: 'never', _mode: 'merge' }],
  ],
})
