import { html, type Markup } from '../pages/markup.ts'
import { badge } from '../pages/outcome.ts'
import { filterable, requirementFilter } from '../pages/requirement-filter.ts'
import type { Report, ReportedRequirement } from '../result/report-format.ts'
import { AREAS } from '../wording/areas.ts'
import { examinedInWords } from '../wording/examined.ts'
import type { Anchored } from './findings.ts'

/** Every requirement, to be searched and filtered; each can be linked to by its id. */
export function requirementList({ requirements }: Report, found: readonly Anchored[]): Markup {
  const choices = [
    ['level', 'Level', ['stated', 'implied', 'observed']],
    ['outcome', 'Outcome', ['failed', 'broken', 'not exercised', 'passed']],
    ['operation', 'Operation', [...new Set(requirements.flatMap((requirement) => requirement.operations))]],
    ['area', 'Area', [...AREAS, 'observed']],
  ] as const
  return html`<section id="requirements">
    <h2>Requirements and observations <span class="count">${requirements.length}</span></h2>
    ${requirementFilter({ choices, shown: requirements.length })}
    <ul class="requirements">
      ${requirements.map((requirement) =>
        item(
          requirement,
          found.filter((one) => one.requirement === requirement),
        ),
      )}
    </ul>
  </section>`
}

function item(requirement: ReportedRequirement, found: readonly Anchored[]): Markup {
  const { id, title, level, operations, source, outcome, reason, examined } = requirement
  const counts = examinedInWords(examined)
  const details = [
    level,
    operations.join(', '),
    `source: ${source}`,
    ...(counts.length > 0 ? [`examined: ${counts.join(', ')}`] : []),
  ]
  return filterable(
    requirement,
    outcome,
    html`    ${badge(outcome)} <span class="sentence">${title}</span>
    <a class="id" href="#${id}"><code>${id}</code></a>
    <p>
      ${details.join(' · ')}${found.map(({ anchor }, index) => html` · <a href="#${anchor}">finding ${index + 1}</a>`)}
    </p>
    ${reason === undefined ? '' : html`<p class="reason">${reason.split('\n')[0]}</p>`}`,
  )
}
