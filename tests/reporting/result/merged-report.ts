import { isDeepStrictEqual } from 'node:util'
import type { Har } from 'har-format'
import type { Outcome } from '../../engine/judging/requirement.ts'
import { verdictOn } from '../../engine/judging/verdict.ts'
import type { EvidenceEntry } from './evidence-har.ts'
import { grouped } from '../../engine/data/grouped.ts'
import { problemsOf, reportedProblem } from '../problems/problems.ts'
import type { Report, ReportedRequirement } from './report-format.ts'
import { NOT_LOOKED_AT, suite, totalsOf } from './report.ts'

/** What one shard of a run left behind. */
export interface ShardReport {
  readonly report: Report
  readonly evidence: Har
}

/** Every requirement is judged by the shard that was given its test; of those that several judged, the gravest outcome counts. */
const GRAVEST_FIRST: readonly Outcome[] = ['broken', 'failed', 'passed', 'not exercised']

/** What the shards of one run have in common. */
const IN_COMMON = ['target', 'suite', 'contract', 'register', 'dataset', 'settings'] as const

/** The report and the evidence of a whole run, from those of its shards, of which there must be one at least. */
export function mergedReport(parts: readonly ShardReport[]): ShardReport {
  const shards = parts.toSorted((a, b) => (a.report.shard?.current ?? 0) - (b.report.shard?.current ?? 0))
  const reports = shards.map(({ report }) => report)
  const trouble = troubleWith(reports)
  const left = reports.flatMap(({ leftChanged }) => leftChanged ?? [])
  const waited = mergedWaiting(reports)
  const before = shards.map((_, index) => sum(shards.slice(0, index), ({ evidence }) => evidence.log.entries.length))
  const requirements = reports[0]!.requirements.map(({ id }) => {
    const looks = reports.flatMap(({ requirements: all }, index) =>
      all.filter((requirement) => requirement.id === id).map((one) => movedBy(before[index]!, one)),
    )
    return mergedRequirement(looks, trouble)
  })
  const { shard: _shard, interrupted: _interrupted, ...first } = reports[0]!
  return {
    report: {
      ...first,
      verdict: trouble === undefined && left.length === 0 ? verdictOf(first, requirements) : 'broken',
      ...(trouble !== undefined && { trouble }),
      ...(left.length > 0 && { leftChanged: left }),
      ...(waited.length > 0 && { waited }),
      startedAt: reports.map(({ startedAt }) => startedAt).toSorted()[0]!,
      finishedAt: reports
        .map(({ finishedAt }) => finishedAt)
        .toSorted()
        .at(-1)!,
      totals: totalsOf(requirements),
      requirements,
      problems: problemsOf({ requirements }).map(reportedProblem),
      observations: mergedObservations(reports),
      fields: first.fields.map((field, index) => ({
        ...field,
        seen: sum(reports, ({ fields }) => fields[index]?.seen ?? 0),
        absent: sum(reports, ({ fields }) => fields[index]?.absent ?? 0),
        violations: sum(reports, ({ fields }) => fields[index]?.violations ?? 0),
      })),
      requests: {
        count: sum(reports, ({ requests }) => requests.count),
        bytes: sum(reports, ({ requests }) => requests.bytes),
      },
    },
    evidence: mergedEvidence(shards, before),
  }
}

/** Why reports are not the shards of one run, all of them and each once, in a sentence; undefined where they are. */
function troubleWith(reports: readonly Report[]): string | undefined {
  const different = IN_COMMON.find((part) =>
    reports.some((report) => !isDeepStrictEqual(told(report, part), told(reports[0]!, part))),
  )
  if (different) return `The shards were no parts of one run: they do not have the same ${different}.`
  const total = Math.max(...reports.map(({ shard }) => shard?.total ?? 1))
  const handedIn = reports.map(({ shard }) => shard?.current ?? 1)
  if (new Set(handedIn).size < handedIn.length) return 'A shard handed in its report twice.'
  const troubled = reports.find(({ trouble }) => trouble !== undefined)
  if (troubled) return troubled.trouble
  const missing = Array.from({ length: total }, (_, index) => index + 1).filter((number) => !handedIn.includes(number))
  const broken = reports.find(({ interrupted }) => interrupted)?.shard
  if (missing.length === 0) return broken && `Shard ${broken.current} of ${broken.total} was interrupted.`
  return `${missing.length === 1 ? 'Shard' : 'Shards'} ${missing.join(', ')} of ${total} handed in no report, or had nothing to do.`
}

/** The reference service has another port in every shard, and a run that names no SEED draws one. */
function told(report: Report, part: (typeof IN_COMMON)[number]): unknown {
  if (part === 'target' && report.target?.builtIn) return report.target.name
  if (part === 'settings' && report.settings) return { ...report.settings, seed: undefined }
  return report[part]
}

function verdictOf({ settings }: Report, requirements: readonly ReportedRequirement[]): Report['verdict'] {
  return verdictOn(
    requirements.map(({ level, outcome }) => ({ requirement: { level }, outcome })),
    settings?.level ?? 'implied',
  )
}

function mergedRequirement(looks: readonly ReportedRequirement[], trouble: string | undefined): ReportedRequirement {
  const looked = looks.filter(({ reason }) => reason !== NOT_LOOKED_AT)
  const outcome = GRAVEST_FIRST.find((grave) => looked.some((look) => look.outcome === grave))
  if (!outcome) return { ...looks[0]!, ...(trouble !== undefined && { reason: trouble }) }
  const telling = looked.filter((look) => look.outcome === outcome)
  const examined = telling.flatMap((look) => Object.entries(look.examined))
  return {
    ...telling[0]!,
    examined: Object.fromEntries(
      grouped(examined, ([noun]) => noun).map(([noun, counts]) => [noun, sum(counts, ([, count]) => count)]),
    ),
    findings: grouped(
      telling.flatMap(({ findings }) => findings),
      ({ message }) => message,
    ).map(([, same]) => ({ ...same[0]!, occurrences: sum(same, ({ occurrences }) => occurrences) })),
  }
}

/** What several shards observed of the same are lists of what their answers held: together they hold all of it. */
function mergedObservations(reports: readonly Report[]): Report['observations'] {
  const all = reports.flatMap(({ observations }) => observations)
  return grouped(all, ({ id }) => id).map(([, [first, ...others]]) => {
    const values = [first!, ...others].map(({ value }) => value)
    return { ...first!, value: values.every(Array.isArray) ? [...new Set(values.flat())].toSorted() : first!.value }
  })
}

function mergedWaiting(reports: readonly Report[]): NonNullable<Report['waited']> {
  const all = reports.flatMap(({ waited = [] }) => waited)
  return grouped(all, ({ what }) => what).map(([what, same]) => ({
    what,
    times: sum(same, ({ times }) => times),
    seconds: sum(same, ({ seconds }) => seconds),
  }))
}

function mergedEvidence(shards: readonly ShardReport[], before: readonly number[]): Har {
  const entries = shards.flatMap(({ evidence }, index) =>
    (evidence.log.entries as EvidenceEntry[]).map(({ _exchange: number, ...entry }) => ({
      _exchange: number + before[index]!,
      ...entry,
    })),
  )
  return { log: { version: '1.2', creator: suite(), entries } }
}

/** What a shard says, with the numbers that its exchanges have in the merged evidence. */
function movedBy(exchanges: number, { reason, findings, ...rest }: ReportedRequirement): ReportedRequirement {
  const moved = (text: string): string =>
    text.replaceAll(/(?<=\bexchange )\d+/g, (number) => String(Number(number) + exchanges))
  return {
    ...rest,
    ...(reason !== undefined && { reason: moved(reason) }),
    findings: findings.map((finding) => ({
      ...finding,
      received: typeof finding.received === 'string' ? moved(finding.received) : finding.received,
      exchange: finding.exchange + exchanges,
    })),
  }
}

function sum<T>(of: readonly T[], count: (one: T) => number): number {
  return of.reduce((total, one) => total + count(one), 0)
}
