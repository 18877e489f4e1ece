import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Har } from 'har-format'
import type { Contract } from '../engine/contract.ts'
import { projectRoot, SettingError } from '../engine/settings.ts'
import type { Report } from './report-format.ts'
import { EVIDENCE_FILE, REPORT_FILE } from './reports-folder.ts'

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
  const report = readJson(path.join(folder, REPORT_FILE))
  if (report === undefined)
    throw new SettingError(`${folder} holds no ${REPORT_FILE}; name a folder that a conformance run has written to.`)
  const schema = JSON.parse(readFileSync(path.join(projectRoot, 'spec/report.schema.json'), 'utf8')) as object
  const validate = contract.compile(schema)
  if (!validate(report)) {
    const [{ instancePath, message } = { instancePath: '', message: '' }] = validate.errors ?? []
    throw new SettingError(`${REPORT_FILE} in ${folder} is no report of this version: ${instancePath} ${message}.`)
  }
  const evidence = readJson(path.join(folder, EVIDENCE_FILE)) as Partial<Har> | undefined
  if (evidence !== undefined && !Array.isArray(evidence.log?.entries))
    throw new SettingError(`${EVIDENCE_FILE} in ${folder} is no HTTP archive; remove it, or put the run's own there.`)
  return { report: report as Report, evidence: evidence as Har | undefined }
}

/** @returns undefined where there is no such file. */
function readJson(file: string): unknown {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new SettingError(`${file} can't be read as JSON (${(error as Error).message}).`)
  }
}
