import type { FullResult, Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter'
import { Contract } from '../../engine/contract.ts'
import {
  isMerge,
  readProfileSettings,
  readRunSettings,
  runReportsDirectory,
  SettingError,
} from '../../engine/settings/settings.ts'
import { register } from '../../requirements/register.ts'
import { endWith, EXIT_STATUS, statusOf } from '../../run/exit-status.ts'
import { mergedReport, type ShardReport } from '../result/merged-report.ts'
import { checkFailOn, missingOf } from '../result/must-be-exercised.ts'
import { PinnedProfile } from '../profile/pinned-profile.ts'
import { shardReportIn } from './report-attachments.ts'
import { ReportsFolder } from '../result/reports-folder.ts'
import { reportOfNothing } from '../result/report.ts'
import { errorText } from './run-reporter.ts'

/**
 * Under `playwright merge-reports`: writes one report, made of those that the shards' blobs carry, before the other
 * reporters look for it.
 */
export default class MergeReporter implements Reporter {
  readonly #contract = new Contract()
  readonly #shards: ShardReport[] = []
  readonly #errors: string[] = []

  onError(error: TestError): void {
    this.#errors.push(errorText(error))
  }

  onTestEnd(_test: TestCase, { attachments }: TestResult): void {
    const shard = isMerge() ? shardReportIn(this.#contract, attachments) : undefined
    if (shard) this.#shards.push(shard)
  }

  async onEnd({ startTime }: FullResult): Promise<void> {
    if (!isMerge()) return
    try {
      await this.#merge(startTime)
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      console.error(error.message)
      endWith(EXIT_STATUS.wrongUse)
    }
  }

  async #merge(startedAt: Date): Promise<void> {
    const requirements = register(this.#contract)
    const { failOn } = readRunSettings()
    checkFailOn(failOn, requirements)
    const named = readProfileSettings()
    const profile = named && new PinnedProfile(this.#contract, named, requirements)
    const folder = new ReportsFolder(runReportsDirectory())
    folder.clear()
    if (this.#shards.length === 0) {
      const reason = [...this.#errors, 'No blob here holds a report of this suite.'].join(' ')
      endWith(EXIT_STATUS.broken)
      const nothing = reportOfNothing({ contract: this.#contract, requirements, startedAt }, reason, NO_REQUESTS)
      return folder.write({ ...nothing, trouble: reason })
    }
    const { report: merged, evidence } = mergedReport(this.#shards)
    const report = profile?.hold(merged) ?? merged
    await folder.write(report, evidence)
    const status = statusOf(report, missingOf(failOn, report).length > 0)
    if (status !== undefined) endWith(status)
  }

  printsToStdio(): boolean {
    return false
  }
}

const NO_REQUESTS = { count: 0, bytes: 0 }
