import { html, type Markup } from '../pages/markup.ts'
import { badge } from '../pages/outcome.ts'
import type { Report, ReportedField } from '../result/report-format.ts'

/** How often each field of the contract was seen. */
export function fieldTable({ fields, requirements }: Report): Markup {
  const schemas = [...new Set(fields.map(({ schema }) => schema))]
  const seen = fields.filter((field) => field.seen > 0).length
  const row = (field: ReportedField): Markup => {
    const id = `${field.schema}.${field.field}`
    const requirement = requirements.find((one) => one.id === id)
    return html`<tr>
      <th scope="row">
        ${requirement ? html`<a href="#${id}"><code>${field.field}</code></a>` : html`<code>${field.field}</code>`}
      </th>
      <td class="number">${field.seen}</td>
      <td class="number">${field.absent}</td>
      <td class="number">${field.violations}</td>
      <td>${requirement ? badge(requirement.outcome) : ''}</td>
    </tr>`
  }
  return html`<section id="fields">
    <h2>Fields <span class="count">${seen} of ${fields.length} seen</span></h2>
    <div class="tables">
      ${schemas.map((schema) => {
        const mine = fields.filter((field) => field.schema === schema)
        return html`<table>
          <caption>
            ${schema}
          </caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col" class="number">Seen</th>
              <th scope="col" class="number">Absent</th>
              <th scope="col" class="number">Wrong</th>
              <th scope="col">Outcome</th>
            </tr>
          </thead>
          <tbody>
            ${mine.map(row)}
          </tbody>
        </table>`
      })}
    </div>
  </section>`
}
