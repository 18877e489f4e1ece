import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { OpenAPIV3_1 } from 'openapi-types'
import { parse } from 'yaml'
import type { operations } from '../../spec/contract.d.ts'
import { isIsoDateTime } from './time/iso-date-time.ts'
import { projectRoot } from './settings/settings.ts'

/** One of the seven operations, by the name the contract gives it. */
export type OperationId = keyof operations

/** What the contract says of an operation, as far as judging needs it. */
export interface Operation {
  readonly id: OperationId
  readonly method: string
  /** Path with `{parameters}`. */
  readonly path: string
  /** Heading of the section of the interface document. */
  readonly section: string
  readonly queryParameters: readonly string[]
  /** The one success status, where the document states it. */
  readonly statedStatus?: number
  /** Member of the answer that holds the list of records, for a list operation. */
  readonly listMember?: string
  /** Component name of the listed or fetched resource, or of the answer as a whole. */
  readonly schema: string
}

/** One field of a resource, as the contract describes it. */
export interface Field {
  readonly schema: string
  readonly name: string
  readonly required: boolean
  readonly section: string
  /** What a value must be, in words. */
  readonly expected: string
}

/** One value that the contract does not allow, found in an answer. */
export interface Violation {
  readonly schema: string
  readonly field: string
  /** JSON pointer to the value, or to the object that lacks it. */
  readonly pointer: string
  /** The pointer with `*` in place of each index: what it is in every record. */
  readonly place: string
  readonly expected: string
  readonly missing: boolean
}

/** Where the resources are in an answer: a schema's name, and those members and items that hold resources. */
interface Shape {
  readonly name: string | undefined
  readonly items: Shape | undefined
  readonly members: readonly (readonly [string, Shape])[]
}

type Schema = OpenAPIV3_1.SchemaObject
type Node = Schema | OpenAPIV3_1.ReferenceObject

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const
const FILE = path.join(projectRoot, 'spec/openapi.yaml')

/** The contract: `spec/openapi.yaml`, loaded once a process; an answer's schema is compiled when it is first needed. */
export class Contract {
  readonly document: OpenAPIV3_1.Document
  readonly operations: ReadonlyMap<OperationId, Operation>
  readonly fields: readonly Field[]
  /** Compiled when first needed, once. */
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #shapes = new Map<OperationId, Shape>()
  readonly #violations = new Map<string, Omit<Violation, 'pointer'>>()
  readonly #ajv: Ajv2020
  readonly #fieldNames: ReadonlyMap<string, readonly string[]>

  constructor(text: string = readFileSync(FILE, 'utf8')) {
    this.document = parse(text) as OpenAPIV3_1.Document
    this.#ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, verbose: true, inlineRefs: false })
    this.#ajv.addFormat('date-time', isIsoDateTime)
    this.#ajv.addVocabulary(['x-section', 'x-comparable', 'components'])
    this.#ajv.addSchema({ components: { schemas: this.document.components!.schemas } }, 'contract')
    this.operations = new Map(this.#readOperations().map((operation) => [operation.id, operation]))
    this.fields = this.#readFields()
    this.#fieldNames = new Map(
      Object.entries(this.document.components?.schemas ?? {}).map(([name, schema]) => [
        name,
        Object.keys(schema.properties ?? {}),
      ]),
    )
  }

  operation(id: OperationId): Operation {
    const operation = this.operations.get(id)
    if (!operation) throw new Error(`the contract has no operation ${id}`)
    return operation
  }

  /** Names of the fields of a resource. */
  fieldNames(schema: string): readonly string[] {
    return this.#fieldNames.get(schema) ?? []
  }

  /** Names of the members of an operation's answer. */
  answerMembers(id: OperationId): readonly string[] {
    return Object.keys(this.#resolve(this.#answerSchema(this.operation(id))).properties ?? {})
  }

  /** Names of the fields that say the same in every answer: not those whose meaning the document does not show. */
  comparableFields(schema: string): readonly string[] {
    const properties: Record<string, object> = this.document.components?.schemas?.[schema]?.properties ?? {}
    return this.fieldNames(schema).filter((name) => !('x-comparable' in properties[name]!))
  }

  /** Every place of an answer in which the contract is broken. */
  violations(id: OperationId, answer: unknown): Generator<Violation> {
    return this.#violationsIn(id, this.#shape(id), answer, { pointer: '', place: '' })
  }

  /**
   * What is listed or embedded is validated one by one: ajv takes quadratic time for the errors of one value, of which a
   * list of thousands of records may have any number.
   */
  *#violationsIn(
    id: OperationId,
    { name, members }: Shape,
    value: unknown,
    { pointer, place }: Pick<Violation, 'pointer' | 'place'>,
  ): Generator<Violation> {
    const lists = members.flatMap(([key, { items }]) => {
      const list = (value as Partial<Record<string, unknown>> | null)?.[key]
      return items?.name !== undefined && Array.isArray(list) ? [{ key, items, list: list as readonly unknown[] }] : []
    })
    const emptied = Object.fromEntries(lists.map(({ key }) => [key, []]))
    const validate = this.#validator(`#/components/schemas/${name}`)
    if (!validate(lists.length === 0 ? value : { ...(value as object), ...emptied }))
      for (const error of validate.errors!)
        yield {
          ...this.#violation(id, place + error.instancePath.replaceAll(INDEX, '/*'), error),
          pointer: pointer + error.instancePath,
        }
    for (const { key, items, list } of lists)
      for (const [index, item] of list.entries())
        yield* this.#violationsIn(id, items, item, {
          pointer: `${pointer}/${key}/${index}`,
          place: `${place}/${key}/*`,
        })
  }

  #validator($ref: string): ValidateFunction {
    const validate = this.#validators.get($ref) ?? this.#ajv.compile({ $ref: `contract${$ref}` })
    this.#validators.set($ref, validate)
    return validate
  }

  /** Compiles a validator for a schema of somebody else's that may refer to the contract's components. */
  compile(schema: object): ValidateFunction {
    return this.#ajv.compile(schema)
  }

  /** The operations in whose answers a schema can occur. */
  operationsWith(schema: string): OperationId[] {
    return [...this.operations.values()]
      .filter((operation) => this.#schemasIn(this.#answerSchema(operation)).has(schema))
      .map(({ id }) => id)
  }

  /** Calls `visit` for each object of a named resource inside an answer. */
  visitResources(id: OperationId, answer: unknown, visit: (schema: string, value: object) => void): void {
    const walk = ({ name, items, members }: Shape, value: unknown): void => {
      if (value === null || typeof value !== 'object') return
      if (Array.isArray(value)) {
        if (items) for (const item of value) walk(items, item)
        return
      }
      if (name !== undefined) visit(name, value)
      for (const [key, shape] of members) walk(shape, (value as Record<string, unknown>)[key])
    }
    walk(this.#shape(id), answer)
  }

  #shape(id: OperationId): Shape {
    const shape = this.#shapes.get(id) ?? this.#shapeOf(this.#answerSchema(this.operation(id)))
    this.#shapes.set(id, shape)
    return shape
  }

  #shapeOf(node: Node): Shape {
    const schema = this.#resolve(node)
    return {
      name: refName(node),
      items: 'items' in schema ? this.#shapeOf(schema.items) : undefined,
      members: Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
        const shape = this.#shapeOf(property)
        const hasResources = shape.name !== undefined || shape.items !== undefined || shape.members.length > 0
        return hasResources ? [[key, shape] as const] : []
      }),
    }
  }

  #readOperations(): Operation[] {
    return Object.entries(this.document.paths ?? {}).flatMap(([template, item]) =>
      METHODS.flatMap((method) => {
        const operation = item?.[method]
        return operation ? [this.#readOperation(template, method, operation)] : []
      }),
    )
  }

  #readOperation(template: string, method: string, operation: OpenAPIV3_1.OperationObject): Operation {
    const parameters = (operation.parameters ?? []).map((parameter) => this.#resolve(parameter))
    const status = Object.keys(operation.responses ?? {}).find((key) => /^2\d\d$/.test(key))
    const answer = this.#resolve(this.#mediaType(operation).schema!)
    const list = Object.entries(answer.properties ?? {}).find(([, node]) => this.#resolve(node).type === 'array')
    const isList = list !== undefined && refName(this.#mediaType(operation).schema!)?.endsWith('List') === true
    return {
      id: operation.operationId as OperationId,
      method: method.toUpperCase(),
      path: template,
      section: (operation as { 'x-section': string })['x-section'],
      queryParameters: parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name),
      ...(status !== undefined && { statedStatus: Number(status) }),
      ...(isList && { listMember: list[0] }),
      schema: refName(isList ? (this.#resolve(list[1]) as { items: Node }).items : this.#mediaType(operation).schema!)!,
    }
  }

  #mediaType(operation: OpenAPIV3_1.OperationObject): OpenAPIV3_1.MediaTypeObject {
    const [, response] = Object.entries(operation.responses ?? {}).find(([key]) => key.startsWith('2'))!
    return this.#resolve(response).content!['application/json']!
  }

  #answerSchema(operation: Operation): Node {
    const item = this.document.paths![operation.path]! as Record<string, OpenAPIV3_1.OperationObject>
    return this.#mediaType(item[operation.method.toLowerCase()]!).schema!
  }

  #readFields(): Field[] {
    const answered = [...this.operations.values()].flatMap((operation) => [
      ...this.#schemasIn(this.#answerSchema(operation)),
    ])
    return [...new Set(answered)].flatMap((name) => this.#fieldsOf(name))
  }

  /** Names of the schemas that occur in a node, its own included. */
  #schemasIn(node: Node, names = new Set<string>()): ReadonlySet<string> {
    const name = refName(node)
    if (name !== undefined && names.has(name)) return names
    if (name !== undefined) names.add(name)
    const schema = this.#resolve(node)
    for (const property of Object.values(schema.properties ?? {})) this.#schemasIn(property, names)
    if ('items' in schema) this.#schemasIn(schema.items, names)
    return names
  }

  #fieldsOf(name: string): Field[] {
    const schema = this.document.components!.schemas![name]!
    return Object.entries(schema.properties ?? {}).map(([field, node]) => {
      return {
        schema: name,
        name: field,
        required: schema.required?.includes(field) ?? false,
        section: (schema as { 'x-section'?: string })['x-section'] ?? name,
        expected: this.#inWords(node),
      }
    })
  }

  /** What is wrong in a place, whichever the record: it may be so in each of very many. */
  #violation(id: OperationId, place: string, error: ErrorObject): Omit<Violation, 'pointer'> {
    const missing = error.keyword === 'required'
    const target = missing ? `${place}/${String(error.params['missingProperty'])}` : place
    const key = `${id} ${target} ${error.keyword} ${error.schemaPath}`
    const known = this.#violations.get(key)
    if (known) return known
    const words = missing ? 'the member to be present' : this.#inWords(error.parentSchema as Node)
    const expected = error.keyword === 'minProperties' ? `${words} that shows a field` : words
    const violation = { ...this.#owner(id, target), place, expected, missing }
    this.#violations.set(key, violation)
    return violation
  }

  /** The field of a named schema that a place in an answer belongs to. */
  #owner(id: OperationId, pointer: string): { schema: string; field: string } {
    let node: Node | undefined = this.#answerSchema(this.operation(id))
    let owner = { schema: refName(node) ?? '', field: '' }
    for (const segment of pointer.split('/').slice(1)) {
      const name = node && refName(node)
      const schema: Schema | undefined = node && this.#resolve(node)
      const property: Node | undefined = schema?.properties?.[segment]
      if (name !== undefined && property) owner = { schema: name, field: segment }
      node = property ?? (schema as { items?: Node } | undefined)?.items
    }
    return owner
  }

  #inWords(node: Node): string {
    const name = refName(node)
    const schema = this.#resolve(node)
    if (schema.enum) return `one of ${schema.enum.join(', ')}`
    if (schema.format === 'date-time') return 'an ISO 8601 date-time string'
    if (name !== undefined) return `a ${name} object`
    if (schema.type === 'array') return `an array of ${this.#inWords((schema as { items: Node }).items)}`
    return [schema.type].flat().join(' or ')
  }

  #resolve<T extends object>(node: T | OpenAPIV3_1.ReferenceObject): Exclude<T, OpenAPIV3_1.ReferenceObject> {
    if (!('$ref' in node)) return node as Exclude<T, OpenAPIV3_1.ReferenceObject>
    const target = node.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], this.document)
    return this.#resolve(target as T)
  }
}

/** An index in a JSON pointer. */
const INDEX = /\/\d+(?=\/|$)/g

function refName(node: object): string | undefined {
  return '$ref' in node ? String(node.$ref).split('/').at(-1) : undefined
}
