import { LEVELS, type Outcome } from '../../engine/judging/requirement.ts'
import { counts, VERDICTS } from '../../engine/judging/verdict.ts'
import { grouped } from '../../engine/data/grouped.ts'
import { driftLines } from '../profile/drift.ts'
import { hasBegun, type Report, type ReportedRequirement } from '../result/report-format.ts'

/** What became of a change: what is no longer judged, and did not pass before, is neither worse nor better. */
export type Direction = 'worse' | 'better' | 'other'

/** A stated or implied requirement with another outcome in the second report than in the first. */
export interface OutcomeChange {
  readonly a: ReportedRequirement
  readonly b: ReportedRequirement
  readonly direction: Direction
  /** The first finding, or the reason, of the report in which it did not pass. */
  readonly why: string
  /** Whether it counts at the LEVEL of the second report. */
  readonly decides: boolean
}

/** An observation that differs, in the same way at each of its operations. */
export interface ObservationChange {
  readonly topic: string
  readonly operations: readonly string[]
  /** Lines of a diff from the first report to the second. */
  readonly lines: readonly string[]
  /** Why one side has not made it; empty where both have. */
  readonly missing: string
}

/** Two reports side by side. */
export interface Comparison {
  readonly a: Report
  readonly b: Report
  /** The worst first. */
  readonly outcomes: readonly OutcomeChange[]
  readonly observations: readonly ObservationChange[]
  /** Requirements, observed ones among them, that only one of both reports knows. */
  readonly known: { readonly onlyA: readonly ReportedRequirement[]; readonly onlyB: readonly ReportedRequirement[] }
  /** Fields that one report has seen and the other never. */
  readonly fields: { readonly came: readonly string[]; readonly went: readonly string[] }
  readonly isVerdictWorse: boolean
  /** Whether the verdict, or a requirement that counts, got worse. */
  readonly isRegression: boolean
}

/** A new failure weighs more than what is no longer judged. */
const GRAVEST_FIRST: readonly Outcome[] = ['failed', 'broken', 'not exercised', 'passed']

/** Compares a report with a later one, or with another target's. */
export function compare(a: Report, b: Report): Comparison {
  const outcomes = outcomeChanges(a, b)
  const isVerdictWorse = VERDICTS.indexOf(b.verdict) > VERDICTS.indexOf(a.verdict)
  // What could not begin has seen nothing, which says nothing of the target.
  const isSeen = hasBegun(a) && hasBegun(b)
  return {
    a,
    b,
    outcomes,
    observations: isSeen ? observationChanges(a, b) : [],
    known: { onlyA: missingFrom(b, a), onlyB: missingFrom(a, b) },
    fields: isSeen ? { came: seenOnlyIn(b, a), went: seenOnlyIn(a, b) } : { came: [], went: [] },
    isVerdictWorse,
    isRegression: isVerdictWorse || outcomes.some(({ direction, decides }) => direction === 'worse' && decides),
  }
}

/** How many observations differ. */
export function observationsThatDiffer({ observations }: Pick<Comparison, 'observations'>): number {
  return observations.reduce((sum, { operations }) => sum + operations.length, 0)
}

/** What a comparison comes to, in a sentence. */
export function inShort({ a, b, outcomes, observations, known, fields, ...rest }: Comparison): string {
  const worse = outcomes.filter(({ direction }) => direction === 'worse').length
  const lists = [outcomes, observations, known.onlyA, known.onlyB, fields.came, fields.went]
  if (rest.isRegression)
    return `B is worse than A: ${[
      ...(rest.isVerdictWorse ? [`the verdict was ${a.verdict} and is ${b.verdict}`] : []),
      ...(worse > 0 ? [`${worse} requirement${worse === 1 ? '' : 's'} got worse`] : []),
    ].join(', ')}.`
  if (worse > 0) return `Nothing that counts got worse (LEVEL=${b.settings?.level}).`
  if (known.onlyA.length > 0)
    return `Nothing got worse in what both judge; B lacks ${known.onlyA.length} that A judges.`
  return a.verdict === b.verdict && lists.every(({ length }) => length === 0) ? 'No difference.' : 'Nothing got worse.'
}

function outcomeChanges(a: Report, b: Report): OutcomeChange[] {
  const before = byId(a.requirements)
  const level = b.settings?.level ?? 'implied'
  return b.requirements
    .flatMap((now): OutcomeChange[] => {
      const was = before.get(now.id)
      if (was === undefined || was.outcome === now.outcome || now.level === 'observed') return []
      const direction = directionOf(was.outcome, now.outcome)
      const why = whyOf(direction === 'better' ? was : now)
      return [{ a: was, b: now, direction, why, decides: counts(now.level, level) }]
    })
    .toSorted(
      (one, other) =>
        rank(one.b) - rank(other.b) ||
        rank(other.a) - rank(one.a) ||
        LEVELS.indexOf(one.b.level) - LEVELS.indexOf(other.b.level),
    )
}

function directionOf(was: Outcome, now: Outcome): Direction {
  if (now === 'passed') return 'better'
  return was === 'passed' || now === 'failed' ? 'worse' : 'other'
}

function rank({ outcome }: ReportedRequirement): number {
  return GRAVEST_FIRST.indexOf(outcome)
}

function whyOf({ findings, reason = 'no reason was given' }: ReportedRequirement): string {
  const [first] = findings
  if (!first) return reason.split('\n')[0]!
  return findings.length === 1 ? first.message : `${first.message} (and ${findings.length - 1} more)`
}

/** A list is of values seen: their order is no difference. */
function observationChanges(a: Report, b: Report): ObservationChange[] {
  const [before, now] = [byId(a.observations), byId(b.observations)]
  const [knownToA, knownToB] = [byId(a.requirements), byId(b.requirements)]
  const changes = [...new Map([...before, ...now])].flatMap(([id, { topic, operation }]) => {
    const [inA, inB] = [knownToA.get(id), knownToB.get(id)]
    const lines = driftLines({ pinned: before.get(id)?.value, observed: now.get(id)?.value }, true)
    if (!inA || !inB || lines.length === 0) return []
    const [side, silent] = now.has(id) ? ['A', inA] : ['B', inB]
    const missing = before.has(id) && now.has(id) ? '' : `not observed in ${side}: ${whyOf(silent)}`
    return [{ topic, operation, lines, missing }]
  })
  return grouped(changes, (change) => [change.topic, change.missing, ...change.lines].join('\n')).map(([, alike]) => ({
    ...alike[0]!,
    operations: alike.map(({ operation }) => operation),
  }))
}

function missingFrom({ requirements }: Report, other: Report): ReportedRequirement[] {
  const known = byId(requirements)
  return other.requirements.filter(({ id }) => !known.has(id))
}

function seenOnlyIn({ fields }: Report, other: Report): string[] {
  const seen = new Set(seenIn(other.fields))
  return seenIn(fields).filter((name) => !seen.has(name))
}

function seenIn(fields: Report['fields']): string[] {
  return fields.flatMap(({ schema, field, seen }) => (seen > 0 ? [`${schema}.${field}`] : []))
}

function byId<T extends { readonly id: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.id, item]))
}
