import type { SimpleFaker } from '@faker-js/faker'
import { UsageError } from '../../commands/command.ts'
import { judgeInProcesses, type Judging } from '../judging-processes.ts'
import { AllowedList } from './allowed-list.ts'
import { instrumentedCopies } from './instrumented-copy.ts'
import { mutantName, type Mutant } from './mutant.ts'
import type { MutantAssignment, MutantRun } from './mutant-run.ts'
import type { MutatedService } from './mutated-service.ts'
import { provedMutants, type ProvedMutants } from './proved-mutants.ts'

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
 * Judges the mutants of services, each as a process of its own.
 * @throws UsageError where none matches, Error where a service itself is not conformant
 */
export async function judgeMutants(scope: MutantScope, judging: Judging, random: SimpleFaker): Promise<ProvedMutants> {
  const startedAt = new Date()
  const names = scope.services.map(({ name }) => name)
  const { folder: copies, mutants, remove } = await instrumentedCopies(scope.services)
  try {
    const chosen = choose(mutants, scope, random)
    const run = (some: readonly Pick<MutantAssignment, 'subject' | 'id'>[]) =>
      judgeInProcesses<MutantAssignment, MutantRun>(
        RUN,
        some.map(({ subject, id }) => ({ subject, id, copies })),
        judging,
      )
    const asTheyAre = await run(names.map((subject) => ({ subject })))
    const passing = new Map(names.map((name, at) => [name, conformant(name, asTheyAre[at]!).passed]))
    const runs = await run(chosen)
    const judged = chosen.map((mutant, at) => ({ mutant, run: runs[at]! }))
    return provedMutants({ seed: judging.seed, startedAt, mutants, allowed: AllowedList.of(names), passing }, judged)
  } finally {
    remove()
  }
}

function choose(mutants: readonly Mutant[], { grep, sample }: MutantScope, random: SimpleFaker): readonly Mutant[] {
  const matching = mutants.filter((mutant) => grep === undefined || grep.test(mutantName(mutant)))
  if (matching.length === 0) throw new UsageError('--grep matches no mutant.')
  return sample === undefined ? matching : random.helpers.arrayElements(matching, sample)
}

function conformant(name: string, run: MutantRun): MutantRun {
  const { verdict, failed } = run
  if (verdict === 'conformant' || verdict === 'incomplete') return run
  throw new Error(`the service ${name} as it is: ${[verdict, ...failed].join(', ')}`)
}
