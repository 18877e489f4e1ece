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
