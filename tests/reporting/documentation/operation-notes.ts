import type { OperationId } from '../../engine/contract.ts'
import type { Level, Outcome, Requirement } from '../../engine/judging/requirement.ts'
import { html, type Markup } from '../pages/markup.ts'
import { badge } from '../pages/outcome.ts'
import { value } from '../pages/value.ts'
import type { Report, ReportedRequirement } from '../result/report-format.ts'
import { REQUIREMENTS_FILE } from './pages-of-the-documentation.ts'
import type { Sources } from './sources.ts'
import { dateOf, judged, nameOf, tally, worstOutcomeFirst } from './verification.ts'

const DEMANDED: readonly (readonly [Level, string])[] = [
  ['stated', 'the document says it'],
  ['implied', 'the document cannot mean anything else'],
]

/** What is demanded of an operation, and what became of each demand, by level. */
export function demandsOf(operation: OperationId, { requirements, report }: Sources): Markup {
  const mine = requirements.filter(({ operations }) => operations.includes(operation))
  return html`<section class="demands">
    <h3>Requirements</h3>
    ${
      judged(report)
        ? html`<p>Verified on ${dateOf(report)} against ${nameOf(report)}.</p>`
        : html`<p>Not verified yet.</p>`
    }
    ${DEMANDED.map(([level, meaning]) =>
      demands(
        level,
        meaning,
        mine.filter((requirement) => requirement.level === level),
        report,
      ),
    )}
  </section>`
}

function demands(
  level: Level,
  meaning: string,
  requirements: readonly Requirement[],
  report: Report | undefined,
): Markup | string {
  if (requirements.length === 0) return ''
  const results = judged(report) ? report.requirements : []
  const listed = requirements.map(({ id, title }) => ({ id, title, outcome: outcomeOf(results, id) }))
  const known = listed.flatMap(({ outcome }) => (outcome === undefined ? [] : [{ outcome }]))
  const isOpen = known.some(({ outcome }) => outcome === 'failed' || outcome === 'broken')
  return html`<details ${isOpen ? 'open' : ''}>
    <summary><span class="level">${level}</span> ${requirements.length}: ${meaning} ${tally(known)}</summary>
    <ul>
      ${worstOutcomeFirst(listed).map(
        ({ id, title, outcome }) =>
          html`<li>${outcome ? badge(outcome) : ''} <a href="${REQUIREMENTS_FILE}#${id}">${title}</a></li>`,
      )}
    </ul>
  </details>`
}

/** What the document leaves open about an operation, and what the verified target turned out to do. */
export function leftOpen(operation: OperationId, { requirements, report }: Sources): Markup {
  const open = requirements.filter(({ level, operations }) => level === 'observed' && operations.includes(operation))
  return html`<details class="left-open">
    <summary><h3>Left open by the document</h3> ${open.length}: ${whoFills(report)}</summary>
    <dl>
      ${open.map(
        ({ id, title }) =>
          html`<div>
            <dt><a href="${REQUIREMENTS_FILE}#${id}">${topicOf(title)}</a></dt>
            <dd>${observed(id, operation, report)}</dd>
          </div>`,
      )}
    </dl>
  </details>`
}

function whoFills(report: Report | undefined): Markup | string {
  if (!judged(report)) return 'implementations may differ in all of this'
  return html`what ${nameOf(report)} did on ${dateOf(report)}; another implementation may do otherwise`
}

/** What an observation is about: its sentence without "Not shown". */
export function topicOf(title: string): string {
  return title.replace(/^Not shown: (.*)\.$/, '$1')
}

function observed(id: string, operation: OperationId, report: Report | undefined): Markup | string {
  const seen = report?.observations.find((one) => one.id === id && one.operation === operation)
  return seen ? value(seen.value) : html`<span class="note">not observed yet</span>`
}

function outcomeOf(results: readonly ReportedRequirement[], id: string): Outcome | undefined {
  return results.find((result) => result.id === id)?.outcome
}
