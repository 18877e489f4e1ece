import { html, type Markup } from '../pages/markup.ts'
import { badge } from '../pages/outcome.ts'
import type { Report, ReportedRequirement } from '../report-format.ts'
import { AREAS, areaOf } from './areas.ts'

/** Every requirement, to be searched and filtered; each can be linked to by its id. */
export function requirementList({ requirements }: Report): Markup {
  const operations = [...new Set(requirements.flatMap((requirement) => requirement.operations))]
  return html`<section id="requirements">
    <h2>Requirements <span class="count">${requirements.length}</span></h2>
    <form class="filters" role="search" aria-label="Requirements">
      <label>Search <input type="search" name="text" placeholder="id, sentence or section" autocomplete="off" /></label>
      ${choice('level', 'Level', ['stated', 'implied', 'observed'])}
      ${choice('outcome', 'Outcome', ['failed', 'broken', 'not exercised', 'passed'])}
      ${choice('operation', 'Operation', operations)} ${choice('area', 'Area', [...AREAS, 'observed'])}
      <button type="reset">All</button>
      <output class="shown" aria-live="polite">${requirements.length} shown</output>
    </form>
    <ul class="requirements">
      ${requirements.map(item)}
    </ul>
  </section>`
}

function choice(name: string, label: string, options: readonly string[]): Markup {
  return html`<label
    >${label}
    <select name="${name}" autocomplete="off">
      <option value="">any</option>
      ${options.map((option) => html`<option>${option}</option>`)}
    </select></label
  >`
}

function item(requirement: ReportedRequirement): Markup {
  const { id, title, level, operations, source, outcome, reason, examined, findings } = requirement
  const area = level === 'observed' ? 'observed' : areaOf(id)
  const counts = Object.entries(examined).map(([noun, number]) => `${number} ${noun}`)
  const details = [
    level,
    operations.join(', '),
    `source: ${source}`,
    ...(counts.length > 0 ? [`examined: ${counts.join(', ')}`] : []),
    ...(findings.length > 0 ? [`findings: ${findings.length}`] : []),
  ]
  return html`<li
    id="${id}"
    tabindex="-1"
    data-level="${level}"
    data-outcome="${outcome}"
    data-operation="${operations.join(' ')}"
    data-area="${area}"
  >
    ${badge(outcome)} <span class="sentence">${title}</span>
    <a class="id" href="#${id}"><code>${id}</code></a>
    <p>${details.join(' · ')}</p>
    ${reason === undefined ? '' : html`<p class="reason">${reason.split('\n')[0]}</p>`}
  </li>`
}
