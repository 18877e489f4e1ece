import type { Requirement } from '../../engine/judging/requirement.ts'
import { html, type Markup } from '../pages/markup.ts'
import { badge, WORST_FIRST } from '../pages/outcome.ts'
import { value, valueInLine } from '../pages/value.ts'
import type { ReportedRequirement } from '../result/report-format.ts'
import type { ColumnLookup } from './column.ts'

/** An observation that is longer is folded. */
const LONGEST = 48

/** How many of a group passed or, where some did not, how many did not. */
export function countCell({ results }: ColumnLookup, group: readonly Requirement[]): Markup | string {
  const outcomes = group.map(({ id }) => results.get(id)?.outcome ?? 'not exercised')
  const counts = WORST_FIRST.map((outcome) => [outcome, outcomes.filter((one) => one === outcome).length] as const)
  const [worst] = counts.find(([, count]) => count > 0)!
  const of = (count: number): string => `${count} of ${group.length}`
  // Nothing that is observed is right or wrong.
  if (group[0]?.level === 'observed') return `${of(counts.at(-1)![1])} observed`
  if (worst === 'passed') return badge(worst, of(group.length))
  const words = counts.flatMap(([outcome, count]) => {
    if (count === 0 || outcome === 'passed') return []
    return outcome === 'not exercised' ? [`${count} ${outcome}`] : [`${of(count)} ${outcome}`]
  })
  return badge(worst, words.join(', '))
}

/** What became of a requirement, with what the report has to say of it. */
export function outcomeCell({ results, href }: ColumnLookup, { id }: Requirement): Markup {
  const { outcome, findings, reason }: Partial<ReportedRequirement> = results.get(id) ?? {}
  const shown = badge(outcome ?? 'not exercised')
  const why = outcome === 'failed' ? findings?.[0]?.message : outcome === 'broken' ? reason?.split('\n')[0] : undefined
  return html`${href === undefined ? shown : html`<a href="${href}#${id}">${shown}</a>`}${why === undefined ? '' : html`<p class="note">${why}</p>`}`
}

/** What a target does where the document is silent; what is long is folded behind its beginning. */
export function observationCell({ observations }: ColumnLookup, { id }: Requirement): Markup | string {
  const observation = observations.get(id)
  if (!observation) return badge('not exercised', 'not observed')
  const line = valueInLine(observation.value)
  if (line.length <= LONGEST) return line
  return html`<details><summary>${line.slice(0, LONGEST)}…</summary>${value(observation.value)}</details>`
}
