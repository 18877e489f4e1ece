import type { Level, Outcome } from './requirement.ts'
import type { RunSettings } from '../settings/settings.ts'

export const VERDICTS = ['conformant', 'incomplete', 'nonconformant', 'broken'] as const
export type Verdict = (typeof VERDICTS)[number]

interface Judged {
  readonly requirement: { readonly level: Level }
  readonly outcome: Outcome
}

/** What a run as a whole ended with, besides its results. */
interface End {
  /** What could not be put back, in sentences. */
  readonly left?: readonly string[]
  /** Why the target could not be judged to the end, in a sentence. */
  readonly trouble?: string | undefined
}

/**
 * The verdict on a target: `broken` where the suite or the run went wrong and nothing was found, and wherever the target
 * is not as it was before.
 */
export function verdictOn(
  results: readonly Judged[],
  level: RunSettings['level'],
  { left = [], trouble }: End = {},
): Verdict {
  if (left.length > 0) return 'broken'
  const outcomes = new Set<Outcome>(
    results.filter(({ requirement }) => counts(requirement.level, level)).map(({ outcome }) => outcome),
  )
  if (outcomes.has('failed')) return 'nonconformant'
  if (trouble !== undefined || results.some(({ outcome }) => outcome === 'broken')) return 'broken'
  return outcomes.has('not exercised') || outcomes.size === 0 ? 'incomplete' : 'conformant'
}

/** Whether requirements of a level decide the verdict. */
export function counts(level: Level, deciding: RunSettings['level']): boolean {
  return level === 'stated' || (level === 'implied' && deciding === 'implied')
}
