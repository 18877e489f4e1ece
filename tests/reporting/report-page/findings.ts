import { counts } from '../../engine/judging/verdict.ts'
import type { EvidenceEntry } from '../result/evidence-har.ts'
import { html, type Markup } from '../pages/markup.ts'
import { badge } from '../pages/outcome.ts'
import type { Report } from '../result/report-format.ts'
import { problemsOf, type Problem } from '../problems/problems.ts'
import type { Found } from '../problems/findings-of.ts'
import { requestLineOf } from '../wording/request-line.ts'
import { exchangeView } from './exchange-view.ts'
import { updateBefore } from './update-before.ts'

/** An entry of the evidence by the number of its exchange. */
export type EntryOf = (exchange: number) => EvidenceEntry | undefined

/** A finding, and its id in the page. */
export interface Anchored extends Found {
  readonly anchor: string
}

/** A problem, whose findings have ids in the page. */
interface AnchoredProblem extends Problem {
  readonly findings: readonly Anchored[]
}

/** All problems, the gravest first. */
export function anchored(report: Report): readonly AnchoredProblem[] {
  let number = 0
  return problemsOf(report).map((problem) => ({
    ...problem,
    findings: problem.findings.map((found) => ({ ...found, anchor: `finding-${++number}` })),
  }))
}

/** Everything that failed, by cause: of each, the most telling finding and, folded, the others. */
export function problems(report: Report, all: readonly AnchoredProblem[], entryOf: EntryOf): Markup {
  return html`<section id="problems">
    <h2>Problems <span class="count">${all.length}</span></h2>
    ${
      all.length === 0
        ? html`<p>Nothing that was judged failed.</p>`
        : html`<ol class="problems">
            ${all.map((one) => problem(report, one, entryOf))}
          </ol>`
    }
  </section>`
}

function problem(report: Report, { title, findings: [first, ...others] }: AnchoredProblem, entryOf: EntryOf): Markup {
  const requirements = new Set(others.map(({ requirement }) => requirement.id)).size
  return html`<li class="problem">
    <h3>${title}</h3>
    ${article(report, first!, entryOf)}
    ${
      others.length === 0
        ? ''
        : html`<details class="others">
            <summary>
              ${others.length} more ${others.length === 1 ? 'finding' : 'findings'}, of ${requirements}
              ${requirements === 1 ? 'requirement' : 'requirements'}
            </summary>
            ${others.map((one) => article(report, one, entryOf))}
          </details>`
    }
  </li>`
}

/** Where the suite itself went wrong. */
export function breakdowns({ requirements }: Report): Markup | string {
  const broken = requirements.filter(({ outcome }) => outcome === 'broken')
  if (broken.length === 0) return ''
  return html`<section id="broken">
    <h2>The suite itself went wrong <span class="count">${broken.length}</span></h2>
    <p>This is never the target's fault: please report it.</p>
    <ul>
      ${broken.map(
        ({ id, reason = '' }) =>
          html`<li>
            ${badge('broken')} <a href="#${id}"><code>${id}</code></a>
            <pre tabindex="0">${reason}</pre>
          </li>`,
      )}
    </ul>
  </section>`
}

function article(report: Report, found: Anchored, entryOf: EntryOf): Markup {
  const { anchor, requirement, finding } = found
  const { id, title, level, source } = requirement
  const { message, expected, received, absent, pointer, record, occurrences, exchange } = finding
  const entry = entryOf(exchange)
  const update = updateBefore(found, entryOf)
  const isMasked = report.dataset === null
  const ignored = !counts(level, report.settings?.level ?? 'implied')
  return html`<article class="finding" id="${anchor}" tabindex="-1" aria-labelledby="${anchor}-what">
      <h4 id="${anchor}-what">${entry ? html`<code>${requestLineOf(entry.request)}</code> ` : ''}${message}</h4>
      <p class="demand">
        <span class="level ${level}">${level}</span> ${title} <a href="#${id}"><code>${id}</code></a> ·
        ${source}${ignored ? ' · does not count (LEVEL=stated)' : ''}
      </p>
      <dl class="difference">
        <div>
          <dt>Expected</dt>
          <dd><code>${inLine(expected)}</code></dd>
        </div>
        <div>
          <dt>Received</dt>
          <dd>${absent ? 'left out' : html`<code>${inLine(received)}</code>`}</dd>
        </div>
        <div>
          <dt>Where</dt>
          <dd>${pointer === '' ? 'the answer as a whole' : html`<code>${pointer}</code>`}</dd>
        </div>
        ${
          record === undefined
            ? ''
            : html`<div>
                <dt>Record</dt>
                <dd><code>${record}</code></dd>
              </div>`
        }
        <div>
          <dt>How often</dt>
          <dd>${occurrences === 1 ? 'once' : `${occurrences} times`}</dd>
        </div>
      </dl>
      ${update ? updateView(update, isMasked) : ''}
      <details>
        <summary>Exchange ${exchange}</summary>
        ${entry ? exchangeView(entry, pointer, isMasked) : html`<p>The evidence does not hold this exchange.</p>`}
      </details>
    </article>`
}

function updateView(update: EvidenceEntry, isMasked: boolean): Markup {
  const { _exchange: number } = update
  return html`<details>
    <summary>Exchange ${number}: the update before it</summary>
    ${exchangeView(update, '', isMasked)}
  </details>`
}

function inLine(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
