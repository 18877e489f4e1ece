import { LICENCES_FILE, redocLicences } from './redoc.ts'
import { JSON_FILE, REFERENCE_FILE, REQUIREMENTS_FILE, YAML_FILE } from './pages-of-the-documentation.ts'
import { publishedContract } from './published-contract.ts'
import { referencePage } from './reference-page.ts'
import { requirementsPage } from './requirements-page.ts'
import type { Sources } from './sources.ts'

/** The files of the documentation, by name. */
export async function documentation(sources: Sources): Promise<ReadonlyMap<string, string>> {
  const { json, yaml } = publishedContract()
  return new Map([
    [REFERENCE_FILE, await referencePage(sources)],
    [REQUIREMENTS_FILE, await requirementsPage(sources)],
    [JSON_FILE, json],
    [YAML_FILE, yaml],
    [LICENCES_FILE, redocLicences()],
  ])
}
