import type { Har } from 'har-format'
import { conformance } from '../engine/judging/conformance.ts'
import type { Contract } from '../engine/contract.ts'
import type { Dataset } from '../engine/data/dataset.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { readRunSettings, type TargetSettings } from '../engine/settings/settings.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import type { EvidenceEntry } from '../reporting/result/evidence-har.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { reportOf } from '../reporting/result/report.ts'
import { begin } from '../requirements/beginning.ts'
import { leaveAsItWas } from '../requirements/restoration/restoration.ts'
import { changedEntries } from './changed-entries.ts'
import { Recording } from './recording.ts'

/** What a run is judged again from. */
export interface Recorded {
  readonly report: Report
  readonly evidence: Har
  readonly dataset: Dataset
  /** Tokens of the form of those that the run had. */
  readonly tokens: readonly [main: string, other: string]
}

/** What judging evidence again came to. */
export interface JudgedAgain {
  /** As the run's own, but for times. */
  readonly report: Report
  readonly recording: Recording
  /** Entries that the suite would have written otherwise, in sentences. */
  readonly changed: readonly string[]
}

/**
 * What is certified is loaded for it, and nobody else's. What is asked must not hang on how long ago something was
 * listed: judging again takes another time.
 */
export function unshared(target: TargetSettings): TargetSettings {
  return { ...target, isUnshared: true }
}

/** Judges every requirement again, with the evidence of a run in place of its target. */
export async function judgeAgain(
  { report, evidence, dataset, tokens: [accessToken, otherAccessToken] }: Recorded,
  contract: Contract,
  requirements: readonly Requirement[],
): Promise<JudgedAgain> {
  const { dateFormat, maxRequestsPerSecond, allowWrites, operations, ...given } = report.settings!
  const settings = {
    ...readRunSettings({}),
    ...given,
    ...(dateFormat !== null && { dateFormat }),
    ...(maxRequestsPerSecond !== null && { maxRequestsPerSecond }),
    ...(operations && { operations }),
  }
  const target = { ...report.target!, accessToken, otherAccessToken, allowWrites }
  const recording = new Recording(evidence.log.entries as unknown as readonly EvidenceEntry[])
  const startedAt = new Date(report.startedAt)
  const { results, session, left } = await conformance(unshared(target), settings, contract, requirements, {
    begin,
    restore: leaveAsItWas,
    dataset,
    transport: recording,
    time: recording,
  })
  const known = { contract, requirements, startedAt, settings, target, dataset, left, trouble: session.run.trouble }
  // Nothing of a declared data set is masked; tokens were hidden when the evidence was written.
  const policy = RedactionPolicy.ofPublicData(target)
  return {
    report: reportOf({ ...known, policy }, results, session.evidence),
    recording,
    changed: changedEntries(recording.answered, session.evidence.exchanges),
  }
}
