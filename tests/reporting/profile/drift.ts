import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../engine/data/records.ts'
import { grouped } from '../../engine/data/grouped.ts'
import type { ReportedDrift } from '../result/report-format.ts'

/** One difference between what is pinned and what is observed. */
interface Difference {
  /** The member of the observation that it is in, where that is an object. */
  readonly member?: string
  /** Undefined where a value has come to those of a list. */
  readonly pinned?: unknown
  /** Undefined where a value has gone from those of a list. */
  readonly observed?: unknown
}

type Values = Pick<ReportedDrift, 'pinned' | 'observed'>

/**
 * Where an observation is no longer as it was pinned. A list is of values seen, so that only a new one is a difference;
 * members of an object are compared one by one, and one that only one of both has is none.
 * @param isTwoWay what only the pinned has is a difference, too, and a member that only one of both has.
 */
export function differences({ pinned, observed }: Values, isTwoWay = false): readonly Difference[] {
  if (Array.isArray(pinned) && Array.isArray(observed)) {
    const gone = isTwoWay ? pinned.filter((value) => !has(observed, value)) : []
    const come = observed.filter((value) => !has(pinned, value))
    return [
      ...gone.map((value): Difference => ({ pinned: value })),
      ...come.map((value): Difference => ({ observed: value })),
    ]
  }
  if (isObject(pinned) && isObject(observed))
    return Object.keys(isTwoWay ? { ...pinned, ...observed } : pinned)
      .filter((member) => isTwoWay || member in observed)
      .flatMap((member) =>
        differences({ pinned: pinned[member], observed: observed[member] }, isTwoWay).map((one) => ({
          ...one,
          member,
        })),
      )
  return isDeepStrictEqual(pinned, observed) ? [] : [{ pinned, observed }]
}

/** Whether an observation has members that are not pinned. */
export function hasNewMembers({ pinned, observed }: Values): boolean {
  return isObject(pinned) && isObject(observed) && Object.keys(observed).some((member) => !(member in pinned))
}

/** What is pinned once what was observed is accepted: what was not seen this time stays. */
export function accepted({ pinned, observed }: Values): unknown {
  if (Array.isArray(observed)) {
    const before: readonly unknown[] = Array.isArray(pinned) ? pinned : []
    return [...before, ...observed.filter((value) => !has(before, value))].toSorted()
  }
  if (!isObject(observed)) return observed
  const before = isObject(pinned) ? pinned : {}
  const members = Object.keys({ ...before, ...observed }).toSorted()
  return Object.fromEntries(
    members.map((member) => [
      member,
      member in observed ? accepted({ pinned: before[member], observed: observed[member] }) : before[member],
    ]),
  )
}

/**
 * A drift as lines of a diff: what was pinned after a minus, what was observed after a plus. Members that differ in the same
 * way stand above them, once.
 */
export function driftLines(drift: Values, isTwoWay = false): string[] {
  const told = differences(drift, isTwoWay).map(({ member = '', ...values }) => ({ member, lines: linesOf(values) }))
  return grouped(told, ({ lines }) => lines.join('\n')).flatMap(([, same]) => {
    const members = [...new Set(same.map(({ member }) => member))].join(', ')
    return [...(members === '' ? [] : [`${members}:`]), ...same[0]!.lines]
  })
}

function linesOf({ pinned, observed }: Difference): string[] {
  return [...lineOf('-', pinned), ...lineOf('+', observed)]
}

function lineOf(sign: string, value: unknown): string[] {
  return value === undefined ? [] : [`${sign} ${JSON.stringify(value)}`]
}

function has(values: readonly unknown[], value: unknown): boolean {
  return values.some((one) => isDeepStrictEqual(one, value))
}
