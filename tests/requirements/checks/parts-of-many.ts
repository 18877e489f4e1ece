import { orElse } from '../../engine/or-else.ts'
import type { Trial } from '../../engine/trial.ts'
import type { Searched } from '../operations.ts'
import { partsOf } from './name-parts.ts'
import { everySearchable } from './searchable.ts'

const PARTS_TRIED = 3
/** Share of the records that a search best finds: as many as may be told from each other, and from those it leaves out. */
const BEST_SHARE = 1 / 3
/** Two letters that no name has. */
const SHORT_TEXT = 'qx'

/**
 * Parts of a name that many records have, and more have not: the same for each company, as what is kept of the answer to
 * one is none for the other.
 */
export async function partsOfMany(trial: Trial, operation: Searched): Promise<string[]> {
  // Many a search ignores a text so short, and then finds all that it does not hide.
  const isShortIgnored = (await trial.as('main').searched(operation, SHORT_TEXT)).records.length > 0
  const companies = await trial.each(trial.session.run.credentials.companies, (company) =>
    orElse(everySearchable(trial.as(company), operation, 'any'), []),
  )
  return ranked(
    companies.map((candidates) => candidates.map(({ texts }) => texts[0]!)),
    isShortIgnored ? [3] : [2, 3],
  )
}

/** The same, of the records' own texts, such as the last message of a ticket. */
export async function partsOfOwnTexts(trial: Trial, operation: Searched): Promise<string[]> {
  const candidates = await everySearchable(trial, operation, 'certain')
  return ranked([candidates.flatMap(({ texts }) => texts.slice(1).slice(-1))], [3])
}

/** The parts that are nearest to the best share of several groups of texts. */
function ranked(groups: readonly (readonly string[])[], lengths: readonly number[]): string[] {
  const shares = groups.filter((texts) => texts.length > 0).map((texts) => sharesOfParts(texts, lengths))
  const distance = (part: string): number =>
    Math.max(...shares.map((share) => Math.abs((share.get(part) ?? 0) - BEST_SHARE)))
  const parts = new Set(shares.flatMap((share) => [...share.keys()]))
  return [...parts]
    .map((part) => ({ part, apart: distance(part) }))
    .toSorted((a, b) => a.apart - b.apart || a.part.localeCompare(b.part))
    .slice(0, PARTS_TRIED)
    .map(({ part }) => part)
}

/** Of how many texts a part is in, as a share of them. */
function sharesOfParts(texts: readonly string[], lengths: readonly number[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>()
  for (const text of texts)
    for (const part of new Set(lengths.flatMap((length) => partsOf(text, length))))
      shares.set(part, (shares.get(part) ?? 0) + 1 / texts.length)
  return shares
}
