/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { runScript } from '../run/node-process.ts'
import { test } from './own-target.ts'

const runReport = (...args: readonly string[]) => runScript('report', args)

test("a run's page is made again of its result and evidence, byte for byte the same", async ({ run }) => {
  const { folder } = await run({}, ['--grep', 'listTickets.filter.status-open:'])
  const file = path.join(folder, 'index.html')
  const page = readFileSync(file, 'utf8')
  writeFileSync(file, '')

  const { exitCode, output } = await runReport(folder)

  expect(exitCode).toBe(0)
  expect(output.trim().endsWith('index.html')).toBe(true)
  expect(readFileSync(file, 'utf8')).toBe(page)
  expect(page).toContain('reference service')
})

const REPORT = '{"formatVersion":1}'
const WRONG: readonly [string, Readonly<Record<string, string>>, RegExp][] = [
  ['no result', {}, /holds no conformance\.json; name a folder/],
  ['a result cut short', { 'conformance.json': '{"formatVersion"' }, /conformance\.json can't be read as JSON/],
  ['something else by that name', { 'conformance.json': REPORT }, /is not a report of this version: \S+ is missing/],
]

for (const [what, files, sentence] of WRONG)
  test(`of a folder with ${what}, one sentence tells`, async ({}, testInfo) => {
    const folder = testInfo.outputPath('reports')
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)

    const { exitCode, output } = await runReport(folder)

    expect(exitCode).toBe(2)
    expect(output).toMatch(sentence)
    expect(output.trim().split('\n')).toHaveLength(1)
  })

test('more than one folder is refused', async () => {
  const { exitCode, output } = await runReport('reports', 'other')

  expect({ exitCode, output: output.trim() }).toEqual({
    exitCode: 2,
    output: 'Give one folder; --help tells more.',
  })
})
