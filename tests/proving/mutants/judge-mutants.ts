import type { SimpleFaker } from '@faker-js/faker'
import { UsageError } from '../../commands/command.ts'
import { judgeInProcesses, type Judging } from '../judging-processes.ts'
import { AllowedList } from './allowed-list.ts'
import { instrumentedCopies } from './instrumented-copy.ts'
import { mutantName, type Mutant } from './mutant.ts'
import type { MutantAssignment, MutantRun } from './mutant-run.ts'
import type { MutatedService } from './mutated-service.ts'
import { contradicts, provedMutants, type Judged, type ProvedMutants } from './proved-mutants.ts'

/** Which mutants are judged. */
export interface MutantScope {
  readonly services: readonly MutatedService[]
  /** Only those whose name matches. */
  readonly grep: RegExp | undefined
  /** As many of them, drawn at random. */
  readonly sample: number | undefined
}

const RUN = new URL('./mutant-run.ts', import.meta.url)

/**
 * Judges the mutants of services: those of one service after another in the same processes, and once more in a process
 * of its own each mutant that stands against the proof.
 * @throws UsageError where none matches, Error where a service itself is not conformant
 */
export async function judgeMutants(scope: MutantScope, judging: Judging, random: SimpleFaker): Promise<ProvedMutants> {
  const startedAt = new Date()
  const names = scope.services.map(({ name }) => name)
  const { folder: copies, mutants, remove } = await instrumentedCopies(scope.services)
  try {
    const chosen = choose(mutants, scope, random)
    const run = (some: readonly Pick<MutantAssignment, 'subject' | 'id'>[], alone: boolean) =>
      judgeInProcesses<MutantAssignment, MutantRun>(
        RUN,
        some.map(({ subject, id }) => ({ subject, id, copies, alone })),
        judging,
      )
    const judge = async (some: readonly Mutant[], alone: boolean): Promise<Judged[]> => {
      const runs = some.length === 0 ? [] : await run(some, alone)
      return some.map((mutant, at) => ({ mutant, run: runs[at]! }))
    }
    const asTheyAre = await run(
      names.map((subject) => ({ subject })),
      true,
    )
    const passing = new Map(names.map((name, at) => [name, conformant(name, asTheyAre[at]!).passed]))
    const circumstances = { seed: judging.seed, startedAt, mutants, allowed: AllowedList.of(names), passing }
    const judged = await judge(chosen, false)
    const doubtful = judged.filter((one) => contradicts(circumstances, one)).map(({ mutant }) => mutant)
    const again = await judge(doubtful, true)
    const settled = judged.map((one) => again.find(({ mutant }) => mutant === one.mutant) ?? one)
    return provedMutants(circumstances, settled)
  } finally {
    remove()
  }
}

/** By service, as processes are one service at a time. */
function choose(mutants: readonly Mutant[], { grep, sample }: MutantScope, random: SimpleFaker): readonly Mutant[] {
  const matching = mutants.filter((mutant) => grep === undefined || grep.test(mutantName(mutant)))
  if (matching.length === 0) throw new UsageError('--grep matches no mutant.')
  const drawn = new Set(random.helpers.arrayElements(matching, sample ?? matching.length))
  return matching.filter((mutant) => drawn.has(mutant))
}

function conformant(name: string, run: MutantRun): MutantRun {
  const { verdict, failed } = run
  if (verdict === 'conformant' || verdict === 'incomplete') return run
  throw new Error(`the service ${name} as it is: ${[verdict, ...failed].join(', ')}`)
}
