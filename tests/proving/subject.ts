import type { SimpleFaker } from '@faker-js/faker'
import {
  combine,
  ONCE_ACCUSED,
  pairwiseCombinations,
  randomCombinations,
  type Combination,
} from '../../fixtures/faults/variants/combinations.ts'
import { derivedFaults, sharingServices, type DerivedFault } from '../../fixtures/faults/derived/derived-faults.ts'
import { faults, variants, type Deviation, type Fault, type Need, type Variant } from '../../fixtures/faults/index.ts'
import type { Contract, OperationId } from '../engine/contract.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { answers } from '../requirements/answers.ts'
import { fields } from '../requirements/fields.ts'
import { isolation } from '../requirements/isolation.ts'
import { knownAnswers } from '../requirements/known-answers.ts'
import { paging } from '../requirements/paging.ts'
import { register } from '../requirements/register.ts'
import { tags } from '../requirements/tags.ts'

/** What a proof is made of: services that deviate from the reference service, and the service itself. */
export type Kind = 'plain' | 'fault' | 'derived' | 'variant' | 'regression' | 'pairs' | 'random' | 'data'

/** A service of a proof, in a form that can be sent to another process. */
export interface Subject {
  readonly kind: Kind
  /** Name of the fault or variant. */
  readonly name: string
  /** The variants that the service has at once. */
  readonly combination?: Combination
  /** The number that draws the data it holds, where that is not the published one. */
  readonly data?: number
  /** Of a fault derived from the contract: the names of others that the same service has. */
  readonly together?: readonly string[]
}

export const PLAIN: Subject = { kind: 'plain', name: 'the reference service' }

const faultsByName = new Map([...faults, ...derivedFaults].map((fault) => [fault.name, fault]))

/** The fault that a subject is. */
export function faultOf({ name }: Subject): Fault {
  const fault = faultsByName.get(name)
  if (!fault) throw new Error(`no fault is named ${name}`)
  return fault
}

/** The faults that a service has, one by one. */
export function eachFault({ together = [], ...subject }: Subject): readonly Subject[] {
  return [subject, ...together.map((name): Subject => ({ ...subject, name }))]
}

/** Puts faults derived from the contract that do not touch each other into services that have many of them at once. */
export function derivedTogether(subjects: readonly Subject[]): Subject[] {
  return sharingServices(subjects.map((subject) => faultOf(subject) as DerivedFault)).map(([first, ...others]) => ({
    kind: 'derived',
    name: first!.name,
    together: others.map(({ name }) => name),
  }))
}

/** The single variant that a subject is. */
export function variantOf({ name }: Pick<Subject, 'name'>): Variant {
  const variant = variants.find((one) => one.name === name)
  if (!variant) throw new Error(`no variant is named ${name}`)
  return variant
}

export function isFault({ kind }: Subject): boolean {
  return kind === 'fault' || kind === 'derived'
}

/** How the subject's service deviates from the reference service. */
export function deviationsOf(subject: Subject): readonly Deviation[] {
  if (subject.kind === 'plain') return []
  if (isFault(subject)) return eachFault(subject).map((one) => faultOf(one).deviation)
  const { besides } = subject.combination ? {} : variantOf(subject)
  return [combine(subject.combination ?? [...(besides ? [besides] : []), subject.name]).deviation]
}

const MOST_DATA = 999_999

/** Without it one tag is fetched, and the wrong one may be another. */
const FETCHES_EVERY_TAG = 'getTag.tags.each'

/** Which requirements are to judge a subject. */
export type Judges =
  /** Every one, those that only observe included: any may accuse a variant, or break. */
  | 'all'
  /** Every one that can fail. */
  | 'demands'
  /** Those to which what the mode gives makes a difference. */
  | 'by what is given'
  /** Those that can catch the fault: of its operations, and of the form of answers where it was derived from the contract. */
  | 'related'
  /** The one that must catch the fault. */
  | 'named'

/** Tells the requirements that judge a subject. */
export function judgesOf(
  contract: Contract,
): (subject: Subject, judges: Judges, gives: readonly Need[]) => readonly Requirement[] {
  const every = register(contract)
  const demands = every.filter(({ level }) => level !== 'observed')
  const form = [...answers, ...fields(contract)]
  const byNeed: Readonly<Record<Need, readonly Requirement[]>> = {
    dataset: [...knownAnswers, ...paging, ...isolation],
    otherToken: isolation,
    writes: demands.filter(({ operations }) => operations.includes('updateContact')),
  }
  const tagByTag = tags.filter(({ id }) => id === FETCHES_EVERY_TAG)
  return (subject, judges, gives) => {
    if (judges === 'all') return every
    if (judges === 'demands') return demands
    if (judges === 'by what is given') return [...new Set(gives.flatMap((need) => byNeed[need]))]
    const fault = faultOf(subject)
    const related = 'operation' in fault ? formOf(fault.operation as OperationId) : relatedTo(fault.caughtBy)
    return judges === 'related' ? related : related.filter(({ id }) => id === fault.caughtBy)
  }

  function relatedTo(named: string): readonly Requirement[] {
    const { operations } = demands.find(({ id }) => id === named)!
    return demands.filter((one) => one.operations.some((operation) => operations.includes(operation)))
  }

  function formOf(operation: OperationId): readonly Requirement[] {
    // A field that other operations return too is looked for in the answers of this one alone.
    const ofOperation = form
      .filter(({ operations }) => operations.includes(operation))
      .map((requirement) => ({ ...requirement, operations: [operation] }))
    return operation === 'getTag' ? [...tagByTag, ...ofOperation] : ofOperation
  }
}

function combined(kind: Kind, combinations: readonly Combination[]): Subject[] {
  return combinations.map((combination) => ({ kind, name: combination.join(' + '), combination }))
}

/** So many services on data as nobody thought of: the plain one, one variant or many at once. */
export function onRandomData(random: SimpleFaker, count: number): Subject[] {
  return Array.from({ length: count }, () => {
    const data = random.number.int(MOST_DATA)
    const [several] = randomCombinations(random, 1)
    const { name, besides } = random.helpers.arrayElement(variants)
    const combination = random.helpers.arrayElement([[], [...(besides ? [besides] : []), name], several!])
    return { kind: 'data', name: `${combination.join(' + ') || PLAIN.name} on data ${data}`, combination, data }
  })
}

/** Every subject of the proof but the plain service, with some that are drawn. */
export function allSubjects(random: readonly Combination[], onData: readonly Subject[]): Subject[] {
  return [
    ...faults.map(({ name }): Subject => ({ kind: 'fault', name })),
    ...variants.map(({ name }): Subject => ({ kind: 'variant', name })),
    ...combined('regression', ONCE_ACCUSED),
    ...combined('pairs', pairwiseCombinations()),
    ...combined('random', random),
    ...onData,
    ...derivedFaults.map(({ name }): Subject => ({ kind: 'derived', name })),
  ]
}
