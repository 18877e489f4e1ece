import { grouped } from '../engine/grouped.ts'
import type { ReportedRequirement } from './report-format.ts'

/** The reasons why requirements were not exercised, each with those it holds for, the commonest first. */
export function reasonsOf(
  requirements: readonly ReportedRequirement[],
): readonly (readonly [string, ReportedRequirement[]])[] {
  const unexercised = requirements.filter(({ outcome }) => outcome === 'not exercised')
  // The same reason may be seen in several exchanges.
  return grouped(unexercised, ({ reason = '' }) => reason.replace(/ \(exchange \d+\)/, ''))
}
