import type { SimpleFaker } from '@faker-js/faker'
import { canCatch, type Mode, type ModeId } from './mode.ts'
import { faultOf, isFault, variantOf, type Subject } from './subject.ts'

/** A subject to be judged, as a run of one mode does. */
export interface Assignment {
  readonly subject: Subject
  readonly mode: ModeId
  /** By every requirement, or first by the one that must catch the fault, and by the others only where it doesn't. */
  readonly by: 'every requirement' | 'the one named'
}

/** How many of the faults derived from the contract are judged in more than one mode. */
const DERIVED_IN_EVERY_MODE = 100

export interface Scope {
  readonly modes: readonly Mode[]
  /** Judges everything by every requirement in every mode, which takes several times as long. */
  readonly everyMode: boolean
}

/**
 * What is to be judged in which mode. A fault is judged by every requirement in the poorest mode that can catch it; a
 * richer run asks the same and more, so there it is enough that the named requirement catches it too, which for those
 * derived from the contract is tried on some. A combination of variants is judged in one mode, which SEED draws.
 */
export function assign(subjects: readonly Subject[], { modes, everyMode }: Scope, random: SimpleFaker): Assignment[] {
  const derived = subjects.filter(({ kind }) => kind === 'derived')
  const tried = new Set(random.helpers.arrayElements(derived, DERIVED_IN_EVERY_MODE))
  const assignments = subjects.flatMap((subject): Assignment[] => {
    const possible = modes.filter((mode) => shows(subject, mode))
    const inMode = (mode: Mode, by: Assignment['by'] = 'every requirement'): Assignment => ({
      subject,
      mode: mode.id,
      by,
    })
    if (everyMode || subject.kind === 'plain' || subject.kind === 'variant') return possible.map((mode) => inMode(mode))
    if (!isFault(subject)) return [inMode(random.helpers.arrayElement(possible))]
    const [poorest, ...richer] = possible
    const again = subject.kind === 'fault' || tried.has(subject) ? richer : []
    return [...(poorest ? [inMode(poorest)] : []), ...again.map((mode) => inMode(mode, 'the one named'))]
  })
  // The richest runs take longest, so they begin first.
  return modes.toReversed().flatMap(({ id }) => assignments.filter(({ mode }) => mode === id))
}

/** Whether a run of the mode can come to what is different: a fault that it can catch, or an update. */
function shows(subject: Subject, mode: Mode): boolean {
  if (isFault(subject)) return canCatch(mode, faultOf(subject))
  return subject.kind !== 'variant' || variantOf(subject).area !== 'updates' || mode.gives.includes('writes')
}
