import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@playwright/test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenAPIV3_1 } from 'openapi-types'
import { parse } from 'yaml'
import type { OperationId } from '../engine/contract.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import { codeSamples } from '../reporting/documentation/code-samples.ts'
import { enrichedContract, type EnrichedContract } from '../reporting/documentation/enriched-contract.ts'
import type { Guide } from '../reporting/documentation/guides.ts'
import { htmlBlock } from '../reporting/documentation/html-block.ts'
import { publishedContract } from '../reporting/documentation/published-contract.ts'
import { requirementsPage } from '../reporting/documentation/requirements-page.ts'
import type { Sources } from '../reporting/documentation/sources.ts'
import { html } from '../reporting/pages/markup.ts'
import {
  contract,
  evidenceOf,
  exampleOf,
  FILTER,
  HOSTILE,
  requirements,
  sampleSources,
  THREE_FILTERS,
  type SampleAnswer,
} from './documentation-sources.ts'
import { schemaErrors } from './report-schema.ts'

const GUIDES = path.join(projectRoot, 'spec/guides')
const OPERATIONS = [...contract.operations.keys()]
const full = sampleSources()
const { report } = full
const bare: Sources = { contract, requirements }

test('the contract is published as it was written, and as JSON that says the same and refers to nothing else', async () => {
  const { yaml, json } = publishedContract()

  expect(yaml).toBe(readFileSync(path.join(projectRoot, 'spec/openapi.yaml'), 'utf8'))
  expect(JSON.parse(json)).toEqual(parse(yaml))
  expect(await new Validator().validate(JSON.parse(json) as Record<string, unknown>)).toEqual({ valid: true })
  for (const [, reference] of json.matchAll(/"\$ref": "([^"]*)"/g)) expect(reference).toMatch(/^#\//)
})

for (const [what, sources] of [
  ['a report', full],
  ['nothing but the register', bare],
] as const)
  test(`enriched by ${what}, the contract is still valid, and says all that it said`, async () => {
    const enriched = await enrichedContract(sources)

    expect(await new Validator().validate(structuredClone(enriched) as never)).toEqual({ valid: true })
    for (const id of OPERATIONS) expect(described(enriched, id)).toContain(described(contract.document, id).trim())
    expect(enriched.paths).not.toEqual(contract.document.paths)
    expect(contract.document.tags).toHaveLength(5)
  })

test('each operation shows its demands once each, by level, with what became of them', async () => {
  expect(schemaErrors(report)).toEqual([])
  const enriched = await enrichedContract(full)

  for (const operation of OPERATIONS) {
    const lists = described(enriched, operation).split('<details').slice(1)
    const [, stated = '', implied = ''] = lists
    for (const [level, list] of Object.entries({ stated, implied })) {
      const mine = report!.requirements.filter((one) => one.level === level && one.operations.includes(operation))
      const shown = [
        ...list.matchAll(/<li><span class="badge[^>]*>.*?<\/span> ([a-z ]+)<\/span> <a href="[^#]*#([^"]+)">/g),
      ]
      const outcomes = shown.map(([, outcome, id]) => [id, outcome])
      expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(mine.map(({ id, outcome }) => [id, outcome])))
      expect(outcomes).toHaveLength(mine.length)
      expect(list).toContain(`${mine.length}: the document`)
    }
    expect(described(enriched, operation)).toContain(
      'Verified on <time datetime="2026-11-21T09:00:00.000Z">2026-11-21</time> against Ana.',
    )
  }
})

test('what failed comes first, and its list is open', async () => {
  const enriched = await enrichedContract(full)

  const list = described(enriched, 'listContacts')
    .split('<details')
    .find((part) => part.includes('implied'))!
  expect(list).toMatch(/^\s+open>/)
  const order = [...list.matchAll(/<li><span class="badge ([a-z-]+)"/g)].map(([, outcome]) => outcome)
  expect([...new Set(order)]).toEqual(['failed', 'not-exercised', 'passed'])
  expect(order.toSorted()).toEqual(order)
})

test('each blank of the document shows what the target did, or that nobody has looked yet', async () => {
  const unseen = 'listContacts.observed.page-size'
  const observations = report!.observations
    .filter(({ id }) => id !== unseen)
    .map((observation) => ({ ...observation, value: `seen by ${observation.id}` }))
  const enriched = await enrichedContract({ ...full, report: { ...report!, observations } })

  const shown = OPERATIONS.flatMap((operation) => [
    ...described(enriched, operation).matchAll(/<dt><a href="[^#]*#([^"]+)">[^<]+<\/a><\/dt> <dd>(.*?)<\/dd>/g),
  ]).map(([, id, value]) => [id, value])
  const wanted = requirements.filter(({ level }) => level === 'observed').map(({ id }) => [id, `seen by ${id}`])
  expect(Object.fromEntries(shown)).toEqual({
    ...Object.fromEntries(wanted),
    [unseen]: '<span class="note">not observed yet</span>',
  })
})

test('each schema has a section with all of its fields, and how often those that are returned were seen', async () => {
  const enriched = await enrichedContract(full)

  for (const [name, { properties = {} }] of Object.entries(contract.document.components!.schemas!)) {
    const { description = '' } = enriched.tags!.find((tag) => tag.name === name)!
    const rows = [...description.matchAll(/<tr> <th scope="row"><code>(\w+)<\/code><\/th>(.*?)<\/tr>/g)]
    expect(rows.map(([, field]) => field)).toEqual(Object.keys(properties))
    for (const [, field, cells] of rows)
      if (name === 'ContactUpdate') expect(cells).not.toMatch(/class="(number|badge)/)
      else expect(cells, `${name}.${field}`).toMatch(/>3<\/td> .*>1<\/td> .*>0<\/td> .*class="badge/)
  }
  const grouped = enriched['x-tagGroups']!.flatMap(({ tags }) => tags)
  expect(grouped).toEqual(enriched.tags!.map(({ name }) => name))
})

test('each guide is a section, with the words of its file, and is linked by its name', async () => {
  const { tags, 'x-tagGroups': groups } = await enrichedContract(bare)
  const files = readdirSync(GUIDES)

  expect(groups!.find(({ name }) => name === 'Guides')!.tags.map((name) => `${name}.md`)).toEqual(files.toSorted())
  for (const file of files) {
    const guide = tags!.find(({ name }) => `${name}.md` === file) as Guide
    const text = `# ${guide['x-displayName']}\n${guide.description}`
    expect(text.replaceAll(/#tag\/([\w-]+)/g, '$1.md'), file).toBe(readFileSync(path.join(GUIDES, file), 'utf8'))
    expect(guide['x-displayName']).toMatch(/^\p{Lu}.{5,80}$/u)
    expect(text, file).not.toContain('.md)')
  }
})

test('an example is the first answer with a record in it, its lists cut to two', () => {
  const answers: readonly SampleAnswer[] = [
    { operation: 'listTags', body: { tags: [record('probed')] }, purpose: 'probe' },
    { operation: 'listTags', body: { tags: [record('of another company')] }, caller: 'other' },
    { operation: 'listTags', body: { tags: [record('refused')] }, status: 403 },
    { operation: 'listTags', body: { tags: [] } },
    { operation: 'listTags', body: { tags: ['a', 'b', 'c'].map(record), count: 3, hasMore: false } },
    { operation: 'listTags', body: { tags: [record('later')] } },
  ]

  return expect(recorded(answers)).resolves.toEqual({
    summary: 'Recorded: Ana, 2026-11-21',
    description: 'As it came, with personal values masked; lists are cut to two records.',
    value: {
      tags: ['a', 'b'].map((id) => ({ id, contacts: [{ id: `${id}.1` }, { id: `${id}.2` }] })),
      count: 3,
      hasMore: false,
    },
  })
})

test('an empty list is an example where there is no other, and what is no JSON is none', async () => {
  const empty = { operation: 'listTags', body: { tags: [] } } as const
  expect(await recorded([empty])).toMatchObject({ value: { tags: [] } })

  const evidence = evidenceOf([empty])
  evidence.log.entries[0]!.response.content.text = '<html>'
  const enriched = await enrichedContract({ ...full, evidence })
  expect(examplesOf(enriched, 'listTags')).not.toHaveProperty('recorded')
})

test("an update, which is only ever probed, has an example too, and the contract's own examples stay", async () => {
  const enriched = await enrichedContract(full)

  for (const operation of OPERATIONS) {
    const [first, ...others] = Object.entries(examplesOf(enriched, operation))
    expect(first, operation).toMatchObject(['recorded', { value: exampleOf(operation) }])
    expect(others).toEqual(Object.entries(examplesOf(contract.document, operation)))
  }
})

for (const [what, sources] of Object.entries({
  'Without a report': bare,
  'With the report of a run that could not begin': { ...full, report: { ...report!, fields: [], observations: [] } },
}))
  test(`${what}, nothing is said to have been verified`, async () => {
    const enriched = await enrichedContract(sources)
    const page = await requirementsPage(sources)

    const text = JSON.stringify(enriched) + page.slice(page.indexOf('<main'), page.indexOf('</main>'))
    expect(text).not.toMatch(/class=\\?"badge|Recorded: |Verified on/)
    expect(enriched.info.description).toMatch(/^\s*<div class="verification[^>]*> <p> <strong>Not verified/)
    for (const operation of OPERATIONS) expect(described(enriched, operation)).toContain('not observed yet')
  })

test('a call by curl takes address and token from the environment', () => {
  expect(sampleOf('listTickets', 'curl')).toBe(
    `curl --include \\
  --header "Authorization: Bearer $ACCESS_TOKEN" \\
  "$BASE_URL/api/tickets?status=open&searchParam=Margarida"`,
  )
  expect(sampleOf('updateContact', 'curl')).toMatch(
    /--request PUT .*--data '\{\n {2}"name": "Margarida Reis e Melo",.*\n\}' \\\n {2}"\$BASE_URL\/api\/contacts\/[\da-f-]{36}"$/s,
  )
})

test('markup becomes one line of Markdown, which nothing in it can end', async () => {
  const block = await htmlBlock(html`<p>
    ${HOSTILE}
  </p>`)

  expect(block).toMatch(/^\n\n<p> [^\n]+ <\/p>\n\n$/)
  expect(block.replace(/<\/?p>/g, '')).not.toMatch(/[<>]/)
})

test('every requirement is listed, with its level, section and operations, and the faults that prove it', async () => {
  const page = await requirementsPage(full)

  const entries = new Map(
    page
      .split('<li\n')
      .slice(1)
      .map((entry) => [/id="([^"]+)"/.exec(entry)![1], entry]),
  )
  expect([...entries.keys()]).toEqual(requirements.map(({ id }) => id))
  for (const { id, level, operations, source } of requirements) {
    const entry = entries.get(id)!
    expect(entry).toContain(`<span class="level">${level}</span>`)
    for (const section of source.split('; ')) expect(entry).toContain(`“${section}”`)
    for (const operation of operations) expect(entry).toMatch(new RegExp(`operation/${operation}">${operation}</a>`))
  }
  expect(entries.get(FILTER)).toMatch(
    /Proved by 1 fault\s*<.*filter-ignored<\/code> The status filter is ignored\.\s*</s,
  )
  const three = entries.get(THREE_FILTERS)!
  expect(three).toMatch(/Proved by 2 faults\s*<.*filter-lost<.* Needs a run with the data set\..*filter-ignored</s)
  expect(three).toContain(`Named for <a href="#${FILTER}">${FILTER}</a>`)
  expect(entries.get('Ticket.id')).toContain('Proved by 1 fault derived from the contract.')
  expect(entries.get('Ticket.order')).not.toContain('Proved')
})

function record(id: string): object {
  return { id, contacts: [1, 2, 3].map((number) => ({ id: `${id}.${number}` })) }
}

function described(document: Pick<OpenAPIV3_1.Document, 'paths'>, id: OperationId): string {
  return operationOf(document, id).description ?? ''
}

function operationOf({ paths }: Pick<OpenAPIV3_1.Document, 'paths'>, id: OperationId): OpenAPIV3_1.OperationObject {
  const { path: template, method } = contract.operation(id)
  return paths![template]![method.toLowerCase() as 'get']!
}

function examplesOf(document: Pick<OpenAPIV3_1.Document, 'paths'>, id: OperationId): Record<string, unknown> {
  const success = Object.entries(operationOf(document, id).responses!).find(([status]) => status.startsWith('2'))![1]
  return (success as OpenAPIV3_1.ResponseObject).content!['application/json']!.examples!
}

/** The example that is recorded of the list of tags. */
async function recorded(answers: readonly SampleAnswer[]): Promise<unknown> {
  const enriched: EnrichedContract = await enrichedContract({ ...full, evidence: evidenceOf(answers) })
  return examplesOf(enriched, 'listTags')['recorded']
}

function sampleOf(operation: OperationId, label: string): string {
  return codeSamples(contract, operation).find((sample) => sample.label === label)!.source
}
