import { html, type Markup } from '../pages/markup.ts'
import { badge, verdictBadge } from '../pages/outcome.ts'
import { page } from '../pages/page.ts'
import { when } from '../pages/when.ts'
import { hasBegun, type Report, type ReportedRequirement } from '../result/report-format.ts'
import { whatItHad } from '../wording/what-it-had.ts'
import {
  inShort,
  observationsThatDiffer,
  type Comparison,
  type ObservationChange,
  type OutcomeChange,
} from './comparison.ts'
import { DIRECTIONS } from './comparison-text.ts'

/** Two reports side by side, as one HTML file. */
export function comparisonPage(comparison: Comparison): Promise<string> {
  const { a, b, outcomes, observations, known, fields } = comparison
  const title = `${nameOf(a)} and ${nameOf(b)} side by side`
  const changes = DIRECTIONS.map(([direction, heading]) =>
    section(heading, 'requirements', outcomes.filter((change) => change.direction === direction).map(outcomeItem)),
  )
  return page({
    title,
    description: `Comparison of two conformance reports: ${inShort(comparison)}`,
    styles: [new URL('../pages/requirements.css', import.meta.url), new URL('comparison.css', import.meta.url)],
    body: html`<div class="page">
      <main id="main">
        <h1>${title}</h1>
        <p class="in-short ${comparison.isRegression ? 'failed' : 'passed'}">${inShort(comparison)}</p>
        <div class="sides">${side('A', a)} ${side('B', b)}</div>
        ${changes}
        ${section('Observations that differ', 'observations', observations.map(observationItem), '', observationsThatDiffer(comparison))}
        ${section('Fields that came', 'plain', fields.came.map(fieldItem), 'Seen in B, never in A.')}
        ${section('Fields that went', 'plain', fields.went.map(fieldItem), 'Seen in A, never in B.')}
        ${section('Only A knows', 'plain', known.onlyA.map(requirementItem))}
        ${section('Only B knows', 'plain', known.onlyB.map(requirementItem))}
      </main>
      <footer><p>Made of the conformance.json of A and of B.</p></footer>
    </div>`,
  })
}

function side(letter: string, report: Report): Markup {
  const { verdict, target, suite, requirements } = report
  return html`<section class="side">
    <h2>${letter}: ${nameOf(report)} ${verdictBadge(verdict)}</h2>
    <p>
      ${target ? html`<code>${target.baseUrl}</code>, ` : ''}${when(report)}, ${suite.name} ${suite.version}
    </p>
    <p class="note">
      ${hasBegun(report) ? whatItHad(report) : html`The run could not begin: ${requirements[0]?.reason}`}
    </p>
  </section>`
}

function section(
  title: string,
  list: string,
  items: readonly Markup[],
  note = '',
  count = items.length,
): Markup | string {
  if (items.length === 0) return ''
  return html`<section>
    <h2>${title} <span class="count">${count}</span></h2>
    ${note === '' ? '' : html`<p>${note}</p>`}
    <ul class="${list}">
      ${items}
    </ul>
  </section>`
}

function outcomeItem({ a, b, why, decides }: OutcomeChange): Markup {
  return html`<li>
    ${badge(a.outcome)} <span aria-hidden="true">→</span><span class="unseen">then</span> ${badge(b.outcome)}
    <span class="sentence">${b.title}</span>
    <code class="id">${b.id}</code>
    <p>${b.level}${decides ? '' : ' · does not count (LEVEL=stated)'} · ${b.operations.join(', ')}</p>
    <p class="reason">${why}</p>
  </li>`
}

function observationItem({ topic, operations, missing, lines }: ObservationChange): Markup {
  return html`<li>
    <h3>${topic}</h3>
    <p class="note">${[operations.join(', '), ...(missing === '' ? [] : [missing])].join(' · ')}</p>
    <pre tabindex="0">${lines.join('\n')}</pre>
  </li>`
}

function fieldItem(name: string): Markup {
  return html`<li><code>${name}</code></li>`
}

function requirementItem({ id, title }: ReportedRequirement): Markup {
  return html`<li><code>${id}</code> ${title}</li>`
}

function nameOf({ target }: Report): string {
  return target?.name ?? 'no target'
}
