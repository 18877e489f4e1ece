import path from 'node:path'
import type { Har } from 'har-format'
import type { Contract } from '../../engine/contract.ts'
import { SettingError } from '../../engine/settings/settings.ts'
import { readJson, readJsonAs } from './read-json.ts'
import type { Report } from './report-format.ts'
import { EVIDENCE_FILE, REPORT_FILE } from './report-files.ts'

/** What a run has left in its folder. */
export interface ReadReport {
  readonly report: Report
  readonly evidence: Har | undefined
}

/**
 * Reads the raw result of a run, and the evidence where there is any.
 * @throws SettingError where the folder holds none, or something else under its name.
 */
export function readReport(contract: Contract, folder: string): ReadReport {
  const report = readJsonAs<Report>(contract, path.join(folder, REPORT_FILE), 'report')
  if (!report)
    throw new SettingError(`${folder} holds no ${REPORT_FILE}; name a folder that a conformance run has written to.`)
  return { report, evidence: readEvidence(path.join(folder, EVIDENCE_FILE)) }
}

/**
 * Reads a run's evidence; undefined where there is no such file.
 * @throws SettingError where the file holds something else.
 */
export function readEvidence(file: string): Har | undefined {
  const evidence = readJson(file) as Partial<Har> | undefined
  if (evidence !== undefined && !Array.isArray(evidence.log?.entries))
    throw new SettingError(
      `${path.basename(file)} in ${path.dirname(file)} is no HTTP archive; remove it, or put the run's own there.`,
    )
  return evidence as Har | undefined
}
