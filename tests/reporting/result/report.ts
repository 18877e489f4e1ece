import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Contract } from '../../engine/contract.ts'
import type { Dataset } from '../../engine/data/dataset.ts'
import type { Evidence } from '../../engine/judging/evidence.ts'
import { bytesOf } from '../../engine/http/exchange.ts'
import type { Finding, Requirement, Result } from '../../engine/judging/requirement.ts'
import { projectRoot, type RunSettings, type TargetSettings } from '../../engine/settings/settings.ts'
import type { Waiting } from '../../engine/trouble/trouble.ts'
import { verdictOn } from '../../engine/judging/verdict.ts'
import type { RedactionPolicy } from '../redaction/redaction-policy.ts'
import { problemsOf, reportedProblem } from '../problems/problems.ts'
import type { Report, ReportedFinding, ReportedRequirement } from './report-format.ts'

/** A text or a value longer than this is cut short in the report; the evidence has it whole. */
const LONGEST = 2000

/** What a run went by, as far as it is known; a run that could not begin knows less. */
export interface Circumstances {
  readonly contract: Contract
  readonly requirements: readonly Requirement[]
  readonly startedAt: Date
  /** Which part of a run this is, counted from 1. */
  readonly shard?: { readonly current: number; readonly total: number }
  readonly settings?: RunSettings
  readonly target?: TargetSettings
  readonly dataset?: Dataset
  /** The data set's file. */
  readonly datasetFile?: string
  readonly interrupted?: boolean
  /** What could not be put back, in sentences. */
  readonly left?: readonly string[]
  /** Why the target could not be judged to the end, in a sentence. */
  readonly trouble?: string | undefined
  /** What was waited for. */
  readonly waited?: readonly Waiting[]
  /** What may be shown of the target; known as soon as its tokens are. */
  readonly policy?: RedactionPolicy
  /** Commit of the suite, where it is to be told. */
  readonly commit?: string | null
}

/** The report of a run, with a result for every requirement. */
export function reportOf(
  circumstances: Circumstances & { readonly policy: RedactionPolicy },
  results: readonly Result[],
  evidence: Evidence,
): Report {
  const { settings, contract, policy, interrupted, left = [], trouble, waited = [] } = circumstances
  const requirements = results.map((result) => reportedRequirement(result, policy))
  return {
    ...frame(circumstances),
    verdict: verdictOn(results, settings?.level ?? 'implied', { left, trouble }),
    ...(trouble !== undefined && { trouble: policy.text(trouble) }),
    ...(waited.length > 0 && { waited }),
    ...(interrupted && { interrupted }),
    ...(left.length > 0 && { leftChanged: left.map((sentence) => policy.text(sentence)) }),
    totals: totalsOf(results),
    requirements,
    problems: problemsOf({ requirements }).map(reportedProblem),
    observations: results.flatMap(({ observations }) =>
      observations.map(({ id, topic, operation, value }) => ({
        id,
        topic,
        operation,
        value: cut(policy.observation(value)),
      })),
    ),
    fields: contract.fields.map(({ schema, name }) => {
      const { seen, absent, violations } = evidence.fields.get(`${schema}.${name}`)!
      const broken = [...violations.values()].reduce((sum, { looks }) => sum + looks, 0)
      return { schema, field: name, seen, absent, violations: broken }
    }),
    requests: {
      count: evidence.exchanges.length,
      bytes: bytesOf(evidence.exchanges),
    },
  }
}

/** The report of a run that could not begin: nothing was exercised, for the reason given. */
export function reportOfNothing(circumstances: Circumstances, reason: string, requests: Report['requests']): Report {
  const results = circumstances.requirements.map((requirement) => notExercised(requirement, reason))
  return {
    ...frame(circumstances),
    verdict: 'broken',
    ...(circumstances.interrupted && { interrupted: true, trouble: reason }),
    totals: totalsOf(results),
    requirements: results.map((result) => head(result)),
    problems: [],
    observations: [],
    fields: [],
    requests,
  }
}

/** Why a requirement has no outcome in a run of a part. */
export const NOT_LOOKED_AT = 'Not looked at in this run: it was not selected, or the run was interrupted.'

/** The result of a requirement that was not looked at. */
export function notExercised(requirement: Requirement, reason: string): Result {
  return { requirement, outcome: 'not exercised', reason, examined: {}, findings: [], observations: [] }
}

function frame(
  circumstances: Circumstances,
): Pick<
  Report,
  | 'formatVersion'
  | 'target'
  | 'suite'
  | 'contract'
  | 'register'
  | 'dataset'
  | 'settings'
  | 'shard'
  | 'startedAt'
  | 'finishedAt'
> {
  const { contract, requirements, startedAt, shard, settings, target, dataset, datasetFile, policy, commit } =
    circumstances
  const show = (text: string): string => policy?.text(text) ?? text
  return {
    formatVersion: 1,
    target: target ? shownTarget(target, show) : null,
    suite: { ...suite(), ...(commit !== undefined && { commit }) },
    contract: {
      title: contract.document.info.title,
      version: contract.document.info.version,
      sha256: sha256(readFileSync(path.join(projectRoot, 'spec/openapi.yaml'))),
    },
    register: {
      requirements: requirements.length,
      sha256: sha256(requirements.map(({ id }) => `${id}\n`).join('')),
    },
    dataset:
      dataset && datasetFile !== undefined
        ? {
            file: path.basename(datasetFile),
            sha256: sha256(readFileSync(datasetFile)),
            companyId: dataset.companyId,
          }
        : null,
    settings: settings && target ? shownSettings(settings, target) : null,
    ...(shard && { shard: { current: shard.current, total: shard.total } }),
    startedAt: startedAt.toISOString(),
    finishedAt: new Date().toISOString(),
  }
}

function shownTarget({ name, baseUrl, builtIn }: TargetSettings, show: (text: string) => string): Report['target'] {
  return { name: show(name), baseUrl: show(baseUrl), ...(builtIn && { builtIn }) }
}

function shownSettings(settings: RunSettings, target: TargetSettings): NonNullable<Report['settings']> {
  return {
    level: settings.level,
    allowWrites: target.allowWrites,
    secondCompany: target.otherAccessToken !== undefined,
    dateFormat: settings.dateFormat ?? null,
    seed: settings.seed,
    requestTimeoutMs: settings.requestTimeoutMs,
    maxPages: settings.maxPages,
    maxRequestsPerSecond: settings.maxRequestsPerSecond ?? null,
    maxDurationS: settings.maxDurationS,
    ...(settings.operations && { operations: settings.operations }),
  }
}

/** A result as a report has it: what may be shown of it. */
export function reportedRequirement(result: Result, policy: RedactionPolicy): ReportedRequirement {
  const { reason, examined, findings } = result
  return {
    ...head(result),
    ...(reason !== undefined && { reason: withoutPaths(policy.text(reason)) }),
    examined,
    findings: findings.map((finding) => reportedFinding(policy.finding(finding))),
  }
}

function head({ requirement, outcome, reason }: Result): ReportedRequirement {
  const { id, title, level, operations, source } = requirement
  return {
    id,
    title,
    level,
    operations: [...operations],
    source,
    outcome,
    ...(reason !== undefined && { reason }),
    examined: {},
    findings: [],
  }
}

function reportedFinding(finding: Finding): ReportedFinding {
  const { message, expected, received, pointer, record, occurrences, exchange } = finding
  return {
    message,
    expected: cut(expected ?? null),
    received: cut(received ?? null),
    ...(received === undefined && { absent: true as const }),
    pointer,
    ...(record !== undefined && { record }),
    occurrences,
    exchange: exchange.number,
    operation: exchange.operation,
  }
}

/** The text with the paths of this machine, which a stack trace holds, made relative. */
export function withoutPaths(text: string): string {
  return text.replaceAll(`file://${projectRoot}`, '').replaceAll(projectRoot, '')
}

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : value
}

/** How many results have each outcome. */
export function totalsOf(results: readonly Pick<Result, 'outcome'>[]): Report['totals'] {
  const count = (outcome: Result['outcome']): number => results.filter((result) => result.outcome === outcome).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    notExercised: count('not exercised'),
    broken: count('broken'),
  }
}

/** The name and version of this suite. */
export function suite(): Report['suite'] {
  const { name, version } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as Report['suite']
  return { name, version }
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}
