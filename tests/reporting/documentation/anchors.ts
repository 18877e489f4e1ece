import { OPERATIONS, SECTION } from '../../requirements/operations.ts'
import type { Contract, OperationId } from '../../engine/contract.ts'

/** The place of an operation in the reference, as Redoc names it. */
export function operationAnchor(contract: Contract, id: OperationId): string {
  const { path, method } = contract.operation(id)
  const [tag] = contract.document.paths![path]![method.toLowerCase() as 'get']!.tags!
  return `#tag/${tag}/operation/${id}`
}

/** The place of a schema, which has a tag of its own name. */
export function schemaAnchor(schema: string): string {
  return `#tag/${schema}`
}

/** The place of a section of the interface document: its operation's, its resource's, or a heading of the guide to it. */
export function sectionAnchor(contract: Contract, section: string): string {
  const operation = OPERATIONS.find((id) => SECTION[id] === section)
  if (operation) return operationAnchor(contract, operation)
  const schema = contract.fields.find((field) => field.section === section)?.schema
  return schema === undefined ? `#tag/interface/${section.replaceAll(' ', '-')}` : schemaAnchor(schema)
}
