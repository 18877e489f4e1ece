import { type AnyRecord, idOf, idsOf, type Located } from '../../../engine/data/records.ts'
import { placesOf } from './found-as-others.ts'

/** What is found no more often than this by chance, as hidden texts hold what was searched for, is found for what it shows. */
const UNLIKELY = 1 / 10_000

/**
 * Tells whether so few of some records that hold a text were found that they may have been found by chance, for what they do not
 * show, as records were that do not hold it.
 * @param share how many of them must have been found, besides.
 */
export function foundByChance(
  records: readonly Located<object>[],
  text: string,
  found: readonly Located<object>[],
): (some: readonly Located<object>[], share?: number) => boolean {
  const ids = idsOf(found)
  const foundAmong = (some: readonly Located<object>[]): number =>
    contactsAmong(some.filter(({ value }) => ids.has(idOf(value))))
  const without = records.filter(({ value }) => placesOf(value, text).length === 0)
  const byChance = foundAmong(without) / Math.max(1, contactsAmong(without))
  return (some, share = 0) => {
    const [all, those] = [contactsAmong(some), foundAmong(some)]
    return those < all * share || chanceOf(those, all, byChance) > UNLIKELY
  }
}

/** How many contacts records are of: what is found for one of them by what is hidden may be found for all of its contact's. */
export function contactsAmong(records: readonly { readonly value: object }[]): number {
  return new Set(records.map(({ value }) => (value as AnyRecord)['contactId'] ?? value)).size
}

/** How likely at least so many of some are found, where a share of all is found by chance. */
function chanceOf(found: number, some: number, share: number): number {
  let likely = (1 - share) ** some
  let fewer = 0
  for (let count = 0; count < found; count++) {
    fewer += likely
    likely *= ((some - count) / (count + 1)) * (share / (1 - share))
  }
  return share === 1 ? 1 : Math.max(0, 1 - fewer)
}
