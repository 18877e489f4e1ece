import { stripVTControlCharacters } from 'node:util'
import type { FullConfig, Reporter, Suite, TestCase, TestError, TestResult } from '@playwright/test/reporter'
import { select } from '../run/selection.ts'
import { withoutControls } from './finding-line.ts'
import { reportSince, requestsOf, type FinishedRun, type FinishedTest } from './finished-run.ts'
import { withoutPaths } from './report.ts'

/** Keeps what Playwright tells of a run until its end, when `tell` is called with all of it. */
export abstract class RunReporter implements Reporter {
  /** Whether this process has any: a --reporter on the command line takes the place of all. */
  static isThere = false

  constructor() {
    RunReporter.isThere = true
  }

  protected readonly startedAt = Date.now()
  /** The tests that were selected. */
  protected selected: readonly TestCase[] = []
  /** How many of them have ended. */
  protected ended = 0
  readonly #tests = new Map<string, FinishedTest>()
  readonly #errors: string[] = []

  protected abstract tell(run: FinishedRun): void

  onBegin(_config: FullConfig, suite: Suite): void {
    this.selected = suite.allTests()
    select(this.selected.map(({ title }) => title))
    for (const { title } of this.selected) this.#tests.set(title, { seconds: undefined })
  }

  onError(error: TestError): void {
    this.#errors.push(errorText(error))
  }

  onTestEnd({ title }: TestCase, { status, duration, error }: TestResult): void {
    this.ended++
    const failed = status !== 'passed' && status !== 'skipped'
    this.#tests.set(title, { seconds: duration / 1000, ...(failed && { failure: error ? errorText(error) : status }) })
  }

  onEnd(): void {
    const report = reportSince(this.startedAt)
    const requestOf = report ? requestsOf(report) : String
    this.tell({ report, tests: this.#tests, errors: this.#errors, requestOf })
  }
}

/** What Playwright says of an error, without what is for terminals alone and without paths of this machine. */
export function errorText({ message, value }: TestError): string {
  const text = message ?? value ?? 'an error without a message'
  return withoutPaths(withoutControls(stripVTControlCharacters(text)))
}
