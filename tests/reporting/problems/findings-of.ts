import { LEVELS } from '../../engine/judging/requirement.ts'
import type { ReportedFinding, ReportedRequirement } from '../result/report-format.ts'

/** A finding and the requirement that it breaks. */
export interface Found {
  readonly requirement: ReportedRequirement
  readonly finding: ReportedFinding
  /** The operation whose answer showed it. */
  readonly operation: string
}

/** The findings of a requirement: what happened most often first. */
export function findingsOf(requirement: ReportedRequirement): readonly Found[] {
  return requirement.findings
    .map((finding) => ({ requirement, finding, operation: finding.operation ?? requirement.operations[0]! }))
    .toSorted((a, b) => b.finding.occurrences - a.finding.occurrences)
}

/** What is stated before what is implied, in the order of the register, which has the plainest demands first. */
export function gravestFirst(requirements: readonly ReportedRequirement[]): readonly ReportedRequirement[] {
  return requirements.toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** The lower, the graver: by its level. */
export function rankOf({ level }: ReportedRequirement): number {
  return LEVELS.indexOf(level)
}
