import type { Need } from '../../../fixtures/faults/index.ts'
import type { Contract } from '../../engine/contract.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import { html, type Markup } from '../pages/markup.ts'
import { badge } from '../pages/outcome.ts'
import { value } from '../pages/value.ts'
import { counted } from '../wording/counted.ts'
import { examinedInWords } from '../wording/examined.ts'
import { filterable } from '../pages/requirement-filter.ts'
import type { Report, ReportedRequirement } from '../result/report-format.ts'
import { operationAnchor, sectionAnchor } from './anchors.ts'
import { REFERENCE_FILE } from './pages-of-the-documentation.ts'
import type { ProvingFaults } from './proving-faults.ts'
import type { Sources } from './sources.ts'
import { dateOf, judged } from './verification.ts'

/** What a run must have to catch a fault, in words. */
const NEEDED: Readonly<Record<Need, string>> = {
  dataset: 'the data set',
  writes: 'updates',
  otherToken: 'a second company',
}

/** A requirement with all that is known of it, to be linked to by its id. */
export function requirementEntry(
  requirement: Requirement,
  { contract, report, reportFile }: Sources,
  proven: ProvingFaults | undefined,
): Markup {
  const { id, level, title, source, operations } = requirement
  const result = judged(report) ? report.requirements.find((one) => one.id === id) : undefined
  return filterable(
    requirement,
    result?.outcome ?? '',
    html`    <h2><span class="sentence">${title}</span> <a class="id" href="#${id}"><code>${id}</code></a></h2>
    <p>
      <span class="level">${level}</span> ${sections(contract, source)} ·
      ${operations.map((operation, index) => html`${index > 0 ? ', ' : ''}<a href="${REFERENCE_FILE}${operationAnchor(contract, operation)}">${operation}</a>`)}
    </p>
    ${judged(report) ? outcome(id, result, report, reportFile) : ''} ${level === 'observed' ? '' : proof(id, proven)}`,
  )
}

function outcome(
  id: string,
  result: ReportedRequirement | undefined,
  report: Report,
  reportFile: string | undefined,
): Markup {
  if (!result) return html`<p class="note">The report does not know it yet.</p>`
  const observed = report.observations.filter((observation) => observation.id === id)
  const counts = examinedInWords(result.examined)
  return html`<p>
      ${badge(result.outcome, observed.length > 0 ? 'observed' : result.outcome)}
      on ${dateOf(report)}${counts.length > 0 ? `, examined: ${counts.join(', ')}` : ''}${result.findings.length > 0 ? html`, ${findings(id, result, reportFile)}` : ''}
    </p>
    ${result.reason === undefined ? '' : html`<p class="reason">${result.reason.split('\n')[0]}</p>`}
    ${observed.map((observation) => html`<div class="observed">${value(observation.value)}</div>`)}`
}

function findings(id: string, { findings: all }: ReportedRequirement, reportFile: string | undefined): Markup | string {
  const count = `findings: ${all.length}`
  return reportFile === undefined ? count : html`<a href="${reportFile}#${id}">${count}</a>`
}

/** The sections of the interface document that a requirement cites, each linked to what it says. */
function sections(contract: Contract, source: string): Markup {
  const names = source.split('; ')
  return html`${names.length === 1 ? 'section' : 'sections'} ${names.map(
    (name, index) =>
      html`${index > 0 ? ' and ' : ''}<a href="${REFERENCE_FILE}${sectionAnchor(contract, name)}">“${name}”</a>`,
  )}`
}

/** The faults that show that a requirement can fail. */
function proof(id: string, proven: ProvingFaults | undefined): Markup | string {
  if (!proven) return ''
  const { byHand, derived } = proven
  if (byHand.length === 0) return html`<p>Proved by ${counted(derived, 'faults')} derived from the contract.</p>`
  return html`<details>
    <summary>
      Proved by ${counted(byHand.length, 'faults')}${derived > 0 ? ` and ${derived} derived from the contract` : ''}
    </summary>
    <ul>
      ${byHand.map(
        ({ name, sentence, caughtBy, needs }) =>
          html`<li>
            <code>${name}</code> ${sentence}${needs.length > 0 ? ` Needs a run with ${listed(needs.map((need) => NEEDED[need]))}.` : ''}
            ${caughtBy === id ? '' : html`<span class="note">Named for <a href="#${caughtBy}">${caughtBy}</a>.</span>`}
          </li>`,
      )}
    </ul>
  </details>`
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
