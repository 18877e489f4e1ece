import { typeOf } from '../../engine/http/answer.ts'
import { restsOn } from '../../requirements/rests-on.ts'
import { areaOf } from '../wording/areas.ts'
import type { Report, ReportedProblem, ReportedRequirement } from '../result/report-format.ts'
import { findingsOf, gravestFirst, rankOf, type Found } from './findings-of.ts'
import { titleOf } from './titles.ts'

/** What a person would mend once: requirements that failed for one cause, under one headline. */
export interface Problem {
  readonly title: string
  /** Every requirement that failed for it; first those that the others rest on. */
  readonly requirements: readonly string[]
  /** The operations whose answers showed it. */
  readonly operations: readonly string[]
  /** Every finding of these requirements, the most telling first. */
  readonly findings: readonly Found[]
}

/** Areas in which one operation has to meet one demand in several ways: for each bad token, on each page, for each field. */
const ONE_DEMAND: ReadonlySet<string> = new Set([
  ...['authentication', 'answer', 'isolation', 'paging', 'dates', 'search', 'known answers', 'update'],
])

/**
 * The findings of a report as problems, the gravest first. A requirement that rests on another that failed goes with it
 * (`tests/requirements/rests-on.ts`). Of the others, those are one problem that show
 * - the same demand broken by one operation in several ways, or by several operations in the same way;
 * - the same mistake in the type of several fields;
 * - something wrong in the same member of an operation's records, or in the same answer.
 */
export function problemsOf(report: Pick<Report, 'requirements'>): readonly Problem[] {
  const failed = gravestFirst(report.requirements.filter(({ findings }) => findings.length > 0))
  const rootOf = new Map(failed.map((one) => [one, rootAmong(failed, one)]))
  const groups = connected(
    failed.filter((one) => rootOf.get(one) === one),
    (one) => causesOf(one.id, findingsOf(one)),
  )
  const problems = groups.map((group): Problem => {
    const folded = failed.filter((one) => !group.includes(one) && group.includes(rootOf.get(one)!))
    const telling = group.flatMap(findingsOf)
    const [first, ...others] = [...telling, ...folded.flatMap(findingsOf)]
    const findings = [first!, ...others.toSorted((a, b) => rankOf(a.requirement) - rankOf(b.requirement))]
    return {
      title: titleOf(telling),
      requirements: [...group, ...folded].map(({ id }) => id),
      operations: [...new Set(findings.map(({ operation }) => operation))],
      findings,
    }
  })
  const rank = ({ findings: [first] }: Problem): number => rankOf(first!.requirement)
  return problems.toSorted((a, b) => rank(a) - rank(b) || b.requirements.length - a.requirements.length)
}

/** A problem as `conformance.json` has it. */
export function reportedProblem({ title, requirements, operations, findings }: Problem): ReportedProblem {
  return { title, requirements, operations, finding: findings[0]!.finding }
}

/** The requirement on which one rests in the end, of those that failed: itself, where it rests on none. */
function rootAmong(
  failed: readonly ReportedRequirement[],
  one: ReportedRequirement,
  above: readonly ReportedRequirement[] = [],
): ReportedRequirement {
  const passed = [...above, one]
  for (const pattern of restsOn(one.id)) {
    const root = failed.find((other) => pattern.test(other.id) && !passed.includes(other))
    if (root) return rootAmong(failed, root, passed)
  }
  return one
}

/** What a requirement's findings have in common with those of others that failed for the same cause. */
function causesOf(id: string, findings: readonly Found[]): readonly string[] {
  const area = areaOf(id)
  const places = findings.map(placeOf)
  if (area === 'fields') return [...findings.map(mistakeOf), ...places]
  const [operation = '', , name = ''] = id.split('.')
  const filter = name.replace(/-.*/, '')
  return [
    ...(ONE_DEMAND.has(area) ? [`${operation} ${area}`] : []),
    ...(area === 'filters'
      ? [`${operation} ${filter}`, ...findings.map(({ finding }) => finding.message.replace(filter, '*'))]
      : []),
    `${area} ${name}`,
    ...places,
  ]
}

/** The member of an operation's records that a finding is about or, where it is about none, the record, or the answer. */
function placeOf({ operation, finding: { pointer, record, exchange } }: Found): string {
  const [, member] = /^\/\w+\/\d+\/(.+)$/.exec(pointer) ?? []
  if (member !== undefined) return `${operation} ${member.replaceAll(/\/\d+/g, '/*')}`
  return record === undefined ? `exchange ${exchange}` : `${operation} of ${record}`
}

/** How the value of a field is wrong: the type that it has, and the one that it has to have, whatever else is demanded. */
function mistakeOf({ finding: { absent, expected, received } }: Found): string {
  if (absent) return 'left out'
  if (received === null) return 'null'
  const [type = 'another'] =
    /string|number|boolean|array|object/.exec(String(expected).replace('integer', 'number')) ?? []
  return `${typeOf(received)} in place of ${type}`
}

/** Items in groups: in one are those that have a cause in common, directly or through others. */
function connected<T>(items: readonly T[], causesOf: (item: T) => readonly string[]): T[][] {
  let groups: { readonly items: readonly T[]; readonly causes: ReadonlySet<string> }[] = []
  for (const item of items) {
    const causes = new Set(causesOf(item))
    const touching = groups.filter((group) => [...causes].some((cause) => group.causes.has(cause)))
    const merged = {
      items: [...touching.flatMap((group) => group.items), item],
      causes: new Set([...touching.flatMap((group) => [...group.causes]), ...causes]),
    }
    groups = [...groups.filter((group) => !touching.includes(group)), merged]
  }
  return groups.map((group) => [...group.items])
}
