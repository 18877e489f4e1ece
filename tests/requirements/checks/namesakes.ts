import { grouped } from '../../engine/grouped.ts'
import { asText, idOf, type Located, type RecordOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import type { Searched } from '../operations.ts'
import { mayLackSome } from './cut-short.ts'
import type { Loose } from './id-translation.ts'
import { basisOfSearch } from './search.ts'
import { everySearchable, type Searchable } from './searchable.ts'

/** Names of letters that no search folds. */
const PLAIN = /^[A-Za-z]{2,}( [A-Za-z]{2,})+$/
/** Letters of a word that every search takes for one. */
const LEAST = 4

/** A contact and what is its own. */
interface Owner<O extends Searched> {
  readonly name: string
  readonly owned: readonly Located<RecordOf<O>>[]
}

/**
 * A search for a word that finds what is one contact's finds what is its namesake's, who has the word in the same place of the
 * name, where each is found by the whole name: a search may look up contacts by their names, and take the first.
 */
export async function judgeNamesakes<O extends Searched>(trial: Trial, operation: O): Promise<void> {
  const all = await trial.list(operation)
  const [most] = namesakes(await everySearchable(trial, operation, 'certain'))
  if (!most) return
  const [word, owners] = most
  const found = await trial.searched(
    operation,
    word,
    {},
    { wanted: new Set(owners.flatMap(({ owned }) => idsOf(owned))) },
  )
  trial.count('namesakes', owners.length)
  const isFound = ({ owned }: Owner<O>): boolean => idsOf(owned).every((id) => found.byId.has(id))
  const lost = owners.filter(({ owned }) => !idsOf(owned).some((id) => found.byId.has(id)))
  const other = owners.find(isFound)
  if (!other || lost.length === 0 || !found.exchange || mayLackSome(all, found)) return
  // What it finds by a text that is not shown, it may find for that alone.
  const ofOwners = new Set(owners.flatMap(({ owned }) => idsOf(owned)))
  if (found.records.some(({ value }) => !ofOwners.has(idOf(value) ?? ''))) return
  const isFoundByName = ({ name, owned: [first] }: Owner<O>): Promise<boolean> =>
    trial.finds(operation, name, idOf(first!.value)!)
  for (const one of lost) {
    if (!(await isFoundByName(one)) || !(await isFoundByName(other))) continue
    const [record] = one.owned
    trial.differ(
      {
        message: 'a search for a word of two names found what is of the one contact, and not of the other',
        expected: `the record ${idOf(record!.value)} of ${one.name}, for "${word}", as those of ${other.name}`,
        received: `${found.records.length} other record(s)`,
        exchange: found.exchange,
      },
      ...basisOfSearch(operation, record!.value),
      operation,
    )
  }
}

function idsOf(records: readonly Located<object>[]): string[] {
  return records.flatMap(({ value }) => idOf(value) ?? [])
}

/** Words that names of several contacts have in the same place, with those; those of the most first. */
function namesakes<O extends Searched>(some: readonly Searchable<O>[]): [string, Owner<O>[]][] {
  const contactOf = ({ record }: Searchable<O>): string | undefined => asText((record.value as Loose)['contactId'])
  const owners = grouped(some, contactOf).map(([, those]) => ({
    name: those[0]!.texts[0]!,
    owned: those.map(({ record }) => record),
  }))
  const places = owners.flatMap((owner) => {
    const words = PLAIN.test(owner.name) ? owner.name.split(' ') : []
    return words.map((word, at) => ({ word, place: `${at} of ${words.length}: ${word}`, owner }))
  })
  return grouped(
    places.filter(({ word }) => word.length >= LEAST),
    ({ place }) => place,
  )
    .map(([, those]): [string, Owner<O>[]] => [those[0]!.word, those.map(({ owner }) => owner)])
    .filter(([, those]) => new Set(those.map(({ name }) => name)).size > 1)
    .toSorted(([, a], [, b]) => b.length - a.length)
}
