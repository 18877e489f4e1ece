import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@playwright/test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { parse } from 'yaml'
import { Contract } from '../engine/contract.ts'
import { projectRoot } from '../engine/settings.ts'

interface Node {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly items?: Node
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Node
}

interface MediaType {
  readonly examples?: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly operationId: string
  readonly 'x-section': string
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly security: unknown
  readonly components: {
    readonly schemas: Readonly<Record<string, Node>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly securitySchemes: unknown
  }
}

const FILE = path.join(projectRoot, 'spec/openapi.yaml')
const text = readFileSync(FILE, 'utf8')
const document = parse(text) as Document

/** Read off the interface document: its endpoints, their parameters (`!` is required) and the statuses it states. */
const OPERATIONS = [
  ['1. Update contact', 'updateContact', 'PUT /api/contacts/{contactId}', 'path contactId!: string', '2XX'],
  [
    '2. List schedules',
    'listSchedules',
    'GET /api/schedules',
    'query contactId: string, query userId: string, query searchParam: string, query pageNumber: number',
    '2XX',
  ],
  ['3. Get tag by id', 'getTag', 'GET /api/tags/{tagId}', 'path tagId!: string', '2XX'],
  [
    '4. List contacts',
    'listContacts',
    'GET /api/contacts',
    'query searchParam: string, query pageNumber: number, query date: string, query dateStart: string, query dateEnd: string',
    '2XX',
  ],
  ['5. List campaigns', 'listCampaigns', 'GET /api/campaigns', '', '200'],
  ['6. List tags', 'listTags', 'GET /api/tags', '', '2XX'],
  [
    '7. List tickets',
    'listTickets',
    'GET /api/tickets',
    'query status: one of open pending closed, query userId: string, query queueId: string, query contactId: string, query chatappId: string, query searchParam: string',
    '2XX',
  ],
]

/** Read off the interface document: "always present", the Required column, and the members an answer is said to have. */
const REQUIRED = {
  ContactUpdateAnswer: 'message',
  ScheduleList: 'schedules',
  ContactList: 'contacts',
  CampaignList: 'campaigns',
  TagList: 'tags count hasMore',
  TicketList: 'tickets',
  Tag: 'id name color order companyId createdAt updatedAt',
}

const UPDATABLE = {
  string:
    'name number email profilePicUrl utmCampaign utmContent utmMedium utmSource utmTerms channel chatappId companyId',
  boolean: 'isGroup isAdmin isOpen isBotEnabled active',
}

/** Read off the interface document: the fields of each resource by their types. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Contact: { ...UPDATABLE, string: `id ${UPDATABLE.string} createdAt updatedAt` },
  ContactUpdate: UPDATABLE,
  ContactUpdateAnswer: { string: 'message' },
  ContactList: { 'array of Contact': 'contacts' },
  Schedule: {
    string: 'id contactId ticketId userId status companyId flowId sequenceId sequenceStageId chatappId botFlow',
    'string date-time': 'sendAt sentAt createdAt updatedAt',
    'array of FlowItem': 'flow',
    Contact: 'contact',
    ScheduleUser: 'user',
  },
  FlowItem: { string: 'content delay fileName' },
  ScheduleUser: { string: 'id name' },
  ScheduleList: { 'array of Schedule': 'schedules' },
  Tag: {
    string: 'id name color companyId createdAt updatedAt',
    integer: 'order kanban',
    'array of Contact': 'contacts',
  },
  TagList: { 'array of Tag': 'tags', number: 'count', boolean: 'hasMore' },
  Campaign: {
    string: 'id name companyId chatappId createdAt updatedAt',
    number: 'groupMembersLimit',
    'string date-time': 'releaseDate acceptEntriesUntil',
    boolean: 'isActive',
    'array of CampaignGroup': 'groups',
  },
  CampaignGroup: {
    string: 'id jid name campaignId companyId status createdAt updatedAt description picture inviteLink',
    number: 'membersCount order',
    object: 'initialMembers settings logs',
  },
  CampaignList: { 'array of Campaign': 'campaigns' },
  Ticket: {
    string: 'id lastMessage channel userId contactId chatappId companyId createdAt updatedAt',
    number: 'order unreadMessages',
    boolean: 'isGroup isBot',
    'one of open pending closed': 'status',
    'string or null': 'queueId chatConversationId',
  },
  TicketList: { 'array of Ticket': 'tickets' },
}

test('the contract is valid by the official schema of OpenAPI 3.1', async () => {
  const validator = new Validator()

  const result = await validator.validate(parse(text) as Record<string, unknown>)

  expect(result).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('every example of the contract fits its schema', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
  addFormats.default(ajv)
  ajv.addVocabulary(['x-section', 'components'])
  ajv.addSchema({ components: document.components }, 'contract')
  const examples = examplesIn(document, '')

  for (const { pointer, schema, value } of examples) {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')) as object
    expect(ajv.validate(absolute, value), `${pointer}: ${ajv.errorsText()}`).toBe(true)
  }
  expect(examples.length).toBeGreaterThanOrEqual(25)
})

test('every operation and every parameter has an example', () => {
  for (const { operationId, parameters = [], responses } of operations().map(({ operation }) => operation)) {
    const [success] = Object.entries(responses).filter(([status]) => status.startsWith('2'))
    const { examples } = success![1].content!['application/json']!
    expect(Object.keys(examples ?? {}), operationId).not.toEqual([])
    for (const parameter of parameters.map(resolve)) expect(parameter, operationId).toHaveProperty('example')
  }
})

test('the contract has the seven operations of the document, with their parameters and no status of its own', () => {
  const described = operations().map(({ method, template, operation }) => [
    operation['x-section'],
    operation.operationId,
    `${method.toUpperCase()} ${template}`,
    (operation.parameters ?? []).map(resolve).map(parameterInWords).toSorted().join(', '),
    Object.keys(operation.responses)
      .filter((status) => status !== 'default')
      .join(' '),
  ])

  const stated = OPERATIONS.map((row) => row.with(3, row[3]!.split(', ').toSorted().join(', ')))
  expect(described.toSorted()).toEqual(stated.toSorted())
})

test('every operation takes the bearer token, and no operation is excused', () => {
  expect(document.security).toEqual([{ accessToken: [] }])
  expect(document.components.securitySchemes).toMatchObject({ accessToken: { type: 'http', scheme: 'bearer' } })
  for (const { operation } of operations()) expect(operation).not.toHaveProperty('security')
})

test('only what the document promises is required', () => {
  const required = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    schema.required ? [[name, schema.required.join(' ')]] : [],
  )

  expect(Object.fromEntries(required)).toEqual(REQUIRED)
})

test('each resource has the fields of the document, with their types', () => {
  expect(Object.keys(document.components.schemas).toSorted()).toEqual(Object.keys(FIELDS).toSorted())
  for (const [name, types] of Object.entries(FIELDS)) {
    const stated = Object.entries(types).flatMap(([type, fields]) => fields.split(' ').map((field) => [field, type]))
    const properties = Object.entries(document.components.schemas[name]!.properties!)
    const described = properties.map(([field, schema]) => [field, typeInWords(schema)])
    expect(Object.fromEntries(described), name).toEqual(Object.fromEntries(stated))
  }
})

test('the types of the contract are what its generator makes of it today', async () => {
  const generated = COMMENT_HEADER + astToString(await openapiTS(pathToFileURL(FILE)))

  expect(readFileSync(path.join(projectRoot, 'spec/contract.d.ts'), 'utf8')).toBe(generated)
})

for (const [what, right, wrong] of [
  ['an unknown type', 'type: integer', 'type: whole'],
  ['an unknown format', 'format: date-time', 'format: date-and-time'],
  ['a misspelt keyword', 'required: [tickets]', 'requires: [tickets]'],
  ['a keyword of the wrong type', 'required: [message]', 'required: message'],
  ['a reference to nothing', "$ref: '#/components/schemas/FlowItem'", "$ref: '#/components/schemas/FlowPart'"],
] as const)
  test(`a contract with ${what} does not load`, () => {
    expect(text).toContain(right)
    expect(() => new Contract(text)).not.toThrow()

    expect(() => new Contract(text.replace(right, wrong))).toThrow()
  })

function operations(): { template: string; method: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({ template, method, operation })),
  )
}

function resolve(parameter: Parameter): Parameter {
  return parameter.$ref === undefined ? parameter : document.components.parameters[parameter.$ref.split('/').at(-1)!]!
}

function parameterInWords({ in: place, name, required, schema }: Parameter): string {
  return `${place} ${name}${required ? '!' : ''}: ${typeInWords(schema)}`
}

function typeInWords({ $ref, type, format, enum: values, items }: Node): string {
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  if (values) return `one of ${values.join(' ')}`
  if (items) return `array of ${typeInWords(items)}`
  return [[type].flat().join(' or '), format].filter((part) => part !== undefined).join(' ')
}

/** Every example of the document, wherever there is a schema beside it. */
function examplesIn(node: unknown, pointer: string): { pointer: string; schema: object; value: unknown }[] {
  if (typeof node !== 'object' || node === null) return []
  const { schema, example, examples } = node as { schema?: object; example?: unknown; examples?: object }
  const own = schema && example !== undefined ? [{ pointer, schema, value: example }] : []
  const named = Object.entries((schema && examples) ?? {}).map(([name, { value }]: [string, { value: unknown }]) => ({
    pointer: `${pointer}/examples/${name}`,
    schema: schema!,
    value,
  }))
  const inside = Object.entries(node).flatMap(([key, child]) => examplesIn(child, `${pointer}/${key}`))
  return [...own, ...named, ...inside]
}
