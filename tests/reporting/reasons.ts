import type { ReportedRequirement } from './report-format.ts'

/** The reasons why requirements were not exercised, each with those it holds for, the commonest first. */
export function reasonsOf(
  requirements: readonly ReportedRequirement[],
): readonly (readonly [string, ReportedRequirement[]])[] {
  const byReason = new Map<string, ReportedRequirement[]>()
  for (const requirement of requirements) {
    if (requirement.outcome !== 'not exercised') continue
    // The same reason may be seen in several exchanges.
    const reason = (requirement.reason ?? '').replace(/ \(exchange \d+\)/, '')
    byReason.set(reason, [...(byReason.get(reason) ?? []), requirement])
  }
  return [...byReason].toSorted(([, a], [, b]) => b.length - a.length)
}
