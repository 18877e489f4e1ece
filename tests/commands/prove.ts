import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { SimpleFaker } from '@faker-js/faker'
import { Tinypool } from 'tinypool'
import { pairwiseCombinations, randomCombinations } from '../../fixtures/faults/combinations.ts'
import { Contract } from '../engine/contract.ts'
import { seededRandom } from '../engine/random.ts'
import { readRunSettings } from '../engine/settings.ts'
import { assign, type Assignment } from '../proving/assignment.ts'
import { MODES, type Mode } from '../proving/mode.ts'
import { holds, proofOf } from '../proving/proof.ts'
import { proofTable } from '../proving/proof-table.ts'
import { allSubjects, PLAIN, type Subject } from '../proving/subject.ts'
import type { TrialRun } from '../proving/trial-run.ts'
import { suite } from '../reporting/report.ts'
import { register } from '../requirements/register.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `Usage: npm run prove -- [--mode MODE]... [--grep REGEX] [--sample N] [--out FILE] [--jobs N] [--processes N]

Judges every fault and every variant of the reference service, in three modes; the README says which by what.

  --mode MODE     ${MODES.map(({ id }) => id).join(', ')} (default: all three)
  --grep REGEX    only faults and variants whose name matches
  --sample N      N of them, drawn by SEED
  --every-mode    leaves nothing to other modes, or to chance, which takes about twice as long
  --out FILE      where the result goes (default: proof.json in REPORTS_DIR)
  --jobs N        services judged at once by one process (default 10)
  --processes N   processes that judge (default: one a core)
  --help          this text

Exits with 1 where a fault survives or is caught only by another requirement than the one named for it, where a variant
is accused, where the suite itself goes wrong, where a fault changes nothing on the wire, and, in a whole proof, where a
requirement catches nothing.`

const RANDOM_COMBINATIONS = 50
/** Long enough for any answer of a service of our own on a busy machine, short enough to wait for one that never comes. */
const REQUEST_TIMEOUT_MS = '6000'

interface Options {
  readonly modes: readonly Mode[]
  readonly grep: RegExp | undefined
  readonly sample: number | undefined
  readonly everyMode: boolean
  readonly out: string | undefined
  readonly jobs: number
  readonly processes: number
}

await runCommand(async () => {
  const options = readOptions()
  if (!options) return console.log(USAGE)
  const startedAt = new Date()
  const { seed, reportsDir } = readRunSettings()
  const random = seededRandom(seed)
  const subjects = chooseSubjects(options, random)
  const assignments = assign(subjects, options, random)
  const runs = await judgeAll(assignments, options, seed)
  const whole = options.grep === undefined && options.sample === undefined && options.modes.length === MODES.length
  const proof = proofOf({ suite: suite(), seed, whole, startedAt, register: register(new Contract()) }, runs)
  const out = options.out ?? path.join(reportsDir, 'proof.json')
  mkdirSync(path.dirname(out), { recursive: true })
  writeFileSync(out, `${JSON.stringify(proof, undefined, 2)}\n`)
  console.log(proofTable(proof))
  if (!holds(proof)) process.exitCode = 1
})

function chooseSubjects({ grep, sample }: Options, random: SimpleFaker): readonly Subject[] {
  const every = allSubjects(pairwiseCombinations(), randomCombinations(random, RANDOM_COMBINATIONS))
  const matching = every.filter(({ name }) => grep === undefined || grep.test(name))
  if (matching.length === 0) throw new UsageError('--grep matches the name of no fault and of no variant.')
  return [PLAIN, ...(sample === undefined ? matching : drawn(matching, sample, random))]
}

/** As many of those derived from the contract as of all others, which are far fewer and take far longer. */
function drawn(subjects: readonly Subject[], sample: number, random: SimpleFaker): readonly Subject[] {
  const [derived, others] = [true, false].map((wanted) =>
    subjects.filter(({ kind }) => (kind === 'derived') === wanted),
  )
  const some = random.helpers.arrayElements(others!, Math.ceil(sample / 2))
  return [...some, ...random.helpers.arrayElements(derived!, sample - some.length)]
}

async function judgeAll(
  assignments: readonly Assignment[],
  { jobs, processes }: Options,
  seed: number,
): Promise<TrialRun[]> {
  const pool = new Tinypool({
    filename: new URL('../proving/trial-run.ts', import.meta.url).href,
    runtime: 'child_process',
    minThreads: processes,
    maxThreads: processes,
    concurrentTasksPerWorker: jobs,
    isolateWorkers: false,
    // Most of what a run makes is soon forgotten: room for it spares the time of tidying up again and again.
    execArgv: [...process.execArgv, '--max-semi-space-size=64'],
    env: { REQUEST_TIMEOUT_MS, ...process.env, SEED: String(seed) },
  })
  try {
    let done = 0
    return await Promise.all(
      assignments.map(async (assignment) => {
        const run = (await pool.run(assignment)) as TrialRun
        tellProgress(++done, assignments.length)
        return run
      }),
    )
  } finally {
    await pool.destroy()
  }
}

/** One line that is written over on a terminal, and ten lines elsewhere. */
function tellProgress(done: number, all: number): void {
  const line = `${done} of ${all} runs, ${(performance.now() / 1000).toFixed(0)} s`
  if (process.stderr.isTTY) process.stderr.write(`\r${line}${done === all ? '\n' : ''}`)
  else if (Math.floor((10 * done) / all) > Math.floor((10 * (done - 1)) / all)) console.error(line)
}

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      mode: { type: 'string', multiple: true },
      grep: { type: 'string' },
      sample: { type: 'string' },
      'every-mode': { type: 'boolean', default: false },
      out: { type: 'string' },
      jobs: { type: 'string', default: '10' },
      processes: { type: 'string', default: String(availableParallelism()) },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return undefined
  return {
    modes: MODES.filter(({ id }) => values.mode === undefined || readModes(values.mode).includes(id)),
    grep: values.grep === undefined ? undefined : readPattern(values.grep),
    sample: values.sample === undefined ? undefined : readNumber('--sample', values.sample, 9999),
    everyMode: values['every-mode'],
    out: values.out,
    jobs: readNumber('--jobs', values.jobs, 99),
    processes: readNumber('--processes', values.processes, 99),
  }
}

function readModes(given: readonly string[]): readonly string[] {
  const unknown = given.find((one) => !MODES.some(({ id }) => id === one))
  if (unknown !== undefined)
    throw new UsageError(`--mode is "${unknown}"; give one of: ${MODES.map(({ id }) => id).join(', ')}.`)
  return given
}

function readPattern(given: string): RegExp {
  try {
    return new RegExp(given)
  } catch {
    throw new UsageError(`--grep is "${given}", which is no regular expression.`)
  }
}

function readNumber(option: string, given: string, most: number): number {
  const number = Number(given)
  if (!/^[1-9]\d*$/.test(given) || number > most)
    throw new UsageError(`${option} is "${given}"; give a whole number from 1 to ${most}.`)
  return number
}
