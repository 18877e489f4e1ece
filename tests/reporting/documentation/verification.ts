import type { Outcome } from '../../engine/judging/requirement.ts'
import { html, type Markup } from '../pages/markup.ts'
import { badge, WORST_FIRST } from '../pages/outcome.ts'
import { when } from '../pages/when.ts'
import { hasBegun, type Report, type ReportedRequirement } from '../result/report-format.ts'
import { whatItHad } from '../wording/what-it-had.ts'
import type { Sources } from './sources.ts'

/** A report of a run that judged something, whose results may therefore be shown. */
export function judged(report: Report | undefined): report is Report {
  return report !== undefined && hasBegun(report)
}

/** What was verified, when, against what and by which means. */
export function verification({ report, certified }: Pick<Sources, 'report' | 'certified'>): Markup {
  if (!report)
    return html`<div class="verification">
      <p>
        <strong>Not verified yet.</strong> This was made of the contract and the register of requirements alone. After
        <code>npm run conformance</code>, <code>npm run docs</code> tells here what a real target does.
      </p>
    </div>`
  if (!judged(report))
    return html`<div class="verification broken">
      <p>
        <strong>Not verified:</strong> the run of ${when(report)} could not judge ${nameOf(report)}. What follows was made
        of the contract and the register of requirements alone.
      </p>
    </div>`
  const { verdict, target, requirements } = report
  const demands = requirements.filter(({ level }) => level !== 'observed')
  const observed = requirements.filter(({ level, outcome }) => level === 'observed' && outcome === 'passed')
  return html`<div class="verification ${verdict}">
    <p>
      <strong>${verdict}</strong>: verified ${when(report)} against <strong>${nameOf(report)}</strong>
      (<code>${target?.baseUrl}</code>), ${whatItHad(report)}.${report.dataset ? '' : ' Personal values are masked.'}
    </p>
    ${certified === undefined ? '' : html`<p>${certified}</p>`}
    <p>${tally(demands)} of ${demands.length} stated and implied requirements; ${observed.length} observations.</p>
  </div>`
}

/** How many of some requirements had each outcome. */
export function tally(requirements: readonly Pick<ReportedRequirement, 'outcome'>[]): Markup {
  const counts = WORST_FIRST.toReversed().flatMap((outcome) => {
    const count = requirements.filter((one) => one.outcome === outcome).length
    return count > 0 ? [badge(outcome, `${count} ${outcome}`)] : []
  })
  return html`${counts.map((count, index) => html`${index > 0 ? ' ' : ''}${count}`)}`
}

/** Requirements with those first that a reader should know of: what went wrong, and what nobody looked at. */
export function worstOutcomeFirst<T extends { readonly outcome: Outcome | undefined }>(
  requirements: readonly T[],
): T[] {
  const rank = ({ outcome }: T): number => (outcome === undefined ? WORST_FIRST.length : WORST_FIRST.indexOf(outcome))
  return requirements.toSorted((a, b) => rank(a) - rank(b))
}

/** The day of a report. */
export function dateOf({ startedAt }: Report): Markup {
  return html`<time datetime="${startedAt}">${startedAt.slice(0, 10)}</time>`
}

export function nameOf({ target }: Report): string {
  return target?.name ?? 'a target without a name'
}
