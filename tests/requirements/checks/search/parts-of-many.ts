import type { Trial } from '../../../engine/judging/trial.ts'
import type { Searched } from '../../operations.ts'
import { countsOfParts, partsOf } from './name-parts.ts'
import { everySearchable } from './searchable.ts'

const PARTS_TRIED = 3
/** Share of the records that a search best finds: as many as may be told from each other, and from those it leaves out. */
const BEST_SHARE = 1 / 3
/** Two letters that no name has. */
const SHORT_TEXT = 'qx'

/** Parts of a name that many records have, and more have not. */
export async function partsOfMany(trial: Trial, operation: Searched): Promise<string[]> {
  const candidates = await everySearchable(trial, operation, 'any')
  // Many a search ignores a text so short, and then finds all that it does not hide.
  const isShortIgnored = (await trial.as('main').searched(operation, SHORT_TEXT)).records.length > 0
  const names = candidates.map(({ texts }) => texts[0]!)
  return ranked(names, isShortIgnored ? [3] : [2, 3])
}

/** The same, of the records' own texts, such as the last message of a ticket. */
export async function partsOfOwnTexts(trial: Trial, operation: Searched): Promise<string[]> {
  const candidates = await everySearchable(trial, operation, 'certain')
  return ranked(
    candidates.flatMap(({ texts }) => texts.slice(1).slice(-1)),
    [3],
  )
}

function ranked(texts: readonly string[], lengths: readonly number[]): string[] {
  const counts = countsOfParts(texts, (text) => lengths.flatMap((length) => partsOf(text, length)))
  const distance = (count: number): number => Math.abs(count - texts.length * BEST_SHARE)
  return [...counts]
    .toSorted(([a, one], [b, other]) => distance(one) - distance(other) || a.localeCompare(b))
    .slice(0, PARTS_TRIED)
    .map(([part]) => part)
}
