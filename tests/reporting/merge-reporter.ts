import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { Contract } from '../engine/contract.ts'
import { isMerge, readRunSettings, runReportsDirectory } from '../engine/settings.ts'
import { endWith, EXIT_STATUS, statusOf } from '../run/exit-status.ts'
import { mergedReport, troubleWith, type ShardReport } from './merged-report.ts'
import { missingOf } from './must-be-exercised.ts'
import { shardReportIn } from './report-attachments.ts'
import { ReportsFolder } from './reports-folder.ts'

/**
 * Under `playwright merge-reports`: writes one report, made of those that the shards' blobs carry, before the other
 * reporters look for it.
 */
export default class MergeReporter implements Reporter {
  readonly #contract = new Contract()
  readonly #shards: ShardReport[] = []
  #trouble: string | undefined

  onTestEnd(_test: TestCase, { attachments }: TestResult): void {
    const shard = isMerge() ? shardReportIn(this.#contract, attachments) : undefined
    if (shard) this.#shards.push(shard)
  }

  async onEnd(): Promise<void> {
    if (!isMerge()) return
    const reports = this.#shards.map(({ report }) => report)
    this.#trouble =
      reports.length > 0
        ? troubleWith(reports)
        : 'No blob here holds a report of this suite: run it with --reporter=blob, in every shard.'
    if (this.#trouble !== undefined) endWith(EXIT_STATUS.broken)
    if (reports.length === 0) return
    const folder = new ReportsFolder(runReportsDirectory())
    folder.clear()
    const { report, evidence } = mergedReport(this.#shards)
    await folder.write(report, evidence)
    const status = statusOf(report.verdict, missingOf(readRunSettings().failOn, report).length > 0)
    if (status !== undefined) endWith(status)
  }

  onExit(): Promise<void> {
    if (this.#trouble !== undefined) console.error(this.#trouble)
    return Promise.resolve()
  }

  printsToStdio(): boolean {
    return false
  }
}
