import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Har } from 'har-format'
import { makeFolder } from '../../engine/settings/make-folder.ts'
import { SettingError } from '../../engine/settings/settings.ts'
import { CERTIFICATE_FILES, EVIDENCE_FILE, LOCK_FILE, PAGE_FILE, REPORT_FILE, REPORT_FILES } from './report-files.ts'
import type { Report } from './report-format.ts'
import { reportPage } from '../report-page/report-page.ts'

/** The folder that a run writes its reports to; a matrix has one inside of it for each target. */
export class ReportsFolder {
  readonly #path: string
  readonly #setting: string

  /**
   * Makes sure that the folder is there, and that no other run writes to it.
   * @param setting what names it, for messages.
   * @throws SettingError where it can't be written to, or another run is writing to it.
   */
  constructor(folder: string, setting = 'REPORTS_DIR') {
    this.#path = folder
    this.#setting = setting
    try {
      makeFolder(folder)
      keepOthersOut(path.join(folder, LOCK_FILE), setting)
    } catch (error) {
      throw unwritable(error, setting)
    }
  }

  /** Takes the results of an earlier run away, so that none of them passes for one of this run. */
  clear(inside = ''): void {
    for (const file of [...REPORT_FILES, ...CERTIFICATE_FILES])
      rmSync(path.join(this.#path, inside, file), { force: true })
  }

  /** Writes the report, the evidence where there is any, and the page that shows them. */
  async write(report: Report, evidence?: Har, inside = ''): Promise<void> {
    const folder = path.join(this.#path, inside)
    const page = await reportPage(report, evidence)
    try {
      makeFolder(folder)
      // The largest last: a disk may be full.
      writeWhole(path.join(folder, REPORT_FILE), asJson(report))
      writeWhole(path.join(folder, PAGE_FILE), page)
      if (evidence) writeWhole(path.join(folder, EVIDENCE_FILE), asJson(evidence))
    } catch (error) {
      throw unwritable(error, this.#setting)
    }
  }
}

/** Writes a file, or leaves none where there is no room for all of it. */
export function writeWhole(file: string, content: string): void {
  try {
    writeFileSync(file, content)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}

/** Claims a folder for this process, until it ends; a claim of a process that is no more counts for nothing. */
function keepOthersOut(lock: string, setting: string): void {
  const owner = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0
  if (owner !== process.pid && isRunning(owner))
    throw new SettingError(
      `${setting} is in use by another run (process ${owner}); wait for it, or name another folder.`,
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

function unwritable(error: unknown, setting: string): SettingError {
  if (error instanceof SettingError) return error
  return new SettingError(
    `${setting} can't be written to (${(error as NodeJS.ErrnoException).code}); name a folder that can.`,
  )
}
