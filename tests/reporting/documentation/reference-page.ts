import { html, raw } from '../pages/markup.ts'
import { page } from '../pages/page.ts'
import { enrichedContract } from './enriched-contract.ts'
import { pageLinks, REFERENCE_FILE, REQUIREMENTS_FILE, YAML_FILE } from './pages-of-the-documentation.ts'
import { REDOC_NEEDS, redocScript } from './redoc.ts'
import type { Sources } from './sources.ts'

/** The reference of the interface: the enriched contract, rendered by Redoc in the reader's browser. */
export async function referencePage(sources: Sources): Promise<string> {
  const contract = await enrichedContract(sources)
  return page({
    title: `${contract.info.title}: reference`,
    description: `Reference of the ${contract.info.title} interface, with what was verified of it`,
    styles: [new URL('documentation.css', import.meta.url), new URL('reference.css', import.meta.url)],
    scripts: [redocScript(), new URL('reference.js', import.meta.url), new URL('../pages/print.js', import.meta.url)],
    allows: REDOC_NEEDS,
    body: html`${pageLinks(REFERENCE_FILE, sources)}
      <div id="reference">
        <main id="main" class="page">
          <h1>${contract.info.title}</h1>
          <p id="waiting">
            The reference needs a browser that runs scripts. The <a href="${REQUIREMENTS_FILE}">requirements</a> and the
            <a href="${YAML_FILE}">contract</a> can be read without.
          </p>
        </main>
      </div>
      <script type="application/json" id="contract">${raw(asJson(contract))}</script>`,
  })
}

/** JSON in which nothing can end the element that holds it. */
function asJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
