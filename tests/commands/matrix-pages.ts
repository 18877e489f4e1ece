import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { evidenceHar } from '../reporting/result/evidence-har.ts'
import { PAGE_FILE } from '../reporting/result/report-files.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { reportOf, reportOfNothing, type Circumstances } from '../reporting/result/report.ts'
import { ReportsFolder } from '../reporting/result/reports-folder.ts'
import { folderNames } from '../reporting/support-table/folder-names.ts'
import type { Column } from '../reporting/support-table/column.ts'
import { supportPage } from '../reporting/support-table/support-page.ts'
import type { Entry, JudgedRow } from './row.ts'

/** Where the pages of a matrix go; what is not named is not written. */
export interface PagesOptions {
  /** File of the support table. */
  readonly html?: string
  /** Folder of the targets' own reports. */
  readonly reports?: string
}

/** What a matrix is judged by. */
type Judging = Required<Pick<Circumstances, 'contract' | 'requirements' | 'settings'>>

/** The pages that a matrix leaves for people: a report for each target, and the support table over them all. */
export class MatrixPages {
  readonly #options: PagesOptions
  readonly #judging: Judging
  readonly #folder: ReportsFolder | undefined
  readonly #names: readonly string[]
  readonly #columns = new Map<number, Column>()
  readonly #errors: unknown[] = []

  /**
   * Takes the reports of an earlier matrix away.
   * @throws SettingError where the folder can't be written to.
   */
  constructor(options: PagesOptions, entries: readonly Pick<Entry, 'target'>[], judging: Judging) {
    this.#options = options
    this.#judging = judging
    this.#names = folderNames(entries.map(({ target }) => RedactionPolicy.ofPublicData(target).text(target.name)))
    if (options.reports === undefined) return
    this.#folder = new ReportsFolder(options.reports, '--reports')
    for (const name of this.#names) this.#folder.clear(name)
  }

  /** Writes a target's report, and keeps what the table shows of it; what goes wrong is raised by `write`. */
  async add(index: number, entry: Entry, judgedRow: JudgedRow, startedAt: Date): Promise<void> {
    if (!this.#folder && this.#options.html === undefined) return
    const report = this.#reportOf(entry, judgedRow, startedAt)
    const { durationMs } = judgedRow.row
    this.#columns.set(index, { report, durationMs })
    try {
      const name = this.#names[index]!
      const evidence = judgedRow.judged && evidenceHar(judgedRow.exchanges, entry.policy, report)
      await this.#folder?.write(report, evidence, name)
      if (this.#folder) this.#columns.set(index, { report, durationMs, href: this.#linkTo(name) })
    } catch (error) {
      // The other targets are still being judged, and the result is worth having without this report.
      this.#errors.push(error)
    }
  }

  /**
   * Writes the support table over everything that was judged.
   * @throws SettingError where a report could not be written.
   */
  async write(isInterrupted: boolean): Promise<void> {
    const { html } = this.#options
    const columns = [...this.#columns].toSorted(([one], [other]) => one - other).map(([, column]) => column)
    if (html !== undefined) writeFileSync(html, await supportPage({ ...this.#judging, columns, isInterrupted }))
    if (this.#errors.length > 0) throw this.#errors[0]
  }

  #reportOf({ target, dataset, policy }: Entry, { row, exchanges, judged }: JudgedRow, startedAt: Date): Report {
    const known = {
      ...this.#judging,
      startedAt,
      target,
      policy,
      ...(dataset && target.dataset !== undefined && { dataset, datasetFile: target.dataset }),
    }
    policy.learn(exchanges)
    if (!judged) return reportOfNothing(known, row.findings['preflight']?.[0] ?? '', { count: 0, bytes: 0 })
    const { results, left, session } = judged
    const { isInterrupted: interrupted, trouble, waited } = session.run
    return reportOf({ ...known, left, interrupted, trouble, waited }, results, session.evidence)
  }

  /** Address of a target's page, as seen from the table. */
  #linkTo(name: string): string {
    const { html = '', reports = '' } = this.#options
    const file = path.relative(path.dirname(path.resolve(html)), path.resolve(reports, name, PAGE_FILE))
    return file.split(path.sep).map(encodeURIComponent).join('/')
  }
}
