/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import openapiTS, { astToString } from 'openapi-typescript'
import { projectRoot } from '../engine/settings/settings.ts'
import { codeSamples } from '../reporting/documentation/code-samples.ts'
import { publishedContract } from '../reporting/documentation/published-contract.ts'
import { runNode, type Ended } from '../run/node-process.ts'
import { contract } from './documentation-sources.ts'
import { dataset, test as base, type OwnTarget } from './own-target.ts'

const CONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
  },
}

/** A program of a client developer's, which calls all seven operations and prints what they gave. */
const CLIENT = `import createClient from 'openapi-fetch'
import type { components, paths } from './contract.d.ts'

const { BASE_URL = '', ACCESS_TOKEN = '' } = process.env
const headers = { Authorization: \`Bearer \${ACCESS_TOKEN}\` }
const client = createClient<paths>({ baseUrl: BASE_URL, headers })

const contacts = await client.GET('/api/contacts', { params: { query: { pageNumber: 1 } } })
const tickets = await client.GET('/api/tickets', { params: { query: { status: 'open' } } })
const schedules = await client.GET('/api/schedules', { params: { query: { pageNumber: 1 } } })
const campaigns = await client.GET('/api/campaigns')
const tags = await client.GET('/api/tags')
const [first] = tags.data?.tags ?? []
const tag = await client.GET('/api/tags/{tagId}', { params: { path: { tagId: first?.id ?? '' } } })
const [contact] = contacts.data?.contacts ?? []
const update = await client.PUT('/api/contacts/{contactId}', {
  params: { path: { contactId: contact?.id ?? '' } },
  body: { ...contact, name: 'Renamed' },
})
const renamed = await client.GET('/api/contacts', { params: { query: { searchParam: 'Renamed' } } })

type Ticket = components['schemas']['Ticket']
const statuses: Ticket['status'][] = tickets.data?.tickets.map(({ status }) => status) ?? []
const sendTimes: (string | undefined)[] = schedules.data?.schedules.map(({ sendAt }) => sendAt) ?? []
const groups: number | undefined = campaigns.data?.campaigns[0]?.groups?.length
console.log(
  JSON.stringify({
    statuses: [...new Set(statuses)],
    sendTimes: sendTimes.length,
    groups,
    tags: [tags.data?.count, tags.data?.hasMore],
    sameTag: tag.data?.name === first?.name,
    message: update.data?.message,
    renamed: renamed.data?.contacts.map(({ id }) => id === contact?.id),
  }),
)
`

/** Uses of the contract that its types must not allow, each with what the compiler says to it. */
const MISUSES: Readonly<Record<string, string>> = {
  "client.GET('/api/tickets', { params: { query: { status: 'lost' } } })": `Type '"lost"' is not assignable`,
  "client.GET('/api/tags/{tagId}')": 'Expected 2 arguments, but got 1',
  "client.GET('/api/tag', {})": `Argument of type '"/api/tag"' is not assignable`,
  "client.PUT('/api/contacts/{contactId}', { params: { path: { contactId: '1' } }, body: { active: 'yes' } })":
    "Type 'string' is not assignable to type 'boolean'",
  "(await client.GET('/api/tags')).data?.tags[0]?.order.length": "Property 'length' does not exist on type 'number'",
}

/** The examples of calls in TypeScript, as programs. */
const SAMPLES = Object.fromEntries(
  [...contract.operations.keys()].map((id) => {
    const { source } = codeSamples(contract, id).find(({ label }) => label === 'TypeScript')!
    return [`${id}.ts`, source]
  }),
)

const test = base.extend<{ readonly folder: string }>({
  folder: async ({}, use, testInfo) => {
    const folder = testInfo.outputPath('client')
    mkdirSync(folder, { recursive: true })
    symlinkSync(path.join(projectRoot, 'node_modules'), path.join(folder, 'node_modules'), 'dir')
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(path.join(folder, 'contract.d.ts'), astToString(await openapiTS(publishedContract().json)))
    await use(folder)
  },
})

test('a client made of the published contract compiles, and calls all seven operations', async ({ folder, target }) => {
  const service = await target()
  expect(await compiled(folder, { 'client.ts': CLIENT, ...SAMPLES })).toEqual({ exitCode: 0, output: '' })

  const ran = await run(folder, 'client.ts', service)
  const sample = await run(folder, 'listTags.ts', service)

  expect(JSON.parse(ran)).toEqual({
    statuses: ['open'],
    sendTimes: Math.min(20, mine(dataset.schedules).length),
    groups: mine(dataset.campaigns)[0]!.groups!.length,
    tags: [mine(dataset.tags).length, false],
    sameTag: true,
    message: expect.stringMatching(/\w/),
    renamed: [true],
  })
  for (const { name } of mine(dataset.tags)) expect(sample).toContain(name)
})

test('the types of the published contract refuse what it does not allow', async ({ folder }) => {
  const [setUp] = CLIENT.split('\nconst contacts')
  const files = Object.keys(MISUSES).map((misuse, index) => [`misuse-${index}.ts`, `${setUp}\nawait ${misuse}\n`])

  const { output } = await compiled(folder, Object.fromEntries(files))

  for (const [index, draft] of Object.values(MISUSES).entries())
    expect(
      output.split('\n').find((line) => line.includes(`misuse-${index}.ts`)),
      output,
    ).toContain(draft)
})

/** The main company's of some records. */
function mine<T extends { companyId?: string }>(records: readonly T[]): T[] {
  return records.filter(({ companyId }) => companyId === dataset.companyId)
}

/** Runs a program against a service, and gives what it printed. */
async function run(folder: string, file: string, { settings }: OwnTarget): Promise<string> {
  const { exitCode, output } = await runNode(['--import', 'tsx', path.join(folder, file)], settings)
  expect(exitCode, output).toBe(0)
  return output
}

/** Compiles files, as strictly as this project is compiled. */
function compiled(folder: string, files: Readonly<Record<string, string>>): Promise<Ended> {
  for (const [name, source] of Object.entries(files)) writeFileSync(path.join(folder, name), source)
  const config = { ...CONFIG, files: [...Object.keys(files), 'contract.d.ts'] }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  return runNode([path.join(projectRoot, 'node_modules/typescript/bin/tsc'), '--project', folder], {})
}
