/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { runScript, type Ended } from '../run/node-process.ts'
import { PROOF } from './documentation-sources.ts'
import { test as base } from './own-target.ts'
import { schemaErrors } from './report-schema.ts'

const FILES = ['index.html', 'openapi.json', 'openapi.yaml', 'redoc.standalone.js.LICENSE.txt', 'requirements.html']

const test = base.extend<{
  /** Runs the command with a folder of reports, which holds what is given. */
  readonly docs: (files: Readonly<Record<string, string>>, ...args: readonly string[]) => Promise<Ended>
  readonly folder: string
}>({
  folder: async ({}, use, testInfo) => {
    const folder = testInfo.outputPath('reports')
    mkdirSync(folder, { recursive: true })
    await use(folder)
  },
  docs: async ({ folder }, use) => {
    await use((files, ...args) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
      return runDocs(folder, ...args)
    })
  },
})

test('the documentation is made of the newest run and lies beside its report, without its token', async ({
  run,
  target,
}) => {
  const token = 'mQ7vXz2LrTb9KdHs4WcYp8JnFa6GeUi3RoVt5BkNxCw'
  const { settings } = await target({ token })
  const { folder } = await run({ ...settings, TARGET_NAME: 'staging' }, ['--grep', '@getTag'])

  const { exitCode, output } = await runDocs(folder)

  expect(output.trim()).toMatch(/docs\/index\.html: staging was incomplete on \d{4}-\d\d-\d\d, without a proof$/)
  expect(exitCode).toBe(0)
  const docs = path.join(folder, 'docs')
  expect(readdirSync(docs)).toEqual(FILES)
  for (const file of FILES) expect(readFileSync(path.join(docs, file), 'utf8'), file).not.toContain(token)
  const reference = readFileSync(path.join(docs, 'index.html'), 'utf8')
  expect(reference).toContain('<a href="../index.html">Report</a>')
  expect(reference).toMatch(
    /"recorded":\{"summary":"Recorded: staging, .{10}","description":"As it came, with personal values/,
  )
})

test('without a report it says so, and goes where it is told', async ({ docs, folder }) => {
  expect(schemaErrors(PROOF, 'proof.schema.json')).toEqual([])
  const out = path.join(folder, 'elsewhere')

  const { exitCode, output } = await docs({ 'proof.json': JSON.stringify(PROOF) }, '--out', out)

  expect({ exitCode, output: output.trim() }).toEqual({
    exitCode: 0,
    output: `${out}/index.html: without a report, as ${folder} holds no conformance.json, with a proof`,
  })
  expect(readdirSync(out)).toEqual(FILES)
  const requirements = readFileSync(path.join(out, 'requirements.html'), 'utf8')
  expect(requirements).toContain('filter-ignored')
  expect(requirements).not.toContain('../index.html')
})

const WRONG: readonly [string, Readonly<Record<string, string>>, readonly string[], RegExp][] = [
  ['a report cut short', { 'conformance.json': '{' }, [], /conformance\.json can't be read as JSON/],
  ['a report of another version', { 'conformance.json': '{"formatVersion":2}' }, [], /is not a report of this version/],
  ['a proof cut short', { 'proof.json': '{' }, [], /proof\.json can't be read as JSON/],
  ['a proof of another version', { 'proof.json': '{"formatVersion":2}' }, [], /is not a proof of this version/],
  ['a proof that is not there', {}, ['--proof', 'no/such.json'], /^--proof is "no\/such\.json", and there is no such/],
  ['a report that is not there', {}, ['--report', 'no/such'], /no\/such holds no conformance\.json; name a folder/],
  // Where there is no such file system, it may not be written to.
  ['a place where nothing can be made', {}, ['--out', '/proc/none/docs'], /docs can't be written to \(E\w+\)/],
  ['a place that is a file', { occupied: '' }, ['--out', 'FOLDER/occupied'], /occupied can't be written to \(E\w+\)/],
  ['an option that there is not', {}, ['--reprot', 'reports'], /'--reprot'/],
]

for (const [what, files, args, sentence] of WRONG)
  test(`of ${what}, one sentence tells`, async ({ docs, folder }) => {
    const { exitCode, output } = await docs(files, ...args.map((arg) => arg.replace('FOLDER', folder)))

    expect(exitCode).toBe(2)
    expect(output).toMatch(sentence)
    expect(output.trim().split('\n')).toHaveLength(1)
  })

test('its help names every option', async () => {
  const { exitCode, output } = await runDocs('.', '--help')

  expect(exitCode).toBe(0)
  for (const option of ['--report DIR', '--proof FILE', '--out DIR']) expect(output).toContain(option)
})

function runDocs(folder: string, ...args: readonly string[]): Promise<Ended> {
  return runScript('docs', args, { REPORTS_DIR: folder })
}
