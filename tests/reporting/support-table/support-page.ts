import type { Requirement } from '../../engine/judging/requirement.ts'
import type { RunSettings } from '../../engine/settings/settings.ts'
import { AREAS, areaOf } from '../wording/areas.ts'
import { html, type Markup } from '../pages/markup.ts'
import { badge, verdictBadge, WORST_FIRST } from '../pages/outcome.ts'
import { page } from '../pages/page.ts'
import { when } from '../pages/when.ts'
import { hasBegun } from '../result/report-format.ts'
import { suite } from '../result/report.ts'
import { topicOf } from '../documentation/operation-notes.ts'
import { countCell, observationCell, outcomeCell } from './cells.ts'
import { lookedUp, type Column, type ColumnLookup } from './column.ts'

/** What a support table is made of. */
export interface SupportParts {
  readonly requirements: readonly Requirement[]
  readonly settings: Pick<RunSettings, 'level'>
  readonly columns: readonly Column[]
  readonly isInterrupted: boolean
}

/** Rows that can be folded under one that sums them up. */
interface Group {
  readonly name: string
  readonly requirements: readonly Requirement[]
}

/** What many targets do, as one HTML file: a column per target, a row per requirement and per thing left open. */
export function supportPage({ requirements, settings, columns, isInterrupted }: SupportParts): Promise<string> {
  const demands = requirements.filter(({ level }) => level !== 'observed')
  const open = requirements.filter(({ level }) => level === 'observed')
  const operations = [...new Set(open.flatMap((one) => one.operations))]
  const shown = columns.map(lookedUp)
  const title = `What ${columns.length} target${columns.length === 1 ? ' supports' : 's support'}`
  const { name, version } = suite()
  return page({
    title,
    description: `Support table of ${columns.length} targets`,
    styles: [new URL('support.css', import.meta.url)],
    scripts: [new URL('fold.js', import.meta.url)],
    body: html`<div class="page">
      <main id="main">
        <h1>${title}</h1>
        ${isInterrupted ? html`<p><strong>The matrix was interrupted: what it did not come to is not exercised.</strong></p>` : ''}
        <p>
          ${columns[0] ? html`Judged at ${when(columns[0].report)}` : 'Judged'} by ${name} ${version}:
          ${WORST_FIRST.toReversed().map((outcome) => html`${badge(outcome)} `)}
          ${settings.level === 'stated' ? 'Only stated requirements count (LEVEL).' : ''}
        </p>
        <div class="support" tabindex="0" role="region" aria-label="Support table">
          <table>
            <thead>
              <tr>
                <th scope="col">Target</th>
                ${shown.map(head)}
              </tr>
            </thead>
            <tbody>
              ${row('Verdict', shown.map(verdictCell))}
              ${row(
                'Requests',
                shown.map(({ report }) => report.requests.count.toLocaleString('en')),
              )}
              ${row(
                'Time',
                shown.map(({ durationMs }) => `${(durationMs / 1000).toFixed(1)} s`),
              )}
            </tbody>
            ${heading('Requirements', columns.length)}
            ${AREAS.map((area) => group({ name: area, requirements: demands.filter(({ id }) => areaOf(id) === area) }, shown, true))}
            ${heading('Left open by the document', columns.length)}
            ${operations.map((operation) => group({ name: operation, requirements: open.filter((one) => one.operations.includes(operation)) }, shown, false))}
          </table>
        </div>
      </main>
    </div>`,
  })
}

function head({ report, href }: ColumnLookup): Markup {
  const name = report.target?.name ?? 'no target'
  return html`<th scope="col">${href === undefined ? name : html`<a href="${href}">${name}</a>`}</th>`
}

function verdictCell({ report }: ColumnLookup): Markup {
  const { verdict, trouble, leftChanged = [], requirements } = report
  const why = hasBegun(report) ? trouble : requirements[0]?.reason
  return html`${verdictBadge(verdict)} ${leftChanged.map((sentence) => html`<p>${sentence}</p>`)}
  ${why === undefined ? '' : html`<details><summary>why</summary>${why}</details>`}`
}

function heading(title: string, columns: number): Markup {
  return html`<tbody class="heading">
    <tr>
      <th colspan="${columns + 1}" scope="rowgroup"><span>${title}</span></th>
    </tr>
  </tbody>`
}

function row(name: Markup | string, cells: readonly (Markup | string)[]): Markup {
  return html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`
}

function group({ name, requirements }: Group, shown: readonly ColumnLookup[], isFolded: boolean): Markup | string {
  if (requirements.length === 0) return ''
  const id = `rows-${name.replace(' ', '-')}`
  const button = html`<button type="button" aria-expanded="true" aria-controls="${id}"${isFolded ? ' data-folded' : ''}>${name}</button> <span class="count">${requirements.length}</span>`
  return html`<tbody class="group">
      ${row(
        button,
        shown.map((one) => countCell(one, requirements)),
      )}
    </tbody>
    <tbody id="${id}">
      ${requirements.map((requirement) =>
        row(
          nameOf(requirement),
          shown.map((one) =>
            requirement.level === 'observed' ? observationCell(one, requirement) : outcomeCell(one, requirement),
          ),
        ),
      )}
    </tbody>`
}

function nameOf({ id, title, level, operations }: Requirement): Markup {
  if (level === 'observed') return html`${topicOf(title)} <code>${operations.join(', ')}</code>`
  return html`${title} <code>${id}</code>`
}
