import { filterAreaOf } from '../wording/areas.ts'
import type { ReportedRequirement } from '../result/report-format.ts'
import { html, type Markup } from './markup.ts'

/** By what a list of requirements can be narrowed: attribute, label and values of each. */
export interface FilterParts {
  readonly choices: readonly (readonly [name: string, label: string, values: readonly string[]])[]
  /** How many are shown before anything was chosen. */
  readonly shown: number
}

/** The form by which `requirement-filter.js` narrows the list that follows it. */
export function requirementFilter({ choices, shown }: FilterParts): Markup {
  return html`<form class="filters" role="search" aria-label="Requirements">
    <label>Search <input type="search" name="text" placeholder="id, sentence or section" autocomplete="off" /></label>
    ${choices.map(
      ([name, label, values]) =>
        html`<label
          >${label}
          <select name="${name}" autocomplete="off">
            <option value="">any</option>
            ${values.map((one) => html`<option>${one}</option>`)}
          </select></label
        >`,
    )}
    <button type="reset">All</button>
    <output class="shown" aria-live="polite">${shown} shown</output>
  </form>`
}

/**
 * An item of the list, to be linked to by the requirement's id, with what `requirement-filter.js` narrows the list by.
 * @param outcome empty where it is not known.
 */
export function filterable(
  requirement: Pick<ReportedRequirement, 'id' | 'level' | 'operations'>,
  outcome: string,
  content: Markup,
): Markup {
  const { id, level, operations } = requirement
  return html`<li
    id="${id}"
    tabindex="-1"
    data-level="${level}"
    data-outcome="${outcome}"
    data-operation="${operations.join(' ')}"
    data-area="${filterAreaOf(requirement)}"
  >
    ${content}
  </li>`
}
