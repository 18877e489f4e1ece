import type { Level, Outcome } from './requirement.ts'
import type { RunSettings } from './settings.ts'

export const VERDICTS = ['conformant', 'incomplete', 'nonconformant', 'broken'] as const
export type Verdict = (typeof VERDICTS)[number]

interface Judged {
  readonly requirement: { readonly level: Level }
  readonly outcome: Outcome
}

/** The verdict on a target: `broken` where the suite went wrong and nothing was found. */
export function verdictOn(results: readonly Judged[], level: RunSettings['level']): Verdict {
  const outcomes = new Set<Outcome>(
    results.filter(({ requirement }) => counts(requirement.level, level)).map(({ outcome }) => outcome),
  )
  if (outcomes.has('failed')) return 'nonconformant'
  if (results.some(({ outcome }) => outcome === 'broken')) return 'broken'
  return outcomes.has('not exercised') || outcomes.size === 0 ? 'incomplete' : 'conformant'
}

/** Whether requirements of a level decide the verdict. */
export function counts(level: Level, deciding: RunSettings['level']): boolean {
  return level === 'stated' || (level === 'implied' && deciding === 'implied')
}
