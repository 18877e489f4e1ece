import type { Exchange } from '../../../engine/http/exchange.ts'
import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { Searched } from '../../operations.ts'
import { restOf } from './capitals.ts'
import { basisOfSearch } from './search.ts'
import { everySearchable, type Searchable } from './searchable.ts'

/** As many records, each found by its name, leave no doubt that the search looks at names. */
const WITNESSES = 3

/** A name without a sign or a letter that a search may get wrong. */
const PLAIN = /^[A-Za-z ]+$/

/** A record that a search found, and a text of it with a capital beyond ASCII for which the search had found nothing. */
export interface PassedOver<O extends Searched> {
  readonly candidate: Searchable<O>
  readonly text: string
  readonly exchange: Exchange
}

/**
 * Which texts a search looks at is open; but what it looks at is found as it is stored. It looks at a text that it finds by
 * all but the first word, and at names where it finds all others by theirs.
 * @param named the records that were found by their names.
 */
export async function judgePassedOver<O extends Searched>(
  trial: Trial,
  operation: O,
  { candidate: { record, texts }, text, exchange }: PassedOver<O>,
  named: readonly Searchable<O>[],
): Promise<void> {
  const id = idOf(record.value)!
  const isName = text === texts[0]
  const rest = isName ? undefined : restOf(text)
  const found = rest === undefined ? undefined : await trial.searched(operation, rest, {}, { wanted: new Set([id]) })
  if (isName ? !(await areNamesLookedAt(trial, operation, named)) : !found?.byId.has(id)) return
  trial.differ(
    {
      message: `a search for a ${isName ? 'name' : 'text'} with a capital beyond ASCII found nothing`,
      expected: `the record ${id}, which has the text "${text}"`,
      received: `no record, although ${isName ? 'others are found by their names' : `"${rest}" finds it`}`,
      exchange,
    },
    ...basisOfSearch(operation, record.value),
  )
}

/** Whether a search finds records by their names, as some that are looked for show. */
export async function areNamesLookedAt<O extends Searched>(
  trial: Trial,
  operation: O,
  named: readonly Searchable<O>[],
): Promise<boolean> {
  const names = new Set(named.map(({ texts }) => texts[0]!))
  for (const { record, texts } of await everySearchable(trial, operation, 'certain')) {
    const [name] = texts
    if (names.size >= WITNESSES) break
    if (names.has(name!) || !PLAIN.test(name!)) continue
    const id = idOf(record.value)!
    if (!(await trial.finds(operation, name!, id))) return false
    names.add(name!)
  }
  return names.size >= WITNESSES
}
