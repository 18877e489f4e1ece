import type { OpenAPIV3_1 } from 'openapi-types'
import type { Contract, OperationId } from '../../engine/contract.ts'

/** A call of an operation, as the samples show it. */
export interface SampleCall {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** The query parameters that a sample shows: a few that a client would really send together. */
const SHOWN: Readonly<Partial<Record<OperationId, readonly string[]>>> = {
  listContacts: ['searchParam', 'pageNumber'],
  listSchedules: ['contactId', 'pageNumber'],
  listTickets: ['status', 'searchParam'],
}

/** A call made of the contract's own examples. */
export function sampleCall(contract: Contract, id: OperationId): SampleCall {
  const { method, path } = contract.operation(id)
  const { parameters = [], requestBody } = contract.document.paths![path]![method.toLowerCase() as 'get']!
  const described = parameters.map((parameter) => resolved(contract, parameter))
  return {
    path: examplesOf(described.filter((parameter) => parameter.in === 'path')),
    query: examplesOf(described.filter(({ in: place, name }) => place === 'query' && SHOWN[id]?.includes(name))),
    body: requestBody ? firstExample(requestBody as OpenAPIV3_1.RequestBodyObject) : undefined,
  }
}

function examplesOf(parameters: readonly OpenAPIV3_1.ParameterObject[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(parameters.map(({ name, example }) => [name, example as unknown]))
}

function resolved(
  contract: Contract,
  parameter: OpenAPIV3_1.ParameterObject | OpenAPIV3_1.ReferenceObject,
): OpenAPIV3_1.ParameterObject {
  if (!('$ref' in parameter)) return parameter
  return contract.document.components!.parameters![parameter.$ref.split('/').at(-1)!] as OpenAPIV3_1.ParameterObject
}

function firstExample({ content }: OpenAPIV3_1.RequestBodyObject): unknown {
  const [example] = Object.values(content['application/json']?.examples ?? {})
  return example && 'value' in example ? (example.value as unknown) : undefined
}
