import type { Har } from 'har-format'
import type { EvidenceEntry } from '../result/evidence-har.ts'
import { html, type Markup } from '../pages/markup.ts'
import { page } from '../pages/page.ts'
import { hasBegun, type Report } from '../result/report-format.ts'
import { fieldTable } from './field-table.ts'
import { anchored, breakdowns, problems } from './findings.ts'
import { firstScreen } from './first-screen.ts'
import { gaps } from './gaps.ts'
import { profile } from './profile.ts'
import { requirementList } from './requirement-list.ts'

/**
 * The report that a person reads, as one HTML file, made of the raw result and the evidence alone.
 * @param evidence the run's exchanges; without them, findings are shown without theirs.
 */
export function reportPage(report: Report, evidence: Har | undefined): Promise<string> {
  const entries = (evidence?.log.entries ?? []) as unknown as readonly EvidenceEntry[]
  const target = report.target?.name ?? 'no target'
  const found = anchored(report)
  const began = hasBegun(report)
  const sections = (): Markup =>
    html`${breakdowns(report)} ${problems(report, found, (exchange) => entries[exchange - 1])} ${gaps(report)}
    ${profile(report)} ${fieldTable(report)}`
  return page({
    title: `${report.verdict}: ${target}`,
    description: `Conformance report on ${target}, ${report.startedAt.slice(0, 10)}: ${report.verdict}`,
    styles: [own('report.css'), shared('requirements.css')],
    scripts: [shared('requirement-filter.js'), own('copy.js'), shared('print.js')],
    body: html`<div class="page">
      <nav aria-label="Sections">
        ${
          began
            ? html`<a href="#matrix">Matrix</a> <a href="#problems">Problems</a>
                <a href="#not-exercised">Not exercised</a> <a href="#profile">Profile</a> <a href="#fields">Fields</a>`
            : ''
        }
        <a href="#requirements">Requirements</a>
      </nav>
      <main id="main">
        ${firstScreen(report)} ${began ? sections() : ''} ${requirementList(
          report,
          found.flatMap(({ findings }) => findings),
        )}
      </main>
      <footer>
        <p>
          Made by ${report.suite.name} ${report.suite.version} of conformance.json and evidence.har, which lie beside
          this page.
        </p>
      </footer>
    </div>`,
  })
}

function shared(name: string): URL {
  return own(`../pages/${name}`)
}

/** A file of this folder. */
function own(name: string): URL {
  return new URL(name, import.meta.url)
}
