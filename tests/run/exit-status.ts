import type { Report } from '../reporting/result/report-format.ts'

/** What a run tells the command line; the README has the table. */
export const EXIT_STATUS = { fine: 0, nonconformant: 1, wrongUse: 2, broken: 3, incomplete: 4, drifted: 5 } as const

/** What Playwright ends with where it was interrupted. */
export const INTERRUPTED = 130

/** Ends this process with a status in place of the one that Playwright has for every failure. */
export function endWith(status: number): void {
  process.once('exit', (code) => {
    if (code !== INTERRUPTED) process.exitCode = status
  })
}

/** The status that a report asks for; undefined where Playwright's own is as good. */
export function statusOf(
  { verdict, drift = [] }: Pick<Report, 'verdict' | 'drift'>,
  isTooIncomplete: boolean,
): number | undefined {
  if (verdict === 'nonconformant') return EXIT_STATUS.nonconformant
  if (verdict === 'broken') return EXIT_STATUS.broken
  if (isTooIncomplete) return EXIT_STATUS.incomplete
  return drift.length > 0 ? EXIT_STATUS.drifted : undefined
}
