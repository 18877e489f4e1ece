import { grouped } from '../../engine/data/grouped.ts'
import { enumerated } from './enumerated.ts'
import type { ReportedRequirement } from '../result/report-format.ts'

type Reason = readonly [reason: string, requirements: ReportedRequirement[]]

const MOST_NAMES = 20

/**
 * The reasons why requirements were not exercised, each with those it holds for, the commonest first. Reasons of single
 * requirements that differ in the name of the field or filter alone are one, which has all the names.
 */
export function reasonsOf(requirements: readonly ReportedRequirement[]): readonly Reason[] {
  const unexercised = requirements.filter(({ outcome }) => outcome === 'not exercised')
  // The same reason may be seen in several exchanges.
  const reasons = grouped(unexercised, ({ reason = '' }) => reason.replace(/ \(exchange \d+\)/, ''))
  const alike = grouped(reasons, ([reason, of]) => (of.length === 1 ? reason.replaceAll(nameIn(of[0]!), '*') : reason))
  return alike.map(merged).toSorted(([, a], [, b]) => b.length - a.length)
}

function merged([pattern, reasons]: readonly [string, readonly Reason[]]): Reason {
  const requirements = reasons.flatMap(([, of]) => of)
  if (reasons.length === 1) return [reasons[0]![0], requirements]
  const names = requirements.map(({ id }) => id.split('.').at(-1)!)
  return [pattern.replaceAll('*', enumerated(names, MOST_NAMES)), requirements]
}

/** The last part of a requirement's id, as a word. */
function nameIn({ id }: ReportedRequirement): RegExp {
  return new RegExp(`\\b${id.split('.').at(-1)}\\b`, 'g')
}
