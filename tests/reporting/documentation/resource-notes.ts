import type { OpenAPIV3_1 } from 'openapi-types'
import type { Contract } from '../../engine/contract.ts'
import { html, type Markup } from '../pages/markup.ts'
import { badge } from '../pages/outcome.ts'
import type { Report } from '../result/report-format.ts'
import { operationAnchor } from './anchors.ts'
import { fieldType, type SchemaNode } from './field-type.ts'
import { REQUIREMENTS_FILE } from './pages-of-the-documentation.ts'
import type { Sources } from './sources.ts'
import { dateOf, judged, nameOf } from './verification.ts'

/** The fields of a schema: what the contract says of each, and how often the verified target returned it. */
export function fieldTable(schema: string, { contract, report }: Sources): Markup {
  const { properties = {}, required = [] } = contract.document.components!.schemas![schema]!
  const seen = judged(report) && report.fields.some((field) => field.schema === schema) ? report : undefined
  return html`<div class="fields">
    <p>${whereReturned(schema, contract)}</p>
    ${
      seen
        ? html`<p>Seen, absent and violations count the objects that ${nameOf(seen)} returned on ${dateOf(seen)}.</p>`
        : ''
    }
    <div class="wide" tabindex="0" role="region" aria-label="Fields of ${schema}">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Type</th>
            <th scope="col">Required</th>
            <th scope="col">Meaning</th>
            ${
              seen
                ? html`<th scope="col" class="number">Seen</th>
                    <th scope="col" class="number">Absent</th>
                    <th scope="col" class="number">Violations</th>
                    <th scope="col">Outcome</th>`
                : ''
            }
          </tr>
        </thead>
        <tbody>
          ${Object.entries(properties).map(
            ([name, node]) =>
              html`<tr>
                <th scope="row"><code>${name}</code></th>
                <td>${fieldType(node)}</td>
                <td>${required.includes(name) ? 'yes' : 'no'}</td>
                <td>${meaningOf(node)}</td>
                ${seen ? coverage(schema, name, seen) : ''}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </div>`
}

function coverage(schema: string, name: string, report: Report): Markup {
  const field = report.fields.find((one) => one.schema === schema && one.field === name)
  const requirement = report.requirements.find(({ id }) => id === `${schema}.${name}`)
  return html`<td class="number">${field?.seen ?? ''}</td>
    <td class="number">${field?.absent ?? ''}</td>
    <td class="number">${field?.violations ?? ''}</td>
    <td>
      ${requirement ? html`<a href="${REQUIREMENTS_FILE}#${requirement.id}">${badge(requirement.outcome)}</a>` : ''}
    </td>`
}

function whereReturned(schema: string, contract: Contract): Markup | string {
  const operations = contract.operationsWith(schema)
  if (operations.length === 0) return 'Sent, never returned.'
  return html`Returned by
  ${operations.map((id, index) => html`${index > 0 ? ', ' : ''}<a href="${operationAnchor(contract, id)}">${id}</a>`)}.`
}

function meaningOf(node: SchemaNode): string {
  return (node as OpenAPIV3_1.SchemaObject).description?.trim() ?? ''
}
