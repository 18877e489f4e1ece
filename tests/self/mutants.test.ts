/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { readRunSettings } from '../engine/settings/settings.ts'
import { AllowedList, type AllowedMutants } from '../proving/mutants/allowed-list.ts'
import { describeChanges } from '../proving/mutants/change.ts'
import type { Mutant } from '../proving/mutants/mutant.ts'
import type { MutantRun } from '../proving/mutants/mutant-run.ts'
import { mutantsTable } from '../proving/mutants/mutants-table.ts'
import {
  mutantsHold,
  provedMutants,
  type MutantProblems,
  type ProvedMutants,
} from '../proving/mutants/proved-mutants.ts'
import type { Proof } from '../proving/proof.ts'
import { runScript } from '../run/node-process.ts'
import { EMPTY_PROOF } from './documentation-sources.ts'
import { schemaErrors } from './report-schema.ts'

/** Another sample each time; SEED, printed with it, repeats one. */
const { seed } = readRunSettings()
const SAMPLE = 12

test.describe.configure({ mode: 'default', timeout: 300_000 })

test('a sample of the mutants holds', async ({}, testInfo) => {
  const out = testInfo.outputPath('proof.json')
  const args = ['--mutants', '--sample', String(SAMPLE), '--out', out]
  const { exitCode, output } = await runScript('prove', args, { SEED: String(seed) })

  const proof = JSON.parse(readFileSync(out, 'utf8')) as Proof
  expect(proof.mutants?.problems, output).toEqual({
    unlistedSurvivors: [],
    listedButNotSurvived: [],
    listedButNoMutant: [],
  })
  expect(schemaErrors(proof, 'proof.schema.json')).toEqual([])
  expect(proof.mutants!.subjects.reduce((sum, { judged }) => sum + judged, 0)).toBe(SAMPLE)
  expect(output).toContain(`SEED=${seed}`)
  expect(exitCode).toBe(0)
})

const PASSING = ['listTags.tags.count', 'listTickets.filter.status-open']
const SURVIVING: MutantRun = { verdict: 'conformant', requests: 1, passed: PASSING, failed: [] }
const CAUGHT: MutantRun = { ...SURVIVING, verdict: 'nonconformant', failed: ['listTags.tags.count'] }
const DENIED: MutantRun = { ...SURVIVING, verdict: 'incomplete', passed: PASSING.slice(1) }
const UNSTARTED: MutantRun = { verdict: 'does not start', requests: 0, passed: [], failed: [] }

const MUTANT: Mutant = {
  subject: 'fastify',
  id: '7',
  file: 'pages.ts',
  line: 10,
  mutator: 'EqualityOperator',
  change: 'if (start «> → >=» 0) return',
}
const LISTED = [MUTANT.change]
const OTHER = 'const size = «40 → 41»'

/** What stands against a proof, made of one mutant; nothing else must. */
const FATES: Readonly<Record<string, readonly [keyof MutantProblems | undefined, MutantRun, readonly string[]]>> = {
  'a mutant that is caught': [undefined, CAUGHT, []],
  'a mutant that is denied': [undefined, DENIED, []],
  'a mutant that does not start': [undefined, UNSTARTED, []],
  'a survivor that is listed': [undefined, SURVIVING, LISTED],
  'a survivor that is not listed': ['unlistedSurvivors', SURVIVING, []],
  'a listed mutant that is caught': ['listedButNotSurvived', CAUGHT, LISTED],
  'a listed mutant that is denied': ['listedButNotSurvived', DENIED, LISTED],
  'an entry that names no mutant': ['listedButNoMutant', CAUGHT, [OTHER]],
  'an entry that is there twice': ['listedButNoMutant', SURVIVING, [...LISTED, ...LISTED]],
}

for (const [what, [problem, run, listed]] of Object.entries(FATES))
  test(`${what} ${problem ? `stands against a proof as one of "${problem}"` : 'does not stand against a proof'}`, () => {
    const mutants = provedBy(run, {
      because: 'The document leaves it open.',
      changes: { 'pages.ts': listed.join('\n') },
    })

    const against = Object.entries(mutants.problems).flatMap(([name, list]) => (list.length > 0 ? [name] : []))
    expect(against).toEqual(problem ? [problem] : [])
    expect(mutantsHold(mutants)).toBe(problem === undefined)
    expect(schemaErrors({ ...EMPTY_PROOF, mutants }, 'proof.schema.json')).toEqual([])
    if (problem) expect(mutantsTable(mutants)).toContain(listed[0] ?? MUTANT.change)
  })

test('an entry for another file or another service does not allow a survivor', () => {
  const because = 'The document leaves it open.'
  const elsewhere = [
    new AllowedList({ fastify: [{ because, changes: { 'app.ts': MUTANT.change } }] }),
    new AllowedList({ reference: [{ because, changes: { 'pages.ts': MUTANT.change } }] }),
  ]
  expect(elsewhere.map((list) => list.has(MUTANT))).toEqual([false, false])
})

const SOURCE = ['const list = {', '  paged: false,', '}', 'const other = {', '  paged: false,', '}'].join('\n')

test('a change is described by its line, and by lines before it where another is alike', () => {
  const places = [...SOURCE.matchAll(/false/g)].map(({ index }) => ({ start: index, end: index + 5, text: 'true' }))
  expect(describeChanges(SOURCE, places)).toEqual([
    'const list = { ⏎ paged: «false → true»,',
    'const other = { ⏎ paged: «false → true»,',
  ])
})

const DESCRIPTIONS: Readonly<Record<string, readonly [source: string, replacement: string, description: string]>> = {
  'an operator': ['start  >  0', 'start >= 0', 'if (start «> → >=» 0) return'],
  'what is taken away': ['text.trim()', 'text', 'if (text«.trim() →») return'],
  'what is put in': ['/[ab]/', '/[^ab]/', 'if (/[«→ ^»ab]/) return'],
  'a whole function': ['(a) => ({ a })', '() => undefined', 'if («(a) => ({ a }) → () => undefined») return'],
  'something laid out again': ['f(\n  a,\n  b,\n)', 'f(a)', 'if (f( a«, b →»,'],
}

for (const [what, [source, text, description]] of Object.entries(DESCRIPTIONS))
  test(`of a change, what differs is marked: ${what}`, () => {
    const start = 'if ('.length
    expect(describeChanges(`if (${source}) return`, [{ start, end: start + source.length, text }])).toEqual([
      description,
    ])
  })

function provedBy(run: MutantRun, entry: AllowedMutants): ProvedMutants {
  const allowed = new AllowedList({ fastify: [entry] })
  const passing = new Map([['fastify', PASSING] as const])
  return provedMutants({ seed: 1, startedAt: new Date(), mutants: [MUTANT], allowed, passing }, [
    { mutant: MUTANT, run },
  ])
}
