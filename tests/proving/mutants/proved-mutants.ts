import type { AllowedList, Entry } from './allowed-list.ts'
import type { Mutant } from './mutant.ts'
import type { MutantRun } from './mutant-run.ts'
import { MUTATED_SERVICES, type MutatedServiceName } from './mutated-service.ts'

/** What became of a mutant. */
type Fate =
  /** It is nonconformant. */
  | 'caught'
  /** It isn't conformant: something that passes on the service as it is was not exercised, or nothing could be judged. */
  | 'denied'
  /** It is as conformant as the service itself. */
  | 'survived'

/** The mutants' part of a proof; its shape is `spec/proof.schema.json`. */
export interface ProvedMutants {
  readonly seed: number
  /** Whether every mutant of every service was judged. */
  readonly whole: boolean
  readonly startedAt: string
  readonly finishedAt: string
  readonly requests: number
  readonly subjects: readonly MutatedSubject[]
  readonly problems: MutantProblems
}

interface MutatedSubject {
  readonly name: MutatedServiceName
  /** How many mutants it has, and how many of them were judged. */
  readonly mutants: number
  readonly judged: number
  readonly caught: number
  readonly denied: number
  readonly survived: number
  /** Survivors that are listed, with the reason why the interface document allows them. */
  readonly allowed: number
}

/** All that makes a proof fail. */
export interface MutantProblems {
  readonly unlistedSurvivors: readonly Shown[]
  readonly listedButNotSurvived: readonly (Shown & { readonly fate: Fate; readonly because: readonly string[] })[]
  readonly listedButNoMutant: readonly Entry[]
}

type Shown = Omit<Mutant, 'id'>

/** A mutant that was judged. */
export interface Judged {
  readonly mutant: Mutant
  readonly run: MutantRun
}

/** What the mutants' part of a proof is made of, beside its runs. */
export interface MutantCircumstances {
  readonly seed: number
  readonly startedAt: Date
  /** Every mutant of every service that was chosen, whether it was judged or not. */
  readonly mutants: readonly Mutant[]
  readonly allowed: AllowedList
  /** What passes on each service as it is. */
  readonly passing: ReadonlyMap<MutatedServiceName, readonly string[]>
}

/** Draws up the mutants' part of a proof from its runs. */
export function provedMutants(circumstances: MutantCircumstances, judged: readonly Judged[]): ProvedMutants {
  const { seed, startedAt, mutants, allowed, passing } = circumstances
  const all = judged.map(({ mutant, run }) => ({ mutant, run, ...fateOf(run, passing.get(mutant.subject)!) }))
  const isListed = ({ mutant }: { readonly mutant: Mutant }) => allowed.has(mutant)
  const survivors = all.filter(({ fate }) => fate === 'survived')
  return {
    seed,
    whole: judged.length === mutants.length && passing.size === MUTATED_SERVICES.length,
    startedAt: startedAt.toISOString(),
    finishedAt: new Date().toISOString(),
    requests: judged.reduce((sum, { run }) => sum + run.requests, 0),
    subjects: [...passing.keys()].map((name): MutatedSubject => {
      const own = all.filter(({ mutant }) => mutant.subject === name)
      const count = (wanted: Fate) => own.filter(({ fate }) => fate === wanted).length
      return {
        name,
        mutants: mutants.filter(({ subject }) => subject === name).length,
        judged: own.length,
        caught: count('caught'),
        denied: count('denied'),
        survived: count('survived'),
        allowed: survivors.filter((one) => one.mutant.subject === name && isListed(one)).length,
      }
    }),
    problems: {
      unlistedSurvivors: survivors.filter((one) => !isListed(one)).map(({ mutant }) => shown(mutant)),
      listedButNotSurvived: all
        .filter((one) => one.fate !== 'survived' && isListed(one))
        .map(({ mutant, fate, because }) => ({ ...shown(mutant), fate, because })),
      listedButNoMutant: allowed.idleAmong(mutants),
    },
  }
}

/** Whether a mutant stands against the proof by what became of it. */
export function contradicts({ allowed, passing }: MutantCircumstances, { mutant, run }: Judged): boolean {
  return (fateOf(run, passing.get(mutant.subject)!).fate === 'survived') !== allowed.has(mutant)
}

/** Whether nothing stands against the mutants' part of a proof. */
export function mutantsHold({ problems }: ProvedMutants): boolean {
  return Object.values(problems).every((list: readonly unknown[]) => list.length === 0)
}

/** What became of a mutant, and by what; `passing` is what passes on the service as it is. */
function fateOf(run: MutantRun, passing: readonly string[]): { fate: Fate; because: readonly string[] } {
  if (run.failed.length > 0) return { fate: 'caught', because: run.failed }
  const lost = passing.filter((id) => !run.passed.includes(id))
  if (lost.length > 0) return { fate: 'denied', because: run.passed.length === 0 ? [run.verdict] : lost }
  return { fate: 'survived', because: [] }
}

function shown({ subject, file, line, mutator, change }: Mutant): Shown {
  return { subject, file, line, mutator, change }
}
