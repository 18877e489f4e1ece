/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@playwright/test'
import { derivedFaults } from '../../fixtures/faults/derived/derived-faults.ts'
import { faults, sweepingFaults } from '../../fixtures/faults/index.ts'
import { Contract } from '../engine/contract.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { holds, proofOf, type Problems, type Proof } from '../proving/proof.ts'
import { proofTable } from '../proving/proof-table.ts'
import type { Subject } from '../proving/subject.ts'
import type { TrialRun } from '../proving/trial-run.ts'
import { register } from '../requirements/register.ts'
import { runScript, type Ended } from '../run/node-process.ts'
import { schemaErrors } from './report-schema.ts'

/** Another sample each time; SEED, printed with it, repeats one. */
const { seed } = readRunSettings()
const SAMPLE = '150'

test.describe.configure({ mode: 'default', timeout: 300_000 })

test('a sample of the proof holds', async ({}, testInfo) => {
  const out = testInfo.outputPath('proof.json')
  const { exitCode, output } = await prove(['--sample', SAMPLE, '--out', out])

  const proof = JSON.parse(readFileSync(out, 'utf8')) as Proof
  expect(against(proof.problems), output).toEqual([])
  expect(schemaErrors(proof, 'proof.schema.json')).toEqual([])
  expect(proof.faults.length + proof.variants.length).toBe(Number(SAMPLE) + 1)
  expect(output).toContain(`SEED=${seed}`)
  expect(exitCode).toBe(0)
})

const WRONG_WORDS: Readonly<Record<string, readonly [readonly string[], RegExp]>> = {
  'a name that nothing has': [
    ['--grep', 'no-such-fault'],
    /^--grep matches the name of no fault and of no variant\.$/m,
  ],
  'an invalid pattern': [['--grep', '('], /^--grep is "\(", which is not a regular expression\.$/m],
  'an unknown mode': [
    ['--mode', 'fast'],
    /^--mode is "fast"; give one of: read-only, second-token, writes, dataset, everything\.$/m,
  ],
  'an invalid number': [['--jobs', 'many'], /^--jobs is "many"; give a whole number from 1 to 99\.$/m],
  'a name that no mutant has': [['--mutants', '--grep', 'no-such-mutant'], /^--grep matches no mutant\.$/m],
  'an unknown service': [
    ['--mutants', '--subject', 'rails'],
    /^--subject is "rails"; give one of: reference, koa-sqlite, fastify\.$/m,
  ],
  'a mode for mutants': [
    ['--mutants', '--mode', 'dataset'],
    /^--mutants are judged in one mode, with everything given; /m,
  ],
}

for (const [what, [args, sentence]] of Object.entries(WRONG_WORDS))
  test(`${what} is told in one sentence`, async ({}, testInfo) => {
    const { exitCode, output } = await prove([...args, '--out', testInfo.outputPath('proof.json')])
    expect(output).toMatch(sentence)
    expect(output).not.toMatch(/^\s+at /m)
    expect(exitCode).toBe(2)
  })

const [fault] = faults
const derived = derivedFaults[0]!
const FAULT: Subject = { kind: 'fault', name: fault!.name }
const VARIANT: Subject = { kind: 'variant', name: 'gzip' }
const OTHER = sweepingFaults[0]!
const POOR = 'nothing at all'
const CAUGHT = { [fault!.caughtBy]: ['it was accepted'] }

/** What stands against a proof, made of one run; nothing else must. */
const RUNS: Readonly<Record<string, readonly [keyof Problems | undefined, Partial<TrialRun> & { subject: Subject }]>> =
  {
    'a fault that is caught': [undefined, { subject: FAULT, failed: CAUGHT }],
    'a derived fault that is caught': [
      undefined,
      { subject: { kind: 'derived', name: derived.name }, failed: { [derived.caughtBy]: ['wrong'] } },
    ],
    'a fault that nothing catches': ['survivors', { subject: FAULT }],
    'a fault that another requirement catches': [
      'caughtOnlyByAnother',
      { subject: FAULT, failed: { 'listTags.tags.count': ['wrong'] } },
    ],
    'a fault that is caught and changes nothing': ['unchanged', { subject: FAULT, failed: CAUGHT, differs: false }],
    'a variant that passes': [undefined, { subject: VARIANT }],
    'a variant that passes and changes nothing': ['unchanged', { subject: VARIANT, differs: false }],
    'a fault on poor data that its requirement lets pass': ['vacuous', { subject: FAULT, lack: POOR }],
    'a fault on poor data that does not show': [undefined, { subject: FAULT, lack: POOR, differs: false }],
    'a fault on poor data that is not exercised': [
      undefined,
      { subject: FAULT, lack: POOR, notExercised: [fault!.caughtBy] },
    ],
    'a fault that is four problems': [
      'scattered',
      { subject: FAULT, mode: 'everything', failed: CAUGHT, problems: [['a'], ['b'], ['c'], ['d']] },
    ],
    'two faults of which one is caught': ['hidden', { subject: FAULT, besides: OTHER.name, failed: CAUGHT }],
    'two faults that are caught': [
      undefined,
      { subject: FAULT, besides: OTHER.name, failed: { ...CAUGHT, [OTHER.caughtBy]: ['wrong'] } },
    ],
    'a variant that is accused': ['falseAlarms', { subject: VARIANT, failed: CAUGHT }],
    'a combination that is accused': ['falseAlarms', { subject: { ...VARIANT, kind: 'pairs' }, failed: CAUGHT }],
    'the reference service, accused': ['falseAlarms', { subject: { ...VARIANT, kind: 'plain' }, failed: CAUGHT }],
    'a variant on which the suite breaks': [
      'broken',
      { subject: VARIANT, broken: { 'listTags.tags.count': ['crash'] } },
    ],
    'a caught fault on which the suite breaks': [
      'broken',
      { subject: FAULT, failed: CAUGHT, broken: { 'listTags.tags.count': ['crash'] } },
    ],
  }

for (const [what, [problem, run]] of Object.entries(RUNS))
  test(`${what} ${problem ? `stands against a proof as one of "${problem}"` : 'does not stand against a proof'}`, () => {
    const proof = proofMadeOf(run, false)

    expect(against(proof.problems)).toEqual(problem ? [problem] : [])
    expect(holds(proof)).toBe(problem === undefined)
    expect(schemaErrors(proof, 'proof.schema.json')).toEqual([])
    if (problem) expect(proofTable(proof)).toContain(run.subject.name)
  })

test('a whole proof names the requirements that catch nothing', () => {
  const { problems } = proofMadeOf({ subject: FAULT, failed: CAUGHT }, true)
  const demands = register(new Contract()).filter(({ level }) => level !== 'observed')
  expect(problems.idle).toEqual(demands.map(({ id }) => id).filter((id) => id !== fault!.caughtBy))
})

function proofMadeOf(run: Partial<TrialRun> & { subject: Subject }, whole: boolean): Proof {
  const complete = { requests: 1, durationMs: 1, failed: {}, broken: {}, notExercised: [], problems: [], differs: true }
  const suite = { name: 'suite', version: '1.0.0' }
  return proofOf({ suite, seed: 1, whole, startedAt: new Date(), register: register(new Contract()) }, [
    { ...complete, mode: 'read-only', judges: 'related', ...run },
  ])
}

/** The names of the lists in which something stands against a proof. */
function against(problems: Problems): string[] {
  return Object.entries(problems).flatMap(([name, list]) => (list.length > 0 ? [name] : []))
}

function prove(args: readonly string[]): Promise<Ended> {
  return runScript('prove', args, { SEED: String(seed) })
}
