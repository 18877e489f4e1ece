import { grouped } from '../../../engine/data/grouped.ts'
import { type AnyRecord, askable, asText, idOf, type Located, type RecordOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { Searched } from '../../operations.ts'
import { mayLackSome } from '../lists/cut-short.ts'
import { basisOfSearch } from './search.ts'
import { everySearchable } from './searchable.ts'

/** Names of letters that no search folds. */
const PLAIN = /^[A-Za-z]{2,}( [A-Za-z]{2,})+$/
/** Letters of a word that every search takes for one. */
const LEAST = 4
/** As many contacts, found by a word that they alone have, leave no doubt that such words find a contact's records. */
const WITNESSES = 2

/** A word of a contact's name, and the records of that contact. */
interface Named<O extends Searched> {
  readonly name: string
  readonly word: string
  /** Which word of how many it is. */
  readonly place: string
  readonly owned: readonly Located<RecordOf<O>>[]
}

/**
 * A search for a word of a name that other contacts have as well finds the contact's records as one for a word that it alone
 * has: a search may look up contacts by their names, and take the first.
 */
export async function judgeNamesakes<O extends Searched>(trial: Trial, operation: O): Promise<void> {
  const all = await trial.list(operation)
  const contacts = (await trial.list('listContacts')).records.flatMap(({ value }) => askable(value.name) ?? [])
  const named = await namedWords(trial, operation)
  const counts = new Map(grouped(contacts.flatMap(wordsOf), keyOf).map(([key, those]) => [key, those.length]))
  const namesakesOf = (one: Named<O>): number => counts.get(keyOf(one)) ?? 0
  const unique = named.filter((one) => contacts.filter((name) => name.includes(one.word)).length === 1)
  // What looks at beginnings finds first words alone, and what compares whole names with the text finds it in short ones.
  const isLike = (one: Named<O>, other: Named<O>): boolean =>
    other.place === one.place && shareOf(other) <= shareOf(one)
  const alikeTo = (one: Named<O>): readonly Named<O>[] =>
    unique.filter((other) => isLike(one, other)).slice(0, WITNESSES)
  const isFound = async ({ owned: [first] }: Named<O>, text: string): Promise<boolean> =>
    trial.finds(operation, text, idOf(first!.value)!)

  const judge = async (owners: readonly Named<O>[]): Promise<void> => {
    const { word } = owners[0]!
    const wanted = new Set(owners.flatMap(({ owned }) => idsOf(owned)))
    const found = await trial.searched(operation, word, {}, { wanted })
    trial.count('namesakes', owners.length)
    const lost = owners.filter(({ owned }) => !idsOf(owned).some((id) => found.byId.has(id)))
    if (!found.exchange || mayLackSome(all, found)) return
    for (const one of lost) {
      // What it finds for another with the same word in a name that is no shorter is told by no more.
      const isToldByAnother = owners.some((other) => !lost.includes(other) && isLike(one, other))
      const like = isToldByAnother ? [] : alikeTo(one)
      if ((!isToldByAnother && like.length < WITNESSES) || !(await isFound(one, one.name))) continue
      if (!(await trial.each(like, (other) => isFound(other, other.word))).every(Boolean)) continue
      const [record] = one.owned
      trial.differ(
        {
          message:
            'a search for a word that several names have did not find what is of one of them, though one for a word of one name alone does',
          expected: `the record ${idOf(record!.value)} of ${one.name}, for "${word}"`,
          received: `${found.records.length} other record(s)`,
          exchange: found.exchange,
        },
        ...basisOfSearch(operation, record!.value),
        operation,
      )
    }
  }

  const shared = grouped(
    named.filter((one) => namesakesOf(one) > 1),
    keyOf,
  ).map(([, owners]) => owners)
  // Of several whose records are listed, one is not the first; of one, it may be another who has none.
  const [most] = shared.toSorted((a, b) => b.length - a.length || namesakesOf(b[0]!) - namesakesOf(a[0]!))
  const told = shared.find((owners) => owners.some((one) => alikeTo(one).length === WITNESSES))
  for (const owners of new Set([most, told])) if (owners) await judge(owners)
}

/** The words in names of contacts who have records. */
async function namedWords<O extends Searched>(trial: Trial, operation: O): Promise<readonly Named<O>[]> {
  const some = await everySearchable(trial, operation, 'certain')
  return grouped(some, ({ record }) => asText((record.value as AnyRecord)['contactId'])).flatMap(([, those]) => {
    const [name, owned] = [those[0]!.texts[0]!, those.map(({ record }) => record)]
    return wordsOf(name).map((one) => ({ name, ...one, owned }))
  })
}

type Placed = Pick<Named<Searched>, 'word' | 'place'>

function keyOf({ word, place }: Placed): string {
  return `${place}: ${word}`
}

function wordsOf(name: string): readonly Placed[] {
  const words = PLAIN.test(name) ? name.split(' ') : []
  return words
    .map((word, at) => ({ word, place: `${at} of ${words.length}` }))
    .filter(({ word }) => word.length >= LEAST)
}

/** How much of the name the word is. */
function shareOf({ name, word }: { readonly name: string; readonly word: string }): number {
  return word.length / name.length
}

function idsOf(records: readonly Located<object>[]): string[] {
  return records.flatMap(({ value }) => idOf(value) ?? [])
}
