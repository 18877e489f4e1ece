import type { Level, Outcome } from '../../engine/judging/requirement.ts'
import type { RunSettings } from '../../engine/settings/settings.ts'
import type { Waiting } from '../../engine/trouble/trouble.ts'
import type { Verdict } from '../../engine/judging/verdict.ts'

/** `conformance.json`: the one raw result of a run. Its shape is `spec/report.schema.json`, which describes it. */
export interface Report {
  readonly formatVersion: 1
  readonly verdict: Verdict
  readonly target: { readonly name: string; readonly baseUrl: string; readonly builtIn?: true } | null
  /** The commit is told of a run that is to be certified alone. */
  readonly suite: { readonly name: string; readonly version: string; readonly commit?: string | null }
  readonly contract: { readonly title: string; readonly version: string; readonly sha256: string }
  readonly register: { readonly requirements: number; readonly sha256: string }
  readonly dataset: { readonly file: string; readonly sha256: string; readonly companyId: string } | null
  readonly settings: ReportedSettings | null
  /** Which part of a run this is; absent where it is the whole. */
  readonly shard?: { readonly current: number; readonly total: number }
  /** Why the run as a whole is broken, where it is. */
  readonly trouble?: string
  /** Whether it was ended before it was through. */
  readonly interrupted?: true
  /** What could not be put back as it was, in sentences; absent where everything was. */
  readonly leftChanged?: readonly string[]
  /** What the run waited for; absent where it did not have to. */
  readonly waited?: readonly Waiting[]
  readonly startedAt: string
  readonly finishedAt: string
  readonly totals: {
    readonly passed: number
    readonly failed: number
    readonly notExercised: number
    readonly broken: number
  }
  readonly requirements: readonly ReportedRequirement[]
  /** What failed, by cause, the gravest first; absent in reports of earlier versions. */
  readonly problems?: readonly ReportedProblem[]
  readonly observations: readonly ReportedObservation[]
  /** What the target does otherwise than PROFILE has it; absent where no file was named. */
  readonly drift?: readonly ReportedDrift[]
  /** What became of the file that PROFILE names, in sentences; absent where none was named. */
  readonly profile?: readonly string[]
  readonly fields: readonly ReportedField[]
  readonly requests: { readonly count: number; readonly bytes: number }
}

export interface ReportedSettings {
  readonly level: RunSettings['level']
  readonly allowWrites: boolean
  readonly secondCompany: boolean
  readonly dateFormat: string | null
  readonly seed: number
  readonly requestTimeoutMs: number
  readonly maxPages: number
  readonly maxRequestsPerSecond: number | null
  readonly maxDurationS: number
  /** The operations that were judged; absent where all were. */
  readonly operations?: readonly string[]
}

export interface ReportedRequirement {
  readonly id: string
  readonly title: string
  readonly level: Level
  readonly operations: readonly string[]
  readonly source: string
  readonly outcome: Outcome
  readonly reason?: string
  readonly examined: Readonly<Record<string, number>>
  readonly findings: readonly ReportedFinding[]
}

export interface ReportedFinding {
  readonly message: string
  readonly expected: unknown
  readonly received: unknown
  /** That nothing came: `received` is null then. */
  readonly absent?: true
  readonly pointer: string
  readonly record?: string
  readonly occurrences: number
  readonly exchange: number
  /** The operation whose answer showed it; absent in reports of earlier versions. */
  readonly operation?: string
}

/** Requirements that failed for one cause. */
export interface ReportedProblem {
  readonly title: string
  readonly requirements: readonly string[]
  readonly operations: readonly string[]
  /** The most telling finding, which is of the first requirement. */
  readonly finding: ReportedFinding
}

export interface ReportedObservation {
  readonly id: string
  readonly topic: string
  readonly operation: string
  readonly value: unknown
}

export interface ReportedDrift {
  readonly id: string
  readonly topic: string
  readonly operation: string
  readonly pinned: unknown
  readonly observed: unknown
}

export interface ReportedField {
  readonly schema: string
  readonly field: string
  readonly seen: number
  readonly absent: number
  readonly violations: number
}

/** Whether the run could judge anything; one that could not begin says why, and nothing else. */
export function hasBegun({ fields }: Report): boolean {
  return fields.length > 0
}
