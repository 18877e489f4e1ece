import { grouped } from '../../../engine/data/grouped.ts'
import {
  type AnyRecord,
  asText,
  idOf,
  type Located,
  type RecordOf,
  type Schemas,
} from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL, type Searched } from '../../operations.ts'
import { keptApartFrom, mayLackSome } from '../lists/cut-short.ts'
import { foundByChance } from './found-by-chance.ts'
import { heldAsFound, placesOf } from './found-as-others.ts'
import { orderOf } from '../filters/matching.ts'
import { partsOfMany, partsOfOwnTexts } from './parts-of-many.ts'
import { basisOfSearch } from './search.ts'

/** Share of those with no more than a record has that are found where a search looks at it: what it looks at may be hidden. */
const SHARE_FOUND = 1 / 3

/**
 * What holds a part of a text as others do that a search for it finds is found too, in whatever state it is, unless no
 * search finds what is in that state.
 */
export async function judgeSearchForAPart<O extends Searched>(trial: Trial, operation: O): Promise<void> {
  const all = await trial.list(operation)
  const contacts = await trial.list('listContacts')
  // A ticket does not show the contact by whose name it is found; one that lacks the contact that others show is not.
  const isShown = all.records.some(({ value }) => 'contact' in value)
  const withContact = <R extends Located<RecordOf<O>>>(record: R) => {
    const { contactId } = record.value as Schemas['Ticket']
    const contact = isShown ? undefined : contacts.byId.get(asText(contactId) ?? '')?.value
    return { ...record, value: { contact, ...record.value } }
  }
  // It would be asked for here alone, and where there are pages, for several.
  const isOnePage = trial.session.caller === 'main' && !all.paged
  const parts = [await partsOfMany(trial, operation), isOnePage ? await partsOfOwnTexts(trial, operation) : []]
  const searches = await trial.each(
    parts.flatMap((some) => some.slice(0, 1)),
    async (part) => ({ part, found: await trial.searched(operation, part) }),
  )
  const isKeptApart = keptApartFrom(
    searches.flatMap(({ found }) => found.records.map(({ value }) => value as AnyRecord)),
  )
  for (const { part, found } of searches) {
    if (mayLackSome(all, found)) continue
    for (const { value } of toldByOthers(all.records.map(withContact), part, found.records.map(withContact))) {
      if (isKeptApart([value])) continue
      trial.count('records with a part of a text')
      if (found.byId.has(idOf(value) ?? '')) continue
      trial.differ(
        {
          message: `a search left out ${PLURAL[operation]} that hold its text as others do that it found`,
          expected: `the record ${idOf(value)}, for "${part}"`,
          received: `${found.records.length} other record(s)`,
          exchange: found.exchange!,
        },
        ...basisOfSearch(operation, value),
        operation,
        ...orderOf(operation, found),
      )
    }
  }
}

/**
 * The records that hold a part of a text as others do that a search found, and not by chance: what hidden texts it looks at
 * hold it in some as well.
 */
function toldByOthers<T extends Located<object>>(
  records: readonly T[],
  part: string,
  found: readonly T[],
): readonly T[] {
  const names = namesOfIds(records).filter((name) => isVaried(records, name))
  const isByChance = foundByChance(records, part, found)
  return heldAsFound(records, part, foundForThemselves(records, part, found)).flatMap(
    ({ holders, witnesses, noMore }) => {
      const isTold = !isByChance(noMore, SHARE_FOUND)
      // What a user or a queue is called may be looked at, and is not shown.
      return isTold && names.every((name) => isVaried(witnesses, name)) ? holders : []
    },
  )
}

/** Those that were not found for what another record of the same contact holds: a search may look at all that was said to it. */
function foundForThemselves<T extends Located<object>>(
  records: readonly T[],
  part: string,
  found: readonly T[],
): readonly T[] {
  const contactOf = ({ value }: T): string | undefined => asText((value as AnyRecord)['contactId'])
  const holding = records.filter(({ value }) => placesOf(value, part).some((place) => !place.startsWith('/contact/')))
  const byContact = new Map(grouped(holding, contactOf))
  return found.filter((record) => {
    const ofContact = contactOf(record) === undefined ? [] : (byContact.get(contactOf(record)) ?? [])
    return ofContact.every(({ value }) => idOf(value) === idOf(record.value))
  })
}

/** Members that name other records. */
function namesOfIds(records: readonly { readonly value: object }[]): string[] {
  return [...new Set(records.flatMap(({ value }) => Object.keys(value)))].filter((name) => /.Id$/.test(name))
}

function isVaried(records: readonly { readonly value: object }[], name: string): boolean {
  const values = records.flatMap(({ value }) => asText((value as AnyRecord)[name]) ?? [])
  return new Set(values).size > 1
}
