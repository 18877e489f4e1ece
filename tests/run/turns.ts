import type { Requirement } from '../engine/requirement.ts'

/** The turns of a run in their order: what weighs every answer must come last, and writing must not disturb reading. */
export const TURNS: readonly { readonly name: string; readonly turn: Requirement['turn']; readonly tag: string }[] = [
  { name: 'reading', turn: undefined, tag: '@reading' },
  { name: 'updating', turn: 'writes', tag: '@updating' },
  { name: 'summing up', turn: 'everything', tag: '@summing-up' },
]

/** The tag by which a requirement's test is taken in its turn. */
export function turnTag(requirement: Requirement): string {
  return TURNS.find(({ turn }) => turn === requirement.turn)!.tag
}
