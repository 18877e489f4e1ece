import type { Listing } from '../../../engine/data/listing.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { Searched } from '../../operations.ts'
import { isRound } from '../lists/cut-short.ts'
import { plain } from './found-as-others.ts'
import { countsOfParts } from './name-parts.ts'
import { partsOfMany } from './parts-of-many.ts'
import { everySearchable } from './searchable.ts'

/** No search brings fewer than so many at most. */
const LOWEST_CAP = 5
const WORDS_TRIED = 3
const WORD = /\p{L}{2,}/gu

/**
 * Whether a search that brought one page may find more: none brings more, and it is a round number, or another text brings as
 * many. What is left out is then rightly found by a narrower query.
 */
export async function mayBeCapped(
  trial: Trial,
  operation: Searched,
  { pages, records: { length }, query }: Listing<unknown>,
): Promise<boolean> {
  if (pages.length !== 1 || length < LOWEST_CAP) return false
  const others = [...(await partsOfMany(trial, operation)), ...(await commonWords(trial, operation))].filter(
    (text) => plain(text) !== plain(query['searchParam'] ?? ''),
  )
  const lengths: number[] = []
  await trial.each(others, async (text) => {
    lengths.push((await trial.searched(operation, text)).records.length)
  })
  return lengths.every((other) => other <= length) && (isRound(length) || lengths.includes(length))
}

/** The words that most names have. */
async function commonWords(trial: Trial, operation: Searched): Promise<readonly string[]> {
  const names = (await everySearchable(trial, operation, 'any')).map(({ texts }) => texts[0]!)
  const counts = countsOfParts(names, (name) => plain(name).match(WORD) ?? [])
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, WORDS_TRIED)
    .map(([word]) => word)
}
