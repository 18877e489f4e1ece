import { availableParallelism } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { SimpleFaker } from '@faker-js/faker'
import { randomCombinations } from '../../fixtures/faults/variants/combinations.ts'
import { Contract } from '../engine/contract.ts'
import { seededRandom } from '../engine/random.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { assign, type Assignment } from '../proving/assignment.ts'
import { judgeInProcesses } from '../proving/judging-processes.ts'
import { MODES, type Mode } from '../proving/mode.ts'
import type { MutantScope } from '../proving/mutants/judge-mutants.ts'
import { mutantsTable } from '../proving/mutants/mutants-table.ts'
import { MUTATED_SERVICES, type MutatedService } from '../proving/mutants/mutated-service.ts'
import { mutantsHold } from '../proving/mutants/proved-mutants.ts'
import { holds, proofOf } from '../proving/proof.ts'
import { earlierProof, writeProof } from '../proving/proof-file.ts'
import { proofTable } from '../proving/proof-table.ts'
import { allSubjects, faultOf, isFault, onRandomData, PLAIN, type Subject } from '../proving/subject.ts'
import type { TrialRun } from '../proving/trial-run.ts'
import { suite } from '../reporting/result/report.ts'
import { register } from '../requirements/register.ts'
import { chosen, readNumber, runCommand, UsageError } from './command.ts'

const USAGE = `Usage: npm run prove -- [--mode MODE]... [--grep REGEX] [--requirement ID] [--sample N] [--out FILE] [--jobs N]
                       [--processes N]
       npm run prove -- --mutants [--subject NAME]... [--grep REGEX] [--sample N] [--out FILE] [--jobs N] [--processes N]

Judges every fault and every variant of the reference service, in five modes; CONTRIBUTING.md says which by what.
With --mutants, it judges every small change that Stryker makes to the reference service and to two others instead,
with everything given.

  --mode MODE     ${MODES.map(({ id }) => id).join(', ')} (default: all)
  --mutants       mutants in place of faults and variants
  --subject NAME  mutants of ${MUTATED_SERVICES.map(({ name }) => name).join(', ')} (default: of all three)
  --grep REGEX    only faults and variants whose name matches, or mutants as they are listed
  --requirement ID
                  the faults named for a requirement, and every conformant service by this requirement alone
  --sample N      N of them, drawn by SEED
  --every-mode    judges variants by everything in every mode, and more of what is drawn: about twice as long
  --out FILE      where the result goes (default: proof.json in REPORTS_DIR); the other half of it is kept
  --jobs N        services judged at once by one process (default 20, of mutants 2)
  --processes N   processes that judge (default: one a core)
  --help          this text

Exits with 1 where a fault survives or is caught only by another requirement than the one named for it, where a variant
is accused, where the suite itself goes wrong, where a fault or variant changes nothing on the wire, where a requirement
passes on poor data while its fault shows or does not see its fault beside another, and, in a whole proof, where one
catches nothing; of mutants, where one survives that fixtures/mutants does not list as allowed, and where one that is
listed does not survive, or is none.`

const RANDOM_COMBINATIONS = 50
const ON_RANDOM_DATA = 120
const TRIAL_RUN = new URL('../proving/trial-run.ts', import.meta.url)
/** Long enough for any answer of a service of our own on a busy machine, short enough to wait for one that never comes. */
const REQUEST_TIMEOUT_MS = 6000
/** Mutants have processes of their own, and many never answer. */
const MUTANT_REQUEST_TIMEOUT_MS = 3000

interface Options {
  readonly modes: readonly Mode[]
  /** Undefined where faults and variants are to be judged. */
  readonly mutantsOf: readonly MutatedService[] | undefined
  readonly grep: RegExp | undefined
  readonly sample: number | undefined
  readonly everyMode: boolean
  readonly requirement: string | undefined
  readonly out: string | undefined
  readonly jobs: number
  readonly processes: number
}

await runCommand(async () => {
  const options = readOptions()
  if (!options) return console.log(USAGE)
  const { seed, reportsDir } = readRunSettings()
  const file = options.out ?? path.join(reportsDir, 'proof.json')
  const random = seededRandom(seed)
  const isProved = options.mutantsOf
    ? await proveMutants({ ...options, services: options.mutantsOf }, seed, random, file)
    : await proveFaults(options, seed, random, file)
  if (!isProved) process.exitCode = 1
})

async function proveFaults(options: Options, seed: number, random: SimpleFaker, file: string): Promise<boolean> {
  const startedAt = new Date()
  const assignments = assign(chooseSubjects(options, random), options, random)
  const judging = { ...options, requestTimeoutMs: REQUEST_TIMEOUT_MS, seed }
  const runs = (await judgeInProcesses<Assignment, readonly TrialRun[]>(TRIAL_RUN, assignments, judging)).flat()
  const isPart = [options.grep, options.sample, options.requirement].some((one) => one !== undefined)
  const whole = !isPart && options.modes.length === MODES.length
  const contract = new Contract()
  const proof = proofOf({ suite: suite(), seed, whole, startedAt, register: register(contract) }, runs)
  const mutants = earlierProof(contract, file)?.mutants
  writeProof(file, { ...proof, ...(mutants && { mutants }) })
  console.log(proofTable(proof))
  return holds(proof)
}

async function proveMutants(
  options: Options & MutantScope,
  seed: number,
  random: SimpleFaker,
  file: string,
): Promise<boolean> {
  // The instrumenter and the compiler take seconds to load, which only mutants have to wait for.
  const { judgeMutants } = await import('../proving/mutants/judge-mutants.ts')
  const judging = { ...options, requestTimeoutMs: MUTANT_REQUEST_TIMEOUT_MS, seed }
  const mutants = await judgeMutants(options, judging, random)
  const contract = new Contract()
  const nothingElse = { suite: suite(), seed, whole: false, startedAt: new Date(), register: register(contract) }
  writeProof(file, { ...(earlierProof(contract, file) ?? proofOf(nothingElse, [])), mutants })
  console.log(mutantsTable(mutants))
  return mutantsHold(mutants)
}

function chooseSubjects({ grep, sample, requirement }: Options, random: SimpleFaker): readonly Subject[] {
  const every = allSubjects(randomCombinations(random, RANDOM_COMBINATIONS), onRandomData(random, ON_RANDOM_DATA))
  const isNamedFor = (one: Subject): boolean =>
    requirement === undefined || !isFault(one) || faultOf(one).caughtBy === requirement
  const matching = every.filter((one) => (grep === undefined || grep.test(one.name)) && isNamedFor(one))
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

function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      mode: { type: 'string', multiple: true },
      mutants: { type: 'boolean', default: false },
      subject: { type: 'string', multiple: true },
      grep: { type: 'string' },
      requirement: { type: 'string' },
      sample: { type: 'string' },
      'every-mode': { type: 'boolean', default: false },
      out: { type: 'string' },
      jobs: { type: 'string' },
      processes: { type: 'string', default: String(availableParallelism()) },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return undefined
  if (values.mutants && (values.mode || values['every-mode']))
    throw new UsageError('--mutants are judged in one mode, with everything given; leave out --mode and --every-mode.')
  const { requirement } = values
  if (requirement !== undefined && !register(new Contract()).some(({ id }) => id === requirement))
    throw new UsageError(`--requirement is "${requirement}", which no requirement has as its id.`)
  if (values.subject && !values.mutants) throw new UsageError('--subject needs --mutants.')
  return {
    modes: chosen('--mode', values.mode, MODES, ({ id }) => id),
    mutantsOf: values.mutants ? chosen('--subject', values.subject, MUTATED_SERVICES, ({ name }) => name) : undefined,
    grep: values.grep === undefined ? undefined : readPattern(values.grep),
    sample: values.sample === undefined ? undefined : readNumber('--sample', values.sample, 9999),
    everyMode: values['every-mode'],
    requirement,
    out: values.out,
    jobs: readNumber('--jobs', values.jobs ?? (values.mutants ? '2' : '20'), 99),
    processes: readNumber('--processes', values.processes, 99),
  }
}

/** Those that are named, or all where none is. */
function readPattern(given: string): RegExp {
  try {
    return new RegExp(given)
  } catch {
    throw new UsageError(`--grep is "${given}", which is not a regular expression.`)
  }
}
