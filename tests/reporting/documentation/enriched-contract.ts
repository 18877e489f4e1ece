import type { OpenAPIV3_1 } from 'openapi-types'
import type { Contract, Operation } from '../../engine/contract.ts'
import { codeSamples, type CodeSample } from './code-samples.ts'
import { guides } from './guides.ts'
import { htmlBlock } from './html-block.ts'
import { demandsOf, leftOpen } from './operation-notes.ts'
import { INTRODUCTION } from './introduction.ts'
import { recordedExample } from './recorded-example.ts'
import { fieldTable } from './resource-notes.ts'
import type { Sources } from './sources.ts'
import { verification } from './verification.ts'

/** The contract with what Redoc reads beyond OpenAPI. */
export type EnrichedContract = OpenAPIV3_1.Document<{ readonly 'x-codeSamples'?: readonly CodeSample[] }> & {
  readonly 'x-tagGroups'?: readonly { readonly name: string; readonly tags: readonly string[] }[]
}

/** The contract told at length: what is demanded of each operation and field, what became of it, and real examples. */
export async function enrichedContract(sources: Sources): Promise<EnrichedContract> {
  const { contract } = sources
  const document = structuredClone(contract.document) as OpenAPIV3_1.Document<object>
  document.info.description = await introduced(document.info.description ?? '', sources)
  for (const operation of contract.operations.values()) await enrich(document, operation, sources)
  const operationTags = (document.tags ?? []).map(({ name }) => name)
  const { resources, bodies } = schemasOf(contract)
  for (const schema of [...resources, ...bodies]) {
    const { description = '' } = document.components!.schemas![schema]!
    const table = await htmlBlock(fieldTable(schema, sources))
    document.tags = [...(document.tags ?? []), { name: schema, description: description + table }]
  }
  const guidance = guides()
  document.tags!.push(...guidance)
  return {
    ...document,
    'x-tagGroups': [
      { name: 'Operations', tags: operationTags },
      { name: 'Resources', tags: resources },
      { name: 'Bodies', tags: bodies },
      { name: 'Guides', tags: guidance.map(({ name }) => name) },
    ],
  }
}

/** The description of the whole: first what was verified, and what a reader needs before the details. */
async function introduced(description: string, sources: Sources): Promise<string> {
  const [, purpose = '', details = ''] = /^(.*?)(\n## .*)?$/s.exec(description)!
  return `${await htmlBlock(verification(sources))}${purpose}\n${INTRODUCTION}\n${details}`
}

async function enrich(document: OpenAPIV3_1.Document<object>, operation: Operation, sources: Sources): Promise<void> {
  const described = document.paths![operation.path]![operation.method.toLowerCase() as 'get']!
  for (const notes of [leftOpen(operation.id, sources), demandsOf(operation.id, sources)])
    described.description += await htmlBlock(notes)
  Object.assign(described, { 'x-codeSamples': codeSamples(sources.contract, operation.id) })
  const recorded = recordedExample(operation.id, sources)
  const answer = Object.entries(described.responses ?? {}).find(([status]) => status.startsWith('2'))![1]
  const json = (answer as OpenAPIV3_1.ResponseObject).content!['application/json']!
  if (recorded) json.examples = { recorded, ...json.examples }
}

/** Names of the schemas: those of resources, and those that are only ever a body as a whole. */
function schemasOf({ document }: Contract): { readonly resources: string[]; readonly bodies: string[] } {
  const names = Object.keys(document.components!.schemas!)
  const inside = JSON.stringify(Object.values(document.components!.schemas!))
  const isInside = (name: string): boolean => inside.includes(`"#/components/schemas/${name}"`)
  return { resources: names.filter(isInside), bodies: names.filter((name) => !isInside(name)) }
}
