import { RunEnded } from '../engine/time/clock.ts'
import { conformance, type Conformance, type Frame } from '../engine/judging/conformance.ts'
import type { Contract } from '../engine/contract.ts'
import type { Dataset } from '../engine/data/dataset.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import { PreflightError } from '../engine/judging/preflight.ts'
import type { Requirement, Result } from '../engine/judging/requirement.ts'
import type { Session } from '../engine/judging/session.ts'
import { SettingError, type RunSettings, type TargetSettings } from '../engine/settings/settings.ts'
import type { Verdict } from '../engine/judging/verdict.ts'
import { begin } from '../requirements/beginning.ts'
import { finishEarlierRun, leaveAsItWas } from '../requirements/restoration/restoration.ts'
import type { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { findingLine } from '../reporting/wording/finding-line.ts'
import { problemsOf, type Problem } from '../reporting/problems/problems.ts'
import { reportedRequirement } from '../reporting/result/report.ts'

/** One target's row of a matrix. */
export interface Row {
  readonly name: string
  readonly verdict: Verdict
  readonly durationMs: number
  readonly requests: number
  readonly outcomes: Readonly<Record<string, string>>
  readonly findings: Readonly<Record<string, readonly string[]>>
  /** What failed, by cause, the gravest first. */
  readonly problems: readonly Pick<Problem, 'title' | 'requirements' | 'operations'>[]
}

/** A target of a matrix, and the data set it is loaded with where that is known. */
export interface Entry {
  readonly target: TargetSettings
  readonly dataset: Dataset | undefined
  /** What may be shown of the target. */
  readonly policy: RedactionPolicy
}

/** A row, and what it was made of. */
export interface JudgedRow {
  readonly row: Row
  readonly exchanges: readonly Exchange[]
  /** Absent where the target could not be judged at all. */
  readonly judged?: Conformance
}

/** Judges one target of a matrix; a target that can't be judged is a broken row. */
export async function judgeRow(
  { target, dataset, policy }: Entry,
  settings: RunSettings,
  contract: Contract,
  requirements: readonly Requirement[],
  surroundings: Pick<Frame, 'journal' | 'signal' | 'onResult' | 'transport' | 'time'> = {},
): Promise<JudgedRow> {
  const start = performance.now()
  const row = (rest: Omit<Row, 'name' | 'durationMs'>): Row => ({
    name: target.name,
    durationMs: Math.round(performance.now() - start),
    ...rest,
  })
  try {
    const judged = await conformance(target, settings, contract, requirements, {
      begin: beginRow,
      restore: leaveAsItWas,
      dataset,
      ...surroundings,
    })
    const { verdict, results, session, left } = judged
    const { exchanges } = session.evidence
    const told = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'broken')
    const sentences = {
      ...(left.length > 0 && { restoration: left }),
      ...(session.run.trouble !== undefined && { trouble: [session.run.trouble] }),
    }
    // What personal values there are matters only where something is quoted.
    if (told.length > 0 || Object.keys(sentences).length > 0) policy.learn(exchanges)
    const findings = Object.fromEntries([
      ...Object.entries(sentences).map(([what, said]) => [what, said.map((sentence) => policy.text(sentence))]),
      ...told.map((result) => [result.requirement.id, messagesOf(result, policy)]),
    ])
    const outcomes = Object.fromEntries(results.map(({ requirement, outcome }) => [requirement.id, outcome]))
    const failed = told.map((result) => reportedRequirement(result, policy))
    const problems = problemsOf({ requirements: failed }).map(({ title, requirements: ids, operations }) => ({
      title,
      requirements: ids,
      operations,
    }))
    return { row: row({ verdict, requests: exchanges.length, outcomes, findings, problems }), exchanges, judged }
  } catch (error) {
    if (![PreflightError, RunEnded, SettingError].some((known) => error instanceof known)) throw error
    const outcomes = Object.fromEntries(requirements.map(({ id }) => [id, 'not exercised']))
    const findings = { preflight: [policy.text((error as Error).message)] }
    return { row: row({ verdict: 'broken', requests: 0, outcomes, findings, problems: [] }), exchanges: [] }
  }
}

async function beginRow(session: Session): Promise<void> {
  await finishEarlierRun(session)
  await begin(session)
}

function messagesOf({ requirement, outcome, reason, findings }: Result, policy: RedactionPolicy): string[] {
  if (outcome === 'broken') return [policy.text(reason ?? 'The suite itself went wrong.')]
  return findings.map((finding) => findingLine(requirement, policy.finding(finding)))
}
