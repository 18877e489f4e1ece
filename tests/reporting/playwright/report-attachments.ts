import path from 'node:path'
import type { TestInfo } from '@playwright/test'
import type { Contract } from '../../engine/contract.ts'
import { runReportsDirectory } from '../../engine/settings/settings.ts'
import type { ShardReport } from '../result/merged-report.ts'
import { readJsonAs } from '../result/read-json.ts'
import { readEvidence } from '../result/read-report.ts'
import type { Report } from '../result/report-format.ts'
import { EVIDENCE_FILE, REPORT_FILE } from '../result/report-files.ts'

type Attachment = TestInfo['attachments'][number]

export type ReportAttachment = Pick<Attachment, 'name' | 'contentType'> & { readonly path: string }

/**
 * A run's report and evidence as attachments of a test. They are named by their paths, as they are written after the last
 * test; Playwright packs a blob when that has been done.
 */
export function reportAttachments(): ReportAttachment[] {
  return [REPORT_FILE, EVIDENCE_FILE].map((name) => ({
    name,
    contentType: 'application/json',
    path: path.join(runReportsDirectory(), name),
  }))
}

/**
 * The report and the evidence that a test's attachments are; undefined where they are none.
 * @throws SettingError where they hold something else.
 */
export function shardReportIn(contract: Contract, attachments: readonly Attachment[]): ShardReport | undefined {
  const fileOf = (wanted: string): string => attachments.find(({ name }) => name === wanted)?.path ?? ''
  const report = readJsonAs<Report>(contract, fileOf(REPORT_FILE), 'report')
  const evidence = readEvidence(fileOf(EVIDENCE_FILE))
  return report && evidence && { report, evidence }
}
