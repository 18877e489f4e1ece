import type { Area, Need } from '../../fixtures/faults/index.ts'
import type { Level, Requirement } from '../engine/judging/requirement.ts'
import { MODES, type ModeId } from './mode.ts'
import type { ProvedMutants } from './mutants/proved-mutants.ts'
import { faultOf, isFault, type Kind, type Subject } from './subject.ts'
import type { TrialRun } from './trial-run.ts'

/** The whole proof, as `reports/proof.json` holds it; its shape is `spec/proof.schema.json`. */
export interface Proof {
  readonly formatVersion: 1
  readonly suite: { readonly name: string; readonly version: string }
  readonly seed: number
  /** Whether every fault and variant was judged in every mode; a part can't tell which requirements are idle. */
  readonly whole: boolean
  readonly startedAt: string
  readonly finishedAt: string
  readonly runs: number
  readonly requests: number
  readonly modes: readonly ProvedMode[]
  readonly faults: readonly ProvedFault[]
  readonly variants: readonly ProvedVariant[]
  readonly requirements: readonly ProvedRequirement[]
  /** Faults judged on data that lacks much, where a requirement may fail or say what is missing, and not pass. */
  readonly poorData: { readonly runs: number; readonly caught: number; readonly notExercised: number }
  /** Services with two faults at once, one of them a type that is wrong throughout: both requirements must fail. */
  readonly pairs: { readonly runs: number; readonly bothCaught: number }
  /** What a person is shown of single faults, with everything given: how many had one problem, the most that one had, and how many were named for a requirement of the first. */
  readonly headlines: { readonly faults: number; readonly one: number; readonly most: number; readonly first: number }
  readonly problems: Problems
  /** What became of the mutants, which are judged apart from all else. */
  readonly mutants?: ProvedMutants
}

interface ProvedMode {
  readonly id: ModeId
  readonly title: string
  readonly faults: Tally
  readonly derivedFaults: Tally
  /** Services judged that deviate within what the document allows, and how many of them failed anything. */
  readonly variants: { readonly judged: number; readonly accused: number }
}

interface Tally {
  readonly catchable: number
  readonly caught: number
}

export interface ProvedFault {
  readonly name: string
  readonly derived: boolean
  readonly sentence: string
  readonly area: Area
  readonly level: Level
  readonly caughtBy: string
  readonly needs: readonly Need[]
  readonly because?: string
  /** The requirements that failed, in each mode in which the fault can be caught. */
  readonly failed: Readonly<Partial<Record<ModeId, readonly string[]>>>
}

interface ProvedVariant {
  readonly name: string
  readonly kind: Kind
  readonly modes: readonly ModeId[]
  /** Whether any request was answered otherwise than by the reference service; if not, no run came to what differs. */
  readonly differs: boolean
}

interface ProvedRequirement {
  readonly id: string
  readonly level: Level
  readonly title: string
  /** How many faults it catches in any mode. */
  readonly faults: number
  readonly derivedFaults: number
  /** Faults written by hand that nothing else catches, in any mode. */
  readonly only: readonly string[]
}

/** All that makes a proof fail. */
export interface Problems {
  /** Faults that nothing caught in a mode in which they can be caught. */
  readonly survivors: readonly Place[]
  /** Faults that were caught, and not by the requirement that is named for them. */
  readonly caughtOnlyByAnother: readonly (Place & { readonly caughtBy: string; readonly failed: readonly string[] })[]
  readonly falseAlarms: readonly (Place & { readonly findings: readonly string[] })[]
  /** Requirements that passed on poor data, though the fault that is named for them showed in the answers. */
  readonly vacuous: readonly (Place & { readonly lack: string; readonly caughtBy: string })[]
  /** Requirements that did not fail on a service that has, besides the fault named, another one. */
  readonly hidden: readonly (Place & { readonly besides: string; readonly hidden: readonly string[] })[]
  /** Single faults shown as more than three problems or, where that is so of more than one in twenty, as more than one. */
  readonly scattered: readonly (Place & { readonly shownAs: number })[]
  readonly broken: readonly (Place & { readonly reasons: readonly string[] })[]
  /** Faults and variants that answered every request of every run as the reference service does. */
  readonly unchanged: readonly string[]
  /** Requirements that catch nothing. */
  readonly idle: readonly string[]
}

interface Place {
  readonly name: string
  readonly mode: ModeId
}

/** What a proof is made of, beside its runs. */
export interface Circumstances {
  readonly suite: Proof['suite']
  readonly seed: number
  readonly whole: boolean
  readonly startedAt: Date
  readonly register: readonly Requirement[]
}

/** Draws up the proof from its runs. */
export function proofOf(circumstances: Circumstances, everyRun: readonly TrialRun[]): Proof {
  // On poor data a fault may well not show, and beside another it is judged by two requirements alone.
  const onPoorData = everyRun.filter(({ lack }) => lack !== undefined)
  const inPairs = everyRun.filter(({ besides }) => besides !== undefined)
  const runs = everyRun.filter(({ lack, besides }) => lack === undefined && besides === undefined)
  const { suite, seed, whole, startedAt } = circumstances
  const demands = circumstances.register.filter(({ level }) => level !== 'observed')
  const requirements = provedRequirements(demands, runs)
  return {
    formatVersion: 1,
    suite,
    seed,
    whole,
    startedAt: startedAt.toISOString(),
    finishedAt: new Date().toISOString(),
    runs: everyRun.length,
    requests: everyRun.reduce((sum, run) => sum + run.requests, 0),
    modes: MODES.filter(({ id }) => runs.some(({ mode }) => mode === id)).map(({ id, title }) =>
      provedMode(id, title, runs),
    ),
    faults: bySubject(runs.filter(({ subject }) => isFault(subject))).map(provedFault),
    variants: bySubject(runs.filter(({ subject }) => !isFault(subject))).map((of) => ({
      name: of[0]!.subject.name,
      kind: of[0]!.subject.kind,
      modes: of.map(({ mode }) => mode),
      differs: of.some(({ differs }) => differs),
    })),
    requirements,
    poorData: {
      runs: onPoorData.length,
      caught: onPoorData.filter(isCaught).length,
      notExercised: onPoorData.filter(isDenied).length,
    },
    pairs: { runs: inPairs.length, bothCaught: inPairs.filter((run) => hiddenBy(run).length === 0).length },
    headlines: headlinesOf(shownWhole(runs)),
    problems: problemsOf({ runs, onPoorData, inPairs }, requirements, whole),
  }
}

/** Whether nothing stands against the proof, its mutants aside. */
export function holds({ problems }: Proof): boolean {
  return Object.values(problems).every((list: readonly unknown[]) => list.length === 0)
}

/** Single faults judged with everything given by more than the requirement named for them. */
function shownWhole(runs: readonly TrialRun[]): readonly TrialRun[] {
  return runs.filter(
    (run) => run.subject.kind === 'fault' && run.mode === 'everything' && run.judges !== 'named' && isCaught(run),
  )
}

/** A fault is one problem, as a rule: 19 in 20 are, of a part of all faults as far as chance allows, and none is more than three. */
function scattered(runs: readonly TrialRun[], whole: boolean): Problems['scattered'] {
  const usual = runs.length / 20
  const allowed = whole ? usual : usual + 2 * Math.sqrt(usual)
  const most = runs.filter(({ problems }) => problems.length > 1).length > allowed ? 1 : 3
  return runs
    .filter(({ problems }) => problems.length > most)
    .map((run) => ({ ...place(run), shownAs: run.problems.length }))
}

function headlinesOf(runs: readonly TrialRun[]): Proof['headlines'] {
  return {
    faults: runs.length,
    one: runs.filter(({ problems }) => problems.length === 1).length,
    most: Math.max(0, ...runs.map(({ problems }) => problems.length)),
    first: runs.filter(({ subject, problems }) => problems[0]?.includes(faultOf(subject).caughtBy)).length,
  }
}

function provedMode(id: ModeId, title: string, runs: readonly TrialRun[]): ProvedMode {
  const inMode = runs.filter(({ mode }) => mode === id)
  const tally = (kind: Kind): Tally => {
    const ofKind = inMode.filter(({ subject }) => subject.kind === kind)
    return { catchable: ofKind.length, caught: ofKind.filter(isCaught).length }
  }
  const variantRuns = inMode.filter(({ subject }) => !isFault(subject))
  return {
    id,
    title,
    faults: tally('fault'),
    derivedFaults: tally('derived'),
    variants: { judged: variantRuns.length, accused: variantRuns.filter(isCaught).length },
  }
}

function provedFault(runs: readonly TrialRun[]): ProvedFault {
  const { subject } = runs[0]!
  const { name, sentence, area, level, caughtBy, needs, because } = faultOf(subject)
  const failed = Object.fromEntries(runs.map(({ mode, failed: ids }) => [mode, Object.keys(ids)]))
  const derived = subject.kind === 'derived'
  return { name, derived, sentence, area, level, caughtBy, needs, ...(because !== undefined && { because }), failed }
}

function provedRequirements(demands: readonly Requirement[], runs: readonly TrialRun[]): ProvedRequirement[] {
  const caught = bySubject(runs.filter(({ subject }) => isFault(subject))).map((of) => ({
    subject: of[0]!.subject,
    by: new Set(of.flatMap(({ failed }) => Object.keys(failed))),
  }))
  return demands.map(({ id, level, title }) => {
    const mine = caught.filter(({ by }) => by.has(id))
    const byHand = mine.filter(({ subject }) => subject.kind === 'fault')
    return {
      id,
      level,
      title,
      faults: byHand.length,
      derivedFaults: mine.length - byHand.length,
      only: byHand.filter(({ by }) => by.size === 1).map(({ subject }) => subject.name),
    }
  })
}

function problemsOf(
  { runs, onPoorData, inPairs }: Readonly<Record<'runs' | 'onPoorData' | 'inPairs', readonly TrialRun[]>>,
  requirements: readonly ProvedRequirement[],
  whole: boolean,
): Problems {
  const faults = runs.filter(({ subject }) => isFault(subject))
  return {
    survivors: faults.filter((run) => !isCaught(run)).map(place),
    caughtOnlyByAnother: faults
      .filter((run) => isCaught(run) && !(faultOf(run.subject).caughtBy in run.failed))
      .map((run) => ({ ...place(run), caughtBy: faultOf(run.subject).caughtBy, failed: Object.keys(run.failed) })),
    falseAlarms: runs
      .filter((run) => !isFault(run.subject) && isCaught(run))
      .map((run) => ({ ...place(run), findings: Object.values(run.failed).flat() })),
    vacuous: onPoorData
      .filter((run) => run.differs && !isCaught(run) && !isDenied(run) && !isBroken(run))
      .map((run) => ({ ...place(run), lack: run.lack!, caughtBy: faultOf(run.subject).caughtBy })),
    hidden: inPairs
      .filter((run) => hiddenBy(run).length > 0)
      .map((run) => ({ ...place(run), besides: run.besides!, hidden: hiddenBy(run) })),
    scattered: scattered(shownWhole(runs), whole),
    broken: [...runs, ...onPoorData, ...inPairs].filter(isBroken).map((run) => ({
      ...place(run),
      reasons: Object.entries(run.broken).map(([id, reasons]) => `${id}: ${reasons.join(' ')}`),
    })),
    unchanged: unchanged(runs.filter(({ subject }) => isFault(subject) || subject.kind === 'variant')),
    idle: (whole ? requirements : []).filter((one) => one.faults + one.derivedFaults === 0).map(({ id }) => id),
  }
}

function place({ subject, mode }: TrialRun): Place {
  return { name: subject.name, mode }
}

/** Faults or variants, each by itself, whose every run was answered as the reference service answers. */
function unchanged(runs: readonly TrialRun[]): string[] {
  return bySubject(runs)
    .filter((of) => of.every(({ differs }) => !differs))
    .map((of) => of[0]!.subject.name)
}

/** Of two faults that a service has at once, the requirements named for them that did not fail. */
function hiddenBy({ subject, besides, failed }: TrialRun): string[] {
  const names = [subject.name, ...(besides === undefined ? [] : [besides])]
  return names.map((name) => faultOf({ kind: 'fault', name }).caughtBy).filter((id) => !(id in failed))
}

/** Whether the requirement that is named for the fault says that the data can't tell. */
function isDenied({ subject, notExercised }: TrialRun): boolean {
  return notExercised.includes(faultOf(subject).caughtBy)
}

function isBroken({ broken }: TrialRun): boolean {
  return Object.keys(broken).length > 0
}

function isCaught({ failed }: TrialRun): boolean {
  return Object.keys(failed).length > 0
}

/** Runs of the same subject together, in the order of their first. */
function bySubject(runs: readonly TrialRun[]): TrialRun[][] {
  const groups = new Map<string, TrialRun[]>()
  for (const run of runs) {
    const group = groups.get(keyOf(run.subject))
    if (group) group.push(run)
    else groups.set(keyOf(run.subject), [run])
  }
  return [...groups.values()]
}

function keyOf({ kind, name }: Subject): string {
  return `${kind} ${name}`
}
