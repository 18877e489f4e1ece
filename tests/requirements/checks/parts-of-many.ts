import { orElse } from '../../engine/or-else.ts'
import type { Trial } from '../../engine/trial.ts'
import type { Searched } from '../operations.ts'
import { countsOfParts, partsOf } from './name-parts.ts'
import { everySearchable } from './searchable.ts'

const PARTS_TRIED = 3
/** Share of the records that a search best finds: as many as may be told from each other, and from those it leaves out. */
const BEST_SHARE = 1 / 3
/** How far from it a share may be. */
const GOOD_ENOUGH = 1 / 6
/** Two letters that no name has. */
const SHORT_TEXT = 'qx'

/**
 * Parts of a name that many records have, and more have not: the same for each company, as what is kept of the answer to
 * one is none for the other.
 */
export async function partsOfMany(trial: Trial, operation: Searched): Promise<string[]> {
  // Many a search ignores a text so short, and then finds all that it does not hide.
  const isShortIgnored = (await trial.as('main').searched(operation, SHORT_TEXT)).records.length > 0
  const [names = [], others] = await trial.each(trial.session.run.credentials.companies, async (company) => {
    const candidates = await orElse(everySearchable(trial.as(company), operation, 'any'), [])
    return candidates.map(({ texts }) => texts[0]!)
  })
  return names.length > 0 ? ranked(names, isShortIgnored ? [3] : [2, 3], others) : []
}

/** The same, of the records' own texts, such as the last message of a ticket. */
export async function partsOfOwnTexts(trial: Trial, operation: Searched): Promise<string[]> {
  const candidates = await everySearchable(trial, operation, 'certain')
  return ranked(
    candidates.flatMap(({ texts }) => texts.slice(1).slice(-1)),
    [3],
  )
}

/** The parts that are nearest to the best share of some texts and, where several are near enough, of others' as well. */
function ranked(texts: readonly string[], lengths: readonly number[], others: readonly string[] = []): string[] {
  const [own, ofOthers] = [texts, others].map((some) => {
    const counts = countsOfParts(some, (text) => lengths.flatMap((length) => partsOf(text, length)))
    return { counts, apart: (part: string) => Math.abs((counts.get(part) ?? 0) / some.length - BEST_SHARE) }
  })
  return [...own!.counts.keys()]
    .map((part) => {
      const apart = own!.apart(part)
      return { part, order: [Math.max(apart, GOOD_ENOUGH), others.length > 0 ? ofOthers!.apart(part) : 0, apart] }
    })
    .toSorted((a, b) => compare(a.order, b.order) || a.part.localeCompare(b.part))
    .slice(0, PARTS_TRIED)
    .map(({ part }) => part)
}

function compare(a: readonly number[], b: readonly number[]): number {
  return a.map((one, at) => one - b[at]!).find((difference) => difference !== 0) ?? 0
}
