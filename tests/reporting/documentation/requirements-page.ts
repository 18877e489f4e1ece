import { LEVELS } from '../../engine/judging/requirement.ts'
import type { Proof } from '../../proving/proof.ts'
import { html, type Markup } from '../pages/markup.ts'
import { page } from '../pages/page.ts'
import { requirementFilter } from '../pages/requirement-filter.ts'
import { pageLinks, REQUIREMENTS_FILE } from './pages-of-the-documentation.ts'
import { provingFaults } from './proving-faults.ts'
import { filterAreaOf } from '../wording/areas.ts'
import { requirementEntry } from './requirement-entry.ts'
import type { Sources } from './sources.ts'
import { judged, verification } from './verification.ts'

/** Every requirement: its sentence, where it comes from, what became of it, and what proves that it can fail. */
export function requirementsPage(sources: Sources): Promise<string> {
  const { requirements, report, proof, contract } = sources
  const proven = proof && provingFaults(proof)
  const { title } = contract.document.info
  return page({
    title: `${title}: requirements`,
    description: `Every requirement on an implementation of the ${title} interface`,
    styles: [shared('requirements.css'), own('documentation.css'), own('requirements-page.css')],
    scripts: [shared('requirement-filter.js'), shared('print.js')],
    body: html`<div class="page">
        ${pageLinks(REQUIREMENTS_FILE, sources)}
        <main id="main">
          <h1>Requirements of the ${title} interface</h1>
          ${verification(sources)}
          <p>
            ${LEVELS.map((level, index) => html`${index > 0 ? ', ' : ''}${requirements.filter((one) => one.level === level).length} <span class="level">${level}</span>`)}:
            the document says it; the document cannot mean anything else; the document leaves it open, so that it is
            recorded and never failed. ${whatProves(sources)}
          </p>
          ${requirementFilter({
            shown: requirements.length,
            choices: [
              ['level', 'Level', LEVELS],
              ...(judged(report)
                ? [['outcome', 'Outcome', ['failed', 'broken', 'not exercised', 'passed']] as const]
                : []),
              ['operation', 'Operation', [...contract.operations.keys()]],
              ['area', 'Area', [...new Set(requirements.map(filterAreaOf))]],
            ],
          })}
          <ul class="requirements">
            ${requirements.map((requirement) => requirementEntry(requirement, sources, proven?.get(requirement.id)))}
          </ul>
        </main>
      </div>`,
  })
}

function whatProves({ proof }: Sources): Markup | string {
  if (!proof) return 'There was no proof at hand; npm run prove makes one, which shows what each requirement catches.'
  const byHand = proof.faults.filter(({ derived }) => !derived).length
  return html`What proves that each of them can fail are deliberate faults of the reference service: ${byHand} written by
  hand and ${proof.faults.length - byHand} derived from the contract, judged on
  <time datetime="${proof.startedAt}">${proof.startedAt.slice(0, 10)}</time>${proof.whole ? '' : ', of which this proof tried a part'}.
  ${mutantsOf(proof)}`
}

/** What became of small changes to services that follow the document, where the proof tried any. */
function mutantsOf({ mutants }: Proof): Markup | string {
  if (!mutants) return ''
  const sum = (of: 'judged' | 'caught' | 'denied' | 'allowed'): number =>
    mutants.subjects.reduce((total, subject) => total + subject[of], 0)
  return html`Of ${sum('judged')} mutants of ${mutants.subjects.length} services, ${sum('caught')} were caught, ${sum('denied')}
  can't be called conformant, and ${sum('allowed')} are allowed by the document.`
}

function shared(name: string): URL {
  return own(`../pages/${name}`)
}

/** A file of this folder. */
function own(name: string): URL {
  return new URL(name, import.meta.url)
}
