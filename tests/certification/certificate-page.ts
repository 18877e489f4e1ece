import { LEVELS } from '../engine/judging/requirement.ts'
import { fact } from '../reporting/pages/fact.ts'
import { html, type Markup } from '../reporting/pages/markup.ts'
import { page } from '../reporting/pages/page.ts'
import { value } from '../reporting/pages/value.ts'
import { EVIDENCE_FILE, REPORT_FILE } from '../reporting/result/report-files.ts'
import type { Report } from '../reporting/result/report-format.ts'
import type { Statement } from './certificate.ts'
import { differenceLine } from './data-differences.ts'
import { fingerprintOf } from './signature.ts'

/** What a page tells of what vouches for it. */
export interface Vouching {
  /** Digests of the files beside the page, by name. */
  readonly files: Readonly<Record<string, string>>
  /** PEM of the public key by which the signature is checked; undefined where there is none. */
  readonly publicKey: string | undefined
}

/** The certificate for people, as one page to print; what vouches for it is in `certificate.json`. */
export function certificatePage(statement: Statement, report: Report, { files, publicKey }: Vouching): Promise<string> {
  const { target, date, narrowedTo, suite, contract, register, dataset, nonce, passed, settings } = statement
  const isUpdated = 'updateContact' in passed.operations
  const scope = narrowedTo ? `Narrowed to ${narrowedTo.join(', ')}` : 'All seven operations'
  return page({
    title: `Certificate of conformance: ${target.name}`,
    description: `${target.name} conforms to the contact-centre interface, ${date.slice(0, 10)}`,
    styles: [new URL('certificate.css', import.meta.url)],
    body: html`<main id="main" class="page certificate">
      ${narrowedTo ? html`<p class="narrowed"><strong>${scope}</strong></p>` : ''}
      <p class="what">Certificate of conformance</p>
      <h1>${target.name}</h1>
      <p class="verdict">
        ${
          narrowedTo
            ? 'conforms to these operations of the contact-centre interface.'
            : 'conforms to the contact-centre interface.'
        }
      </p>
      <p>
        Each stated and implied requirement ${narrowedTo ? 'of these operations' : ''} was exercised and passed, with a
        declared data set and two companies${isUpdated ? '; the contacts that were updated were put back' : ''}.
      </p>
      <dl class="facts">
        ${fact('Target', html`<code>${target.baseUrl}</code>`)} ${fact('Date', `${date.slice(0, 10)} ${date.slice(11, 16)} UTC`)}
        ${fact('Scope', scope)}
        ${fact('Suite', `${suite.name} ${suite.version}${suite.commit === null ? '' : `, commit ${suite.commit}`}`)}
        ${fact('Contract', html`${contract.title} ${contract.version}, <code>${contract.sha256}</code>`)}
        ${fact('Requirements', html`${register.requirements}, <code>${register.sha256}</code>`)}
        ${fact('Data set', html`${dataset.published ? 'the published one' : 'an adapted one'}, <code>${dataset.sha256}</code>`)}
        ${[REPORT_FILE, EVIDENCE_FILE].map((file) => fact(file, html`<code>${files[file]!}</code>`))}
        ${fact('Settings', value(settings))}
        ${fact('Signature', publicKey === undefined ? 'none' : html`<code>${fingerprintOf(publicKey)}</code>`)}
        ${fact('Nonce', nonce === null ? 'none: the evidence may be of any date' : html`<code>${nonce}</code>`)}
      </dl>
      ${
        dataset.published
          ? ''
          : html`<h2>Where the data set differs from the published one</h2>
              <ul>
                ${dataset.differences.map((one) => html`<li>${differenceLine(one)}</li>`)}
              </ul>`
      }
      <h2>Requirements passed</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            ${LEVELS.map((level) => html`<th scope="col">${level}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${Object.keys(passed.operations).map((operation) => row(operation, report))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Each once</th>
            ${LEVELS.map((level) => html`<td>${passed.levels[level] ?? 0}</td>`)}
          </tr>
        </tfoot>
      </table>
      <p>A requirement of several operations is counted with each of them.</p>
      <h2>What the target does where the interface document is silent</h2>
      <dl class="observations">
        ${statement.observations.map(
          ({ topic, operation, value: observed }) => html`<div>
            <dt>${operation}: ${topic}</dt>
            <dd>${value(observed)}</dd>
          </div>`,
        )}
      </dl>
      <footer>
        <p>
          <code>npm run verify -- FOLDER</code> checks this page, the report and the evidence beside it, and judges every
          requirement again from the evidence, without the target.
        </p>
      </footer>
    </main>`,
  })
}

function row(operation: string, { requirements }: Report): Markup {
  const own = requirements.filter((one) => one.outcome === 'passed' && one.operations.includes(operation))
  return html`<tr>
    <th scope="row">${operation}</th>
    ${LEVELS.map((level) => html`<td>${own.filter((one) => one.level === level).length}</td>`)}
  </tr>`
}
