import { html, type Markup } from '../pages/markup.ts'
import { badge, classOf, SIGN, WORST_FIRST } from '../pages/outcome.ts'
import type { Report, ReportedRequirement } from '../result/report-format.ts'
import { AREAS, demandsByArea, type Area } from '../wording/areas.ts'

/** Operations by area, with counts, each cell in the colour of its worst outcome. */
export function matrix({ requirements }: Report): Markup {
  const { operations, at } = demandsByArea(requirements)
  return html`<section id="matrix">
    <h2>Operations by area</h2>
    <p>
      Passed of all stated and implied requirements;
      ${WORST_FIRST.toReversed().map((outcome) => html`${badge(outcome)} `)} a cell has the colour of its worst. What
      concerns several operations is counted for each or, where it failed, for those whose answers showed it.
    </p>
    <div class="wide" tabindex="0" role="region" aria-label="Operations by area">
      <table class="matrix">
        <thead>
          <tr>
            <td></td>
            ${AREAS.map((area) => html`<th scope="col">${area}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${operations.map(
            (operation) =>
              html`<tr>
                <th scope="row">${operation}</th>
                ${AREAS.map((area) => cell(at(operation, area), operation, area))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`
}

function cell(mine: readonly ReportedRequirement[], operation: string, area: Area): Markup {
  if (mine.length === 0) return html`<td class="none"><span class="unseen">none</span></td>`
  const counts = WORST_FIRST.map((outcome) => [outcome, mine.filter((one) => one.outcome === outcome).length] as const)
  const [worst] = counts.find(([, count]) => count > 0)!
  const passed = counts.find(([outcome]) => outcome === 'passed')![1]
  const words = counts.flatMap(([outcome, count]) => (count > 0 ? [`${count} ${outcome}`] : [])).join(', ')
  return html`<td class="${classOf(worst)}">
    <a href="#requirements" data-operation="${operation}" data-area="${area}" title="${words}">
      <span aria-hidden="true">${SIGN[worst]} ${passed === mine.length ? passed : `${passed}/${mine.length}`}</span>
      <span class="unseen">${words}</span>
    </a>
  </td>`
}
