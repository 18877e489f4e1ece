import { appendFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { runReportsDirectory } from '../../engine/settings/settings.ts'
import { integrationService, jobSummaryFile } from '../../run/continuous-integration.ts'
import { hasRun, type FinishedRun } from '../result/finished-run.ts'
import { annotationsOf } from '../exports/github-annotations.ts'
import { junitOf } from '../exports/junit.ts'
import { markdownSummary } from '../exports/markdown-summary.ts'
import { writeWhole } from '../result/reports-folder.ts'
import { HTML_FOLDER, JUNIT_FILE, SUMMARY_FILE } from '../result/report-files.ts'
import { RunReporter } from './run-reporter.ts'

/** Writes what continuous integration shows of a run, also of one that could not begin: JUnit, a page of Markdown, annotations. */
export default class ArtefactsReporter extends RunReporter {
  readonly #html = path.join(runReportsDirectory(), HTML_FOLDER)
  readonly #kept = `${this.#html}.kept`

  protected override tell(run: FinishedRun): void {
    if (integrationService() === 'GitHub Actions') for (const line of annotationsOf(run)) console.log(line)
    if (hasRun(run)) writeArtefacts(run)
    // Playwright is about to put a page without tests in the place of an earlier run's.
    else if (existsSync(this.#html)) renameSync(this.#html, this.#kept)
  }

  onExit(): Promise<void> {
    if (!existsSync(this.#kept)) return Promise.resolve()
    rmSync(this.#html, { recursive: true, force: true })
    renameSync(this.#kept, this.#html)
    return Promise.resolve()
  }

  printsToStdio(): boolean {
    return false
  }
}

/** Writes JUnit and the page of Markdown beside the report. */
export function writeArtefacts(run: FinishedRun): void {
  const summary = markdownSummary(run)
  const page = jobSummaryFile()
  sayIfUnwritable('REPORTS_DIR', () => {
    writeWhole(path.join(runReportsDirectory(), JUNIT_FILE), junitOf(run))
    writeWhole(path.join(runReportsDirectory(), SUMMARY_FILE), summary)
  })
  if (page !== undefined) sayIfUnwritable('GITHUB_STEP_SUMMARY', () => appendFileSync(page, summary))
}

/** The run has been judged whether or not this can be written. */
function sayIfUnwritable(setting: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    console.error(`${setting} can't be written to (${(error as NodeJS.ErrnoException).code}).`)
  }
}
