import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestCase, TestError } from '@playwright/test/reporter'
import library from 'playwright-ctrf-json-reporter'
import { projectRoot, runReportsDirectory } from '../../engine/settings/settings.ts'
import { driftLines } from '../profile/drift.ts'
import { isOfTheRun, reportSince } from '../result/finished-run.ts'
import { CTRF_FILE } from '../result/report-files.ts'
import { errorText, LATE } from './run-reporter.ts'

const { default: LibraryReporter } = library
type Ctrf = Parameters<InstanceType<typeof LibraryReporter>['writeReportToFile']>[0]

/**
 * The run in the Common Test Report Format, as the library makes it, but without paths of this machine and a word on the
 * terminal, and with what went wrong outside the tests: a run that could not begin would else be one without failures.
 */
export default class CtrfReporter extends LibraryReporter {
  readonly #startedAt = Date.now()
  readonly #errors: string[] = []

  constructor() {
    super({ outputDir: runReportsDirectory() })
  }

  onError(error: TestError): void {
    const text = errorText(error)
    if (isOfTheRun(text) && !text.startsWith(LATE)) this.#errors.push(text)
  }

  override processTest(test: TestCase): void {
    super.processTest(test)
    if (test.results.length === 0) return
    const written = this.ctrfReport.results.tests.at(-1)!
    written.filePath = path.relative(projectRoot, test.location.file)
    written.extra = { annotations: test.annotations.map(({ type, description }) => ({ type, description })) }
  }

  override mapPlaywrightStatusToCtrf(
    status: string,
  ): ReturnType<typeof LibraryReporter.prototype.mapPlaywrightStatusToCtrf> {
    return super.mapPlaywrightStatusToCtrf(status === 'interrupted' ? 'skipped' : status)
  }

  override writeReportToFile(ctrf: Ctrf): void {
    const { tests, summary } = ctrf.results
    const { trouble, drift = [] } = reportSince(this.#startedAt) ?? {}
    if (trouble !== undefined && !this.#errors.includes(trouble)) this.#errors.push(trouble)
    for (const message of this.#errors) tests.push({ name: 'The run', status: 'failed', duration: 0, message })
    for (const { id, ...one } of drift)
      tests.push({
        name: `${id}: drift from the profile`,
        status: 'failed',
        duration: 0,
        message: driftLines(one).join('\n'),
      })
    summary.tests += this.#errors.length + drift.length
    summary.failed += this.#errors.length + drift.length
    // Playwright's --list runs nothing.
    if (tests.length === 0) return
    writeFileSync(path.join(runReportsDirectory(), CTRF_FILE), `${JSON.stringify(ctrf, undefined, 2)}\n`)
  }
}
