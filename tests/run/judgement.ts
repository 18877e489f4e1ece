import type { Outcome } from '../engine/judging/requirement.ts'
import type { ExchangeText } from '../reporting/wording/exchange-text.ts'
import type { ReportAttachment } from '../reporting/playwright/report-attachments.ts'

/** What a test is told of its requirement: everything in it may be shown. */
export interface Judgement {
  readonly outcome: Outcome
  /** Whether the outcome counts at the LEVEL of this run. */
  readonly decides: boolean
  /** What its test is to carry into a blob, for merging. */
  readonly attachments?: readonly ReportAttachment[]
  /** Whether the test may expect its failure, because the run's reporters tell it as one that was not. */
  readonly failsInPlace?: boolean
  readonly reason?: string
  /** Its findings, a line each. */
  readonly lines: readonly string[]
  /** The exchanges that show the first of them. */
  readonly exchanges: readonly ExchangeText[]
  /** What was examined, such as `64 tickets`. */
  readonly examined: readonly string[]
  /** What was observed where the document is silent. */
  readonly observations: readonly string[]
}
