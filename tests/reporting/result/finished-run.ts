import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Har } from 'har-format'
import { runReportsDirectory } from '../../engine/settings/settings.ts'
import { readJson } from './read-json.ts'
import type { Report } from './report-format.ts'
import { requestLineOf } from '../wording/request-line.ts'
import { EVIDENCE_FILE, REPORT_FILE } from './report-files.ts'

/** What is known of a run after its end. */
export interface FinishedRun {
  /** Undefined where the run broke off before it could write one. */
  readonly report: Report | undefined
  /** What became of each test that was selected, by its title. */
  readonly tests: ReadonlyMap<string, FinishedTest>
  /** What went wrong outside the tests. */
  readonly errors: readonly string[]
  /** What was wrong with the settings, in sentences. */
  readonly warnings: readonly string[]
  readonly requestOf: RequestOf
}

export interface FinishedTest {
  /** Undefined where the run ended before the test did. */
  readonly seconds: number | undefined
  /** What made Playwright fail the test, if it did. */
  readonly failure?: string
}

/** Gives the request of an exchange in a line. */
export type RequestOf = (exchange: number) => string

/** The report, where one has been written since a time, in milliseconds. */
export function reportSince(time: number): Report | undefined {
  return isWrittenSince(REPORT_FILE, time) ? read<Report>(REPORT_FILE) : undefined
}

/** Whether the folder of reports has a file that was written since a time, in milliseconds. */
export function isWrittenSince(file: string, time: number): boolean {
  const whole = path.join(runReportsDirectory(), file)
  return existsSync(whole) && statSync(whole).mtimeMs >= time
}

/** Whether there was a run at all: Playwright's --list is none, nor is one that selects nothing. */
export function hasRun({ report, errors }: FinishedRun): boolean {
  return report !== undefined || errors.some(isOfTheRun)
}

/** Whether an error is more than that the command line selected no test. */
export function isOfTheRun(error: string): boolean {
  return !error.includes('No tests found')
}

/** What failed of the tests although the report has nothing against their requirement: title and message of each. */
export function failuresBesides(
  { requirements }: Report,
  tests: ReadonlyMap<string, FinishedTest>,
): readonly (readonly [title: string, message: string])[] {
  const judged = requirements.filter(({ outcome }) => outcome === 'failed' || outcome === 'broken')
  const titles = new Set(judged.map(({ id, title }) => `${id}: ${title}`))
  return [...tests].flatMap(([title, { failure }]) =>
    failure === undefined || titles.has(title) ? [] : [[title, failure] as const],
  )
}

/** Gives the requests of the run's exchanges, each in a line. */
export function requestsOf({ requirements }: Report): RequestOf {
  const har = requirements.some(({ findings }) => findings.length > 0) ? read<Har>(EVIDENCE_FILE) : undefined
  return (exchange) => {
    const request = har?.log.entries[exchange - 1]?.request
    return request ? requestLineOf(request) : `exchange ${exchange}`
  }
}

function read<T>(file: string): T | undefined {
  return readJson(path.join(runReportsDirectory(), file)) as T | undefined
}
