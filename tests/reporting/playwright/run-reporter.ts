import { stripVTControlCharacters } from 'node:util'
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
} from '@playwright/test/reporter'
import { runReportsDirectory, settingWarnings } from '../../engine/settings/settings.ts'
import { ignoreClosedOutput } from '../../run/closed-output.ts'
import { endWith, EXIT_STATUS } from '../../run/exit-status.ts'
import { atRest, NOTHING_JUDGED } from '../../run/grace.ts'
import { select } from '../../run/selection.ts'
import { withoutControls } from '../wording/finding-line.ts'
import { reportSince, requestsOf, type FinishedRun, type FinishedTest } from '../result/finished-run.ts'
import { withoutPaths } from '../result/report.ts'
import { ReportsFolder } from '../result/reports-folder.ts'

/** How a run says what answers broke that came after the tests which are to tell it. */
export const LATE = 'Answers that came after their tests had passed broke'

/** Keeps what Playwright tells of a run until its end, when `tell` is called with all of it. */
export abstract class RunReporter implements Reporter {
  /** Whether this process has any: a --reporter on the command line takes the place of all. */
  static isThere = false

  constructor() {
    if (!RunReporter.isThere) ignoreClosedOutput()
    RunReporter.isThere = true
  }

  protected readonly startedAt = Date.now()
  /** The tests that were selected. */
  protected selected: readonly TestCase[] = []
  readonly #tests = new Map<string, FinishedTest>()
  readonly #errors: string[] = []

  protected abstract tell(run: FinishedRun): void

  onBegin(_config: FullConfig, suite: Suite): void {
    this.selected = suite.allTests()
    select(this.selected.map(({ title }) => title))
    for (const { title } of this.selected) this.#tests.set(title, { seconds: undefined })
  }

  onError(error: TestError): void {
    const text = errorText(error)
    if (text.includes('No tests found')) endWith(EXIT_STATUS.wrongUse)
    // The report has the findings themselves.
    if (!text.startsWith(LATE)) this.#errors.push(text)
  }

  onTestEnd({ title }: TestCase, { status, duration, error }: TestResult): void {
    const failed = status === 'failed' || status === 'timedOut'
    this.#tests.set(title, { seconds: duration / 1000, ...(failed && { failure: error ? errorText(error) : status }) })
  }

  async onEnd({ status }: FullResult): Promise<void> {
    await atRest()
    const report = reportSince(this.startedAt)
    // A signal may come before there is a run that could say so.
    if (!report && status === 'interrupted' && this.#errors.length === 0) {
      new ReportsFolder(runReportsDirectory()).clear()
      this.#errors.push(NOTHING_JUDGED)
    }
    const requestOf = report ? requestsOf(report) : String
    const errors = [...new Set([...this.#errors, ...(report?.trouble === undefined ? [] : [report.trouble])])]
    this.tell({ report, tests: this.#tests, errors, warnings: settingWarnings(), requestOf })
  }
}

/** What Playwright says of an error, without what is for terminals alone and without paths of this machine. */
export function errorText({ message, value }: TestError): string {
  const text = message ?? value ?? 'an error without a message'
  return withoutPaths(withoutControls(stripVTControlCharacters(text)))
}
