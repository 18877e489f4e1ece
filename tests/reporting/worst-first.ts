import { LEVELS } from '../engine/requirement.ts'
import type { Report, ReportedFinding, ReportedRequirement } from './report-format.ts'

/** A finding and the requirement that it breaks. */
export interface Found {
  readonly requirement: ReportedRequirement
  readonly finding: ReportedFinding
}

/** All findings of a report: what is stated before what is implied, and then what happened most often. */
export function worstFirst({ requirements }: Pick<Report, 'requirements'>): Found[] {
  return requirements
    .flatMap((requirement) => requirement.findings.map((finding) => ({ requirement, finding })))
    .toSorted(
      (a, b) =>
        LEVELS.indexOf(a.requirement.level) - LEVELS.indexOf(b.requirement.level) ||
        b.finding.occurrences - a.finding.occurrences,
    )
}
