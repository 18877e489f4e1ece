import { combine, type Combination } from '../../fixtures/faults/combinations.ts'
import { derivedFaults, type DerivedFault } from '../../fixtures/faults/derived/derived-faults.ts'
import { faults, variants, type Deviation, type Fault } from '../../fixtures/faults/index.ts'
import type { Requirement } from '../engine/requirement.ts'

/** What a proof is made of: services that deviate from the reference service, and the service itself. */
export type Kind = 'plain' | 'fault' | 'derived' | 'variant' | 'pairs' | 'random'

/** A service of a proof, in a form that can be sent to another process. */
export interface Subject {
  readonly kind: Kind
  /** Name of the fault or variant. */
  readonly name: string
  /** The variants that the service has at once. */
  readonly combination?: Combination
}

export const PLAIN: Subject = { kind: 'plain', name: 'the reference service' }

const faultsByName = new Map([...faults, ...derivedFaults].map((fault) => [fault.name, fault]))

/** The fault that a subject is. */
export function faultOf({ name }: Subject): Fault {
  const fault = faultsByName.get(name)
  if (!fault) throw new Error(`no fault is named ${name}`)
  return fault
}

export function isFault({ kind }: Subject): boolean {
  return kind === 'fault' || kind === 'derived'
}

/** How the subject's service deviates from the reference service. */
export function deviationsOf(subject: Subject): readonly Deviation[] {
  if (subject.kind === 'plain') return []
  if (isFault(subject)) return [faultOf(subject).deviation]
  return [combine(subject.combination ?? [subject.name]).deviation]
}

/**
 * The requirements that a subject is judged by. What only observes can catch no fault. A fault derived from the
 * contract is in the values of one operation's answers: it is judged by what weighs all answers of that operation.
 */
export function requirementsFor(subject: Subject, register: readonly Requirement[]): readonly Requirement[] {
  if (!isFault(subject)) return register
  const demands = register.filter(({ level }) => level !== 'observed')
  if (subject.kind === 'fault') return demands
  const { operation } = faultOf(subject) as DerivedFault
  return demands.filter(
    ({ id, turn, operations }) =>
      operations.includes(operation) &&
      // Without the last, nothing is updated, and but one tag is fetched, where the wrong one may be another.
      (turn === 'everything' || operation === 'updateContact' || id === 'getTag.tags.each'),
  )
}

/** Every subject of the proof but the plain service. */
export function allSubjects(pairs: readonly Combination[], random: readonly Combination[]): Subject[] {
  return [
    ...faults.map(({ name }): Subject => ({ kind: 'fault', name })),
    ...variants.map(({ name }): Subject => ({ kind: 'variant', name })),
    ...pairs.map((combination): Subject => ({ kind: 'pairs', name: combination.join(' + '), combination })),
    ...random.map((combination): Subject => ({ kind: 'random', name: combination.join(' + '), combination })),
    ...derivedFaults.map(({ name }): Subject => ({ kind: 'derived', name })),
  ]
}
