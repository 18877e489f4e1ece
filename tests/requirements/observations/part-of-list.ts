import type { BaseListing } from '../../engine/data/listing.ts'
import { idOf, idsOf, type Located } from '../../engine/data/records.ts'

/**
 * Which part of a list some records are, in words that hold as it grows. Records may have come and gone since the list
 * was read, so most of a part stand for it.
 */
export function partOf<T>(records: readonly Located<T>[], all: BaseListing<T>): string {
  if (records.length === 0) return 'no records'
  const isMostOf = (part: readonly Located<T>[]): boolean => {
    const ids = rememberedIds(part)
    const shared = records.filter(({ value }) => ids.has(idOf(value))).length
    return 2 * shared > Math.max(part.length, records.length)
  }
  if (records.length > all.pageSize) return isMostOf(all.records) ? 'every record' : 'more than a page'
  const page = all.pages.findIndex((one) => isMostOf(one.records))
  if (page === -1) return 'a part of the list'
  if (page === 0) return all.paged ? 'the first page' : 'every record'
  return page === all.pages.length - 1 ? 'the last page' : 'another page'
}

/** The ids of the same records are asked for as often as a part is. */
const IDS = new WeakMap<readonly Located<unknown>[], ReadonlySet<string | undefined>>()

function rememberedIds(records: readonly Located<unknown>[]): ReadonlySet<string | undefined> {
  const ids = IDS.get(records) ?? idsOf(records)
  IDS.set(records, ids)
  return ids
}
