import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Har } from 'har-format'
import { SettingError } from '../engine/settings.ts'
import { EVIDENCE_FILE, PAGE_FILE, REPORT_FILE, REPORT_FILES } from './report-files.ts'
import type { Report } from './report-format.ts'
import { reportPage } from './report-page/report-page.ts'

/** Holds the process id of the run that is writing to the folder. */
const LOCK_FILE = '.running'

/** The folder that a run writes its reports to. */
export class ReportsFolder {
  readonly #path: string

  /**
   * Makes sure that the folder is there, and that no other run writes to it.
   * @throws SettingError where it can't be written to, or another run is writing to it.
   */
  constructor(folder: string) {
    this.#path = folder
    try {
      mkdirSync(folder, { recursive: true })
      keepOthersOut(path.join(folder, LOCK_FILE))
    } catch (error) {
      throw unwritable(error)
    }
  }

  /** Takes the results of an earlier run away, so that none of them passes for one of this run. */
  clear(): void {
    for (const file of REPORT_FILES) rmSync(path.join(this.#path, file), { force: true })
  }

  /** Writes the report, the evidence where there is any, and the page that shows them. */
  async write(report: Report, evidence?: Har): Promise<void> {
    const page = await reportPage(report, evidence)
    try {
      if (evidence) this.#write(EVIDENCE_FILE, asJson(evidence))
      this.#write(REPORT_FILE, asJson(report))
      this.#write(PAGE_FILE, page)
    } catch (error) {
      throw unwritable(error)
    }
  }

  #write(file: string, content: string): void {
    writeFileSync(path.join(this.#path, file), content)
  }
}

/** Claims a folder for this process, until it ends; a claim of a process that is no more counts for nothing. */
function keepOthersOut(lock: string): void {
  const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0
  if (owner !== process.pid && isRunning(owner))
    throw new SettingError(
      `REPORTS_DIR is in use by another run (process ${owner}); wait for it, or name another folder.`,
    )
  writeFileSync(lock, String(process.pid))
  process.once('exit', () => rmSync(lock, { force: true }))
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function asJson(content: object): string {
  return `${JSON.stringify(content, undefined, 2)}\n`
}

function unwritable(error: unknown): SettingError {
  if (error instanceof SettingError) return error
  return new SettingError(
    `REPORTS_DIR can't be written to (${(error as NodeJS.ErrnoException).code}); name a folder that can.`,
  )
}
