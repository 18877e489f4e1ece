import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Har } from 'har-format'
import type { FullConfig, Reporter, Suite, TestCase, TestError, TestResult } from '@playwright/test/reporter'
import { reportsDirectory } from '../engine/settings.ts'
import { EVIDENCE_FILE, REPORT_FILE } from './reports-folder.ts'
import { withoutControls } from './finding-line.ts'
import type { Report } from './report-format.ts'
import { summaryOf } from './summary.ts'

const FILES = 'conformance.json, evidence.har, junit.xml, playwright/index.html'

/** Tells a person at a terminal, at the end of a run, what its report says. */
export default class ConsoleReporter implements Reporter {
  readonly #startedAt = Date.now()
  readonly #errors: string[] = []
  readonly #failures = new Map<string, string>()
  #tests: readonly TestCase[] = []
  #ended = 0

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#tests = suite.allTests()
  }

  onError({ message, value }: TestError): void {
    this.#errors.push(withoutControls(message ?? value ?? 'an error without a message'))
  }

  onTestEnd(test: TestCase, { status, error }: TestResult): void {
    this.#ended++
    if (status !== 'passed' && status !== 'skipped') this.#failures.set(test.title, error?.message ?? status)
    this.#progress(`${this.#ended}/${this.#tests.length} ${test.title}`)
  }

  onEnd(): void {
    this.#progress('')
    const report = this.#report()
    // A run that could not begin says why, and nothing else.
    if (report && report.fields.length > 0) {
      console.log(`\n${summaryOf(report, requestsOf(report))}\n`)
      this.#tellOtherFailures(report)
      console.log(`Reports: ${path.relative(process.cwd(), reportsDirectory()) || '.'} (${FILES})\n`)
    }
    // Playwright's --list leaves listing to whichever reporter prints.
    if (!report && this.#errors.length === 0) for (const test of this.#tests) console.log(placeOf(test))
    for (const error of this.#errors) console.error(error)
  }

  printsToStdio(): boolean {
    return true
  }

  /** Tests that failed although the report has nothing against their requirement. */
  #tellOtherFailures({ requirements }: Report): void {
    const judged = requirements.filter(({ outcome }) => outcome === 'failed' || outcome === 'broken')
    const titles = new Set(judged.map(({ id, title }) => `${id}: ${title}`))
    for (const [title, message] of this.#failures)
      if (!titles.has(title)) console.log(withoutControls(`${title}\n  ${message}\n`))
  }

  /** The report, where this run has written one. */
  #report(): Report | undefined {
    const report = read<Report>(REPORT_FILE)
    if (!report) return undefined
    return Date.parse(report.finishedAt) >= this.#startedAt ? report : undefined
  }

  #progress(line: string): void {
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[2K${line.slice(0, process.stdout.columns - 1)}`)
  }
}

function placeOf({ location, title }: TestCase): string {
  return `${path.relative(process.cwd(), location.file)}: ${title}`
}

/** Gives the requests of the run's exchanges, each in a line. */
function requestsOf({ requirements }: Report): (exchange: number) => string {
  const har = requirements.some(({ findings }) => findings.length > 0) ? read<Har>(EVIDENCE_FILE) : undefined
  return (exchange) => {
    const request = har?.log.entries[exchange - 1]?.request
    if (!request) return `exchange ${exchange}`
    const { pathname, search } = new URL(request.url)
    return `${request.method} ${pathname}${search}`
  }
}

function read<T>(file: string): T | undefined {
  const whole = path.join(reportsDirectory(), file)
  return existsSync(whole) ? (JSON.parse(readFileSync(whole, 'utf8')) as T) : undefined
}
