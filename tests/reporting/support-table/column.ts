import type { Report, ReportedObservation, ReportedRequirement } from '../result/report-format.ts'

/** A target in a support table. */
export interface Column {
  readonly report: Report
  readonly durationMs: number
  /** Address of the target's own page, where there is one. */
  readonly href?: string
}

/** A column whose results can be looked up by id. */
export interface ColumnLookup extends Column {
  readonly results: ReadonlyMap<string, ReportedRequirement>
  readonly observations: ReadonlyMap<string, ReportedObservation>
}

export function lookedUp(column: Column): ColumnLookup {
  const { requirements, observations } = column.report
  return {
    ...column,
    results: new Map(requirements.map((result) => [result.id, result])),
    observations: new Map(observations.map((observation) => [observation.id, observation])),
  }
}
