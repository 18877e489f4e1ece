import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from '@playwright/test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { parse } from 'yaml'
import { Contract } from '../engine/contract.ts'
import { projectRoot } from '../engine/settings/settings.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

type Parameter = { in: string; name: string; required?: boolean; schema: Schema }

const FILE = path.join(projectRoot, 'spec/openapi.yaml')
const text = readFileSync(FILE, 'utf8')
const contract = new Contract(text)
const { document } = contract
const schemas = Object.entries(document.components!.schemas!) as [string, Schema][]

/** Read off the interface document: its endpoints, their parameters (`!` is required) and the statuses it states. */
const OPERATIONS = {
  updateContact: 'PUT /api/contacts/{contactId} 2XX, path contactId!: string',
  listSchedules: `GET /api/schedules 2XX, ${query('contactId userId searchParam')}, query pageNumber: number`,
  getTag: 'GET /api/tags/{tagId} 2XX, path tagId!: string',
  listContacts: `GET /api/contacts 2XX, ${query('searchParam date dateStart dateEnd')}, query pageNumber: number`,
  listCampaigns: 'GET /api/campaigns 200',
  listTags: 'GET /api/tags 2XX',
  listTickets: `GET /api/tickets 2XX, query status: one of open pending closed, ${query('userId queueId contactId chatappId searchParam')}`,
}

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

const UTM = 'utmCampaign utmContent utmMedium utmSource utmTerms'

/** Read off the interface document: the fields of each resource by their types. */
const FIELDS = `
Contact: ${UTM} id name number email profilePicUrl channel chatappId companyId createdAt updatedAt / string
Contact: isGroup isAdmin isOpen isBotEnabled active / boolean
ContactUpdate: ${UTM} name number email profilePicUrl channel chatappId companyId / string
ContactUpdate: isGroup isAdmin isOpen isBotEnabled active / boolean
ContactUpdateAnswer: message / string
ContactList: contacts / array of Contact
Schedule: id contactId ticketId userId status companyId flowId sequenceId sequenceStageId chatappId botFlow / string
Schedule: sendAt sentAt createdAt updatedAt / string date-time
Schedule: flow / array of FlowItem
Schedule: contact / Contact
Schedule: user / ScheduleUser
FlowItem: content delay fileName / string
ScheduleUser: id name / string
ScheduleList: schedules / array of Schedule
Tag: id name color companyId createdAt updatedAt / string
Tag: order kanban / integer
Tag: contacts / array of Contact
TagList: tags / array of Tag
TagList: count / number
TagList: hasMore / boolean
Campaign: id name companyId chatappId createdAt updatedAt / string
Campaign: groupMembersLimit / number
Campaign: releaseDate acceptEntriesUntil / string date-time
Campaign: isActive / boolean
Campaign: groups / array of CampaignGroup
CampaignGroup: id jid name campaignId companyId status createdAt updatedAt description picture inviteLink / string
CampaignGroup: membersCount order / number
CampaignGroup: initialMembers settings logs / object
CampaignList: campaigns / array of Campaign
Ticket: id lastMessage channel userId contactId chatappId companyId createdAt updatedAt / string
Ticket: order unreadMessages / number
Ticket: isGroup isBot / boolean
Ticket: status / one of open pending closed
Ticket: queueId chatConversationId / string or null
TicketList: tickets / array of Ticket`

test('the contract is valid by the official schema of OpenAPI 3.1', async () => {
  const validator = new Validator()

  const result = await validator.validate(parse(text) as Record<string, unknown>)

  expect(result).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('every operation has an example of its success, and every example fits its schema', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': fullFormats['date-time'] } })
  ajv.addVocabulary(['x-section', 'x-comparable', 'components'])
  ajv.addSchema({ components: document.components }, 'contract')
  const examples = examplesIn(document, '')

  for (const { pointer, schema, value } of examples) {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')) as object
    expect(ajv.validate(absolute, value), `${pointer}: ${ajv.errorsText()}`).toBe(true)
  }
  for (const { path: template, method } of contract.operations.values()) {
    const answers = `/paths/${template}/${method.toLowerCase()}/responses/2`
    const own = examples.filter(({ pointer }) => pointer.startsWith(answers))
    expect(own, answers).not.toEqual([])
  }
})

test('the contract has the seven operations of the document, with their parameters and no status of its own', () => {
  const described = [...contract.operations.values()].map(({ id, method, path: template }) => {
    const { parameters = [], responses } = document.paths![template]![method.toLowerCase() as 'get']!
    const statuses = Object.keys(responses).filter((status) => status !== 'default')
    return [id, [`${method} ${template} ${statuses.join(' ')}`, ...parameters.map(parameterInWords)].toSorted()]
  })

  const stated = Object.entries(OPERATIONS).map(([id, words]) => [id, words.split(', ').toSorted()])
  expect(Object.fromEntries(described)).toEqual(Object.fromEntries(stated))
  expect(document.security).toEqual([{ accessToken: [] }])
})

test('only what the document promises is required', () => {
  const required = schemas.flatMap(([name, schema]) => (schema.required ? [[name, schema.required.join(' ')]] : []))

  expect(Object.fromEntries(required)).toEqual(REQUIRED)
})

test('each resource has the fields of the document, with their types', () => {
  const described = schemas.flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).map(([field, schema]) => `${name}.${field}: ${typeInWords(schema)}`),
  )

  const stated = [...FIELDS.matchAll(/^(\w+): (.+) \/ (.+)$/gm)].flatMap(([, name, fields, type]) =>
    fields!.split(' ').map((field) => `${name}.${field}: ${type}`),
  )
  expect(described.toSorted()).toEqual(stated.toSorted())
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
  test(`a contract with ${what} is an error, at the latest when it is first used`, () => {
    expect(text).toContain(right)
    expect(() => load(text)).not.toThrow()

    expect(() => load(text.replace(right, wrong))).toThrow()
  })

function query(names: string): string {
  return names.replace(/\w+/g, 'query $&: string').replaceAll('string ', 'string, ')
}

function load(source: string): void {
  const loaded = new Contract(source)
  for (const id of loaded.operations.keys()) Array.from(loaded.violations(id, {}))
}

function parameterInWords(parameter: object): string {
  const component = '$ref' in parameter ? String(parameter.$ref).split('/').at(-1)! : ''
  const resolved = (document.components!.parameters![component] ?? parameter) as Parameter
  const { in: place, name, required, schema } = resolved
  return `${place} ${name}${required ? '!' : ''}: ${typeInWords(schema)}`
}

function typeInWords({ $ref, type, format, enum: values, items }: Schema): string {
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  if (values) return `one of ${values.join(' ')}`
  if (items) return `array of ${typeInWords(items)}`
  return [[type].flat().join(' or '), format].filter((part) => part !== undefined).join(' ')
}

/** Every example of the document, wherever there is a schema beside it. */
function examplesIn(node: unknown, pointer: string): { pointer: string; schema: object; value: unknown }[] {
  if (typeof node !== 'object' || node === null) return []
  const { schema, example, examples = {} } = node as { schema?: object; example?: unknown; examples?: object }
  const values = [example, ...Object.values(examples).map((named: { value: unknown }) => named.value)]
  const own = schema ? values.filter((value) => value !== undefined).map((value) => ({ pointer, schema, value })) : []
  return [...own, ...Object.entries(node).flatMap(([key, child]) => examplesIn(child, `${pointer}/${key}`))]
}
