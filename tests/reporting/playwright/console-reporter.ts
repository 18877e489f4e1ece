import path from 'node:path'
import type { TestCase } from '@playwright/test/reporter'
import { standingFolder } from '../../engine/settings/environment.ts'
import { readRunSettings, runReportsDirectory } from '../../engine/settings/settings.ts'
import { endWith, EXIT_STATUS } from '../../run/exit-status.ts'
import { runProgress } from '../../run/run-progress.ts'
import { NO_TARGET } from '../wording/built-in.ts'
import { coverageOf } from '../wording/coverage.ts'
import { withoutControls } from '../wording/finding-line.ts'
import { failuresBesides, hasRun, isWrittenSince, type FinishedRun } from '../result/finished-run.ts'
import { missingOf } from '../result/must-be-exercised.ts'
import { progressLine } from './progress-line.ts'
import { hasBegun, type Report } from '../result/report-format.ts'
import { HTML_FOLDER, REPORT_FILES } from '../result/report-files.ts'
import { RunReporter } from './run-reporter.ts'
import { summaryOf } from '../exports/summary.ts'

const FILES = [...REPORT_FILES, `${HTML_FOLDER}/index.html`]
const BETWEEN_PROGRESS_MS = 500
/** Where the output is a file: a job that says nothing for long looks dead, and a short one needs no word. */
const BETWEEN_LINES_MS = 15_000
const MOST_MISSING = 5
const CLEAR_LINE = '\r\x1b[2K'

/** Tells a person at a terminal how far a run has come and, at its end, what its report says. */
export default class ConsoleReporter extends RunReporter {
  readonly #timer: NodeJS.Timeout
  readonly #isTerminal = process.stdout.isTTY

  constructor() {
    super()
    // By time and not by tests, as one may be slow, and from here on, as reaching the target comes before them all.
    const between = this.#isTerminal ? BETWEEN_PROGRESS_MS : BETWEEN_LINES_MS
    this.#timer = setInterval(() => this.#tellProgress(), between).unref()
  }

  printsToStdio(): boolean {
    return true
  }

  protected override tell(run: FinishedRun): void {
    this.#endProgress()
    const { report, errors } = run
    // A run that could not begin says why, and nothing else.
    if (report && hasBegun(report)) tellReport(report, run)
    // A test that failed without its requirement was failed by something of the suite's, or by its --timeout.
    if (report && report.verdict !== 'nonconformant' && failuresBesides(report, run.tests).length > 0)
      endWith(EXIT_STATUS.broken)
    // Playwright's --list leaves listing to whichever reporter prints.
    if (!hasRun(run)) for (const test of this.selected) console.log(placeOf(test))
    for (const error of errors) console.error(error)
  }

  #tellProgress(): void {
    const progress = {
      ...runProgress(),
      selected: this.selected.length,
      seconds: (Date.now() - this.startedAt) / 1000,
    }
    if (this.#isTerminal) process.stdout.write(CLEAR_LINE + progressLine(progress, (process.stdout.columns || 80) - 1))
    else if (progress.selected > 0) console.log(progressLine(progress))
  }

  #endProgress(): void {
    clearInterval(this.#timer)
    if (this.#isTerminal) process.stdout.write(CLEAR_LINE)
  }
}

/** Tells a person at a terminal what a report says, and last how much was judged. */
export function tellReport(report: Report, { tests, warnings, requestOf }: FinishedRun): void {
  console.log(`\n${summaryOf(report, requestOf)}\n`)
  for (const [title, message] of failuresBesides(report, tests)) console.log(`${title}\n  ${message}\n`)
  // Playwright's own are not written under a --reporter of the command line, or only after this.
  const written = FILES.filter((file) => RunReporter.isThere || isWrittenSince(file, Date.parse(report.startedAt)))
  console.log(`Reports: ${path.relative(standingFolder(), runReportsDirectory()) || '.'} (${written.join(', ')})\n`)
  for (const line of [...warnings, ...lastWords(report)]) console.log(line)
}

/** What a run ends with: what became of PROFILE, how much was judged, what FAIL_ON missed, and that no target was named. */
function lastWords(report: Report): string[] {
  const missing = missingOf(readRunSettings().failOn, report)
  const ids = missing.slice(0, MOST_MISSING).join(', ')
  const more = missing.length > MOST_MISSING ? ` and ${missing.length - MOST_MISSING} more` : ''
  const coverage = coverageOf(report).map((line) => `${line[0]!.toUpperCase()}${line.slice(1)}.`)
  return [
    ...(report.profile ?? []).map(withoutControls),
    ...(missing.length > 0 ? [`FAIL_ON: not exercised: ${ids}${more}.`] : []),
    ...coverage.slice(0, -1),
    [coverage.at(-1), ...(report.target?.builtIn ? [NO_TARGET] : [])].join(' '),
  ]
}

function placeOf({ location, title }: TestCase): string {
  return `${path.relative(process.cwd(), location.file)}: ${title}`
}
