import type { BaseListing } from '../../../engine/data/listing.ts'
import { askable, asText, idOf, type Located, type RecordOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL, type Searched } from '../../operations.ts'
import { holdsAnyWord } from './found-as-others.ts'
import { orderOf } from '../filters/matching.ts'
import { areNamesLookedAt } from './passed-over.ts'
import { basisOfSearch, isFoundInItsState } from './search.ts'
import { nameOf, type Searchable } from './searchable.ts'
import { judgeServerError } from '../server-error.ts'
import { unlike } from '../unlike.ts'

const NAMES_TRIED = 6

/**
 * Signs that names have, and that mean something in an address, a pattern or a statement, and the letter whose small one is
 * another in Turkish; markup may be refused, or taken out.
 */
const SIGNS = ['%', '+', '&', '"', '_', '#', "'", ';', '\\', '(', '-', '.', 'I']

/** Two units of the text that a program has, such as an emoji, which must not be taken apart. */
const BEYOND_BASIC_PLANE = /[\u{10000}-\u{10FFFF}]/u

/**
 * Where full names find their records, a full name with a sign in it finds its own too, and not everything: unless it is
 * refused.
 * @param named the records that were found by their names.
 */
export async function judgeNamesWithSigns<O extends Searched>(
  trial: Trial,
  operation: O,
  named: readonly Searchable<O>[],
): Promise<void> {
  const all = await trial.list(operation)
  const contacts = await trial.list('listContacts')
  const told = new Set(named.flatMap(({ texts }) => signsIn(texts[0]!)))
  const withSigns = all.records.flatMap((record) => {
    const name = askable(nameOf(operation, record.value as RecordOf<Searched>, contacts))
    const isTelling = name !== undefined && /\p{L}{4}/u.test(name) && !/^\s|[<>\p{C}]|\s$/u.test(name)
    return isTelling && idOf(record.value) !== undefined ? [{ record, name, signs: signsIn(name) }] : []
  })
  const tried = unlike(withSigns, ({ signs }) => signs.filter((sign) => !told.has(sign)), NAMES_TRIED)
  if (tried.length === 0 || !(await areNamesLookedAt(trial, operation, named))) return
  await trial.each(tried, async ({ record, name }) => {
    await judgeName(trial, operation, record, name)
    // What finds one of two contacts with a name finds the other.
    for (const other of operation === 'listContacts' ? withSigns : [])
      if (other.name === name && other.record !== record) await judgeName(trial, operation, other.record, name)
  })
}

async function judgeName<O extends Searched>(
  trial: Trial,
  operation: O,
  record: Located<RecordOf<O>>,
  name: string,
): Promise<void> {
  const all = await trial.list(operation)
  const id = idOf(record.value)!
  const found = await trial.searched(operation, name, {}, { wanted: new Set([id]) })
  judgeServerError(trial, found, 'a search for a name')
  if (!found.exchange) return
  trial.count('searches')
  const isFound = found.byId.has(id)
  const isEverything =
    isFound && all.records.length > 1 && all.records.every(({ value }) => found.byId.has(idOf(value) ?? ''))
  if ((isFound && !isEverything) || (!isFound && !found.complete)) return
  if (!isFound && (await isFoundInItsState(trial, operation, { record, texts: [name] }))) return
  if (isEverything && areAllHoldersOfAWord(all.records, await trial.list('listContacts'), name)) return
  // What is not found by a word of it either is not missed for the sign.
  const [word] = (name.match(/\p{L}+/gu) ?? []).toSorted((a, b) => b.length - a.length)
  const isMissed = !isFound && !(await trial.finds(operation, word!, id))
  const what = isMissed ? 'a name' : 'a name with a sign in it'
  trial.differ(
    {
      message: `a search for ${what} found ${isFound ? 'everything' : 'nothing of its own'}`,
      expected: `the record ${id}, which has the name "${name}", as others are found by theirs`,
      received: `${found.records.length} ${PLURAL[operation]}`,
      exchange: found.exchange,
    },
    ...basisOfSearch(operation, record.value),
    ...orderOf(operation, found),
  )
}

/** Whether each record holds some word of a name, which is enough for some searches: a digit may be in every number. */
function areAllHoldersOfAWord(
  records: readonly Located<object>[],
  contacts: BaseListing<RecordOf<'listContacts'>>,
  name: string,
): boolean {
  return records.every(({ value }) => {
    const contact = contacts.byId.get(asText((value as { readonly contactId?: unknown }).contactId) ?? '')?.value
    return holdsAnyWord({ value, contact }, name)
  })
}

function signsIn(name: string): string[] {
  return [...SIGNS.filter((sign) => name.includes(sign)), ...(BEYOND_BASIC_PLANE.test(name) ? ['emoji'] : [])]
}
