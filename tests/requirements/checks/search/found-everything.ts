import { askable, idOf, type RecordOf } from '../../../engine/data/records.ts'
import type { Listing } from '../../../engine/data/listing.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL, type Searched } from '../../operations.ts'
import { holdsAnyWord } from './found-as-others.ts'
import { contactsAmong } from './found-by-chance.ts'
import { orderOf } from '../filters/matching.ts'
import { nameOf } from './searchable.ts'

/** A message may have been sent to everybody once, where a search looks at it; several that nobody else has were not. */
const LEAST_TEXTS = 3
/** Of one contact, a search may find all for what any of it says; of so many, of whom none has a word of a text, it does not. */
const LEAST_CONTACTS = 3

interface FoundBy<O extends Searched> {
  readonly text: string
  readonly found: Listing<RecordOf<O>>
}

/** Searches for what some records say do not all bring the whole list, which holds others that say nothing of the kind. */
export async function judgeFoundEverything<O extends Searched>(
  trial: Trial,
  operation: O,
  searches: readonly FoundBy<O>[],
): Promise<void> {
  const all = await trial.list(operation)
  const contacts = await trial.list('listContacts')
  const isWhole = ({ found }: FoundBy<O>): boolean => {
    const first = all.records.slice(0, found.records.length)
    const isShorter = found.complete && found.records.length < all.records.length
    return !isShorter && first.every(({ value }) => found.byId.has(idOf(value) ?? ''))
  }
  const others = ({ text, found }: FoundBy<O>): number => {
    const holdsAny = (record: RecordOf<O>): boolean =>
      holdsAnyWord({ record, name: askable(nameOf(operation, record as RecordOf<Searched>, contacts)) }, text)
    return contactsAmong(found.records.filter(({ value }) => !holdsAny(value)))
  }
  if (new Set(searches.map(({ text }) => text)).size < LEAST_TEXTS || !searches.every(isWhole)) return
  const one = searches.find((search) => others(search) >= LEAST_CONTACTS)
  if (one)
    trial.differ(
      {
        message: 'searches for what one record says found everything',
        expected: `the ${PLURAL[operation]} that have "${one.text}" in them`,
        received: `${one.found.records.length} ${PLURAL[operation]}, as without a search`,
        exchange: one.found.exchange!,
      },
      ...orderOf(operation, one.found),
      operation,
    )
}
