import type { SimpleFaker } from '@faker-js/faker'
import { sweepingFaults } from '../../fixtures/faults/index.ts'
import { canCatch, type Mode, type ModeId } from './mode.ts'
import { POOREST, type Poor } from './poor-data.ts'
import { derivedTogether, faultOf, isFault, variantOf, type Judges, type Subject } from './subject.ts'

/** A subject to be judged, as a run of one mode does. */
export interface Assignment {
  readonly subject: Subject
  readonly mode: ModeId
  /** Where the one named does not catch the fault, those related to it try. */
  readonly judges: Judges
  /** What the service's data lacks: the named requirement must not pass while the fault shows. */
  readonly lack?: Poor
  /** Name of a fault that the service has too: neither may hide the other. */
  readonly besides?: string
  /** Id of the one requirement that judges a conformant service. */
  readonly only?: string
}

/** Kinds of subjects, those that take longest first. */
const KINDS: readonly (readonly Subject['kind'][])[] = [
  ['random', 'data', 'pairs'],
  ['plain', 'fault', 'variant', 'regression'],
  ['derived'],
]

/** Of what there is too much of to be judged at once, as many are drawn: five seeds come to most of it. */
const DRAWN_IN_EVERY_MODE = 3

export interface Scope {
  readonly modes: readonly Mode[]
  /** Judges every variant by all requirements in every mode, and more of what is drawn otherwise; it takes about twice as long. */
  readonly everyMode: boolean
  /** Id of the one requirement that judges conformant services, where it is not all. */
  readonly requirement: string | undefined
}

/**
 * What is to be judged in which mode. A fault must be caught by the requirement named for it in each mode that can catch
 * it, and is judged by all that are related to it in the richest. Those derived from the contract share services, in the
 * poorest mode and the richest. A combination of variants is judged in one mode, which SEED draws; in every mode,
 * with everything given too.
 */
export function assign(
  subjects: readonly Subject[],
  { modes, everyMode, requirement }: Scope,
  random: SimpleFaker,
): Assignment[] {
  const services = [...subjects.filter((one) => !isDerived(one)), ...derivedTogether(subjects.filter(isDerived))]
  const assignments = services.flatMap((subject): Assignment[] => {
    const possible = modes.filter((mode) => shows(subject, mode)).map(({ id }) => id)
    if (isDerived(subject)) {
      const chosen = everyMode ? possible : new Set([possible[0]!, possible.at(-1)!])
      return [...chosen].map((mode) => ({ subject, mode, judges: 'related' }))
    }
    if (isFault(subject)) {
      // What a person is shown of a fault is told by all that it makes fail.
      const inModes = possible.map((mode): Assignment => ({
        subject,
        mode,
        judges: mode === 'everything' ? 'related' : 'named',
      }))
      return [
        ...inModes,
        ...onPoorData(subject, possible, everyMode, random),
        ...inPairs(subject, possible, everyMode, random),
      ]
    }
    if (requirement !== undefined) return possible.map((mode) => ({ subject, mode, judges: 'all', only: requirement }))
    const isCombined = ['pairs', 'random', 'data'].includes(subject.kind)
    const richest = everyMode ? possible.slice(-1) : []
    const chosen = isCombined ? new Set([random.helpers.arrayElement(possible), ...richest]) : possible
    return [...chosen].map((mode) => ({ subject, mode, judges: everyMode ? 'all' : judgesIn(mode, isCombined) }))
  })
  // What takes longest begins first, or all the rest waits for it in the end: combinations, which are throttled and slow
  // at once, then the richest runs; those derived from the contract are done in no time.
  const rank = (one: Assignment): number => KINDS.findIndex((kinds) => kinds.includes(one.subject.kind))
  return modes
    .toReversed()
    .flatMap(({ id }) => assignments.filter(({ mode }) => mode === id))
    .toSorted((a, b) => rank(a) - rank(b))
}

/** A fault written by hand on poor data, where a run has everything: on some that SEED draws. */
function onPoorData(
  subject: Subject,
  possible: readonly ModeId[],
  everyMode: boolean,
  random: SimpleFaker,
): readonly Assignment[] {
  const mode = possible.at(-1)
  // What a field must be is told value by value: the fault may well be in others.
  if (mode !== 'everything' || /^[A-Z]/.test(faultOf(subject).caughtBy)) return []
  const telling = POOREST.filter((lack) => !faultOf(subject).allowedOn?.includes(lack))
  const lacks = random.helpers.arrayElements(telling, everyMode ? DRAWN_IN_EVERY_MODE : 1)
  return lacks.map((lack) => ({ subject, mode, judges: 'named', lack }))
}

/** A fault in what a service does, beside types that are wrong throughout: some that SEED draws. */
function inPairs(
  subject: Subject,
  possible: readonly ModeId[],
  everyMode: boolean,
  random: SimpleFaker,
): readonly Assignment[] {
  const mode = possible.at(-1)
  if (mode === undefined || faultOf(subject).level === 'stated') return []
  const { caughtBy: named, notBeside } = faultOf(subject)
  const [operation] = named.split('.')
  // A list that can't be read hides what is wrong in it.
  // Where ids are the target's own, a record is known by its text, in which such a fault may be.
  const isByText = named.includes('.known.')
  const others = sweepingFaults.filter(
    ({ name, caughtBy }) =>
      !caughtBy.startsWith(`${operation}.answer.`) &&
      !(isByText && name === 'every-id-is-a-number') &&
      !notBeside?.includes(name),
  )
  const chosen = random.helpers.arrayElements(others, everyMode ? DRAWN_IN_EVERY_MODE : 1)
  return chosen.map(({ name }) => ({ subject, mode, judges: 'named', besides: name }))
}

/** What only observes judges in the richest mode, where a run comes to most that differs; other modes add little each. */
function judgesIn(mode: ModeId, isCombined: boolean): Judges {
  if (mode === 'everything') return 'all'
  return isCombined || mode === 'read-only' ? 'demands' : 'by what is given'
}

/** Whether a run of the mode can come to what is different: a fault that it can catch, or an update. */
function shows(subject: Subject, mode: Mode): boolean {
  if (isFault(subject)) return canCatch(mode, faultOf(subject))
  if (subject.kind === 'plain' || mode.gives.includes('writes')) return true
  const names = subject.combination ?? [subject.name]
  return names.length === 0 || names.some((name) => variantOf({ name }).area !== 'updates')
}

function isDerived({ kind }: Subject): boolean {
  return kind === 'derived'
}
