import type { ListOperation, Located, RecordOf } from '../../engine/records.ts'
import { idOf } from '../../engine/records.ts'
import type { Listing } from '../../engine/listing.ts'
import type { Trial } from '../../engine/trial.ts'
import type { Searched } from '../operations.ts'
import { mayLackSome } from './cut-short.ts'
import { orderOf } from './matching.ts'
import { nameOf, ownText } from './searchable.ts'

/** One that is lost may be one that an index leaves out. */
const LOST = 2

/** Records that are looked at for such words. */
const MOST_READ = 1000

/** Two words of letters alone, of which a search for both may pass over one: the other is long enough to tell something. */
const PAIR = /^(?=.*\p{L}{5})\p{L}{2,} \p{L}{2,}$/u

/** What every way of folding leaves as it is. */
const SMALL = /^[a-z ]+$/

/** What only some ways of folding leave as they are. */
const FOLDED = {
  'a capital': /^(?=.*[A-Z])[A-Za-z ]+$/,
  'a letter beyond ASCII': /^(?=.*\P{ASCII})[\p{Ll} ]+$/u,
}

interface Words<O extends ListOperation> {
  readonly record: Located<RecordOf<O>>
  readonly small: string
  readonly folded: string
}

/**
 * A search that finds a record by two words of its own text finds it by two before those, written as they are stored: for
 * where no whole text is found, as all of them have a capital or an accent.
 */
export async function judgeWordsOfOwnTexts<O extends Searched>(trial: Trial, operation: O): Promise<void> {
  const all = await trial.list(operation)
  const search = (text: string, { value }: Located<object>): Promise<Listing<RecordOf<O>>> =>
    trial.searched(operation, text, {}, { wanted: new Set([idOf(value)!]) })
  for (const [kind, pattern] of Object.entries(FOLDED)) {
    const some = await withWords(trial, operation, pattern)
    if (some.length < LOST) continue
    const lost: Parameters<Trial['differ']>[] = []
    for (const one of some) {
      const id = idOf(one.record.value)!
      if (!(await search(one.small, one.record)).byId.has(id)) return
      const found = await search(one.folded, one.record)
      if (found.byId.has(id) || !found.exchange || mayLackSome(all, found)) break
      lost.push([
        {
          message: `a search for words of a record's own text with ${kind} did not find it, though one for others did`,
          expected: `the record ${id}, for "${one.folded}" as for "${one.small}"`,
          received: `${found.records.length} other record(s)`,
          exchange: found.exchange,
        },
        { operation, id },
        ...orderOf(operation, found),
      ])
    }
    if (lost.length === LOST) for (const finding of lost) trial.differ(...finding)
  }
}

/** Two records with two small words that they have once, behind two others that match; fewer where there are no more. */
async function withWords<O extends Searched>(trial: Trial, operation: O, pattern: RegExp): Promise<Words<O>[]> {
  const { records } = await trial.list(operation)
  const contacts = await trial.list('listContacts')
  const some = new Map<string, Words<O>>()
  for (const record of records.slice(0, MOST_READ)) {
    if (some.size === LOST) break
    const text = ownText(record.value)
    if (text === undefined || idOf(record.value) === undefined) continue
    const everywhere = `${JSON.stringify(record.value)} ${String(nameOf(operation, record.value as never, contacts))}`
    const words = text.split(' ')
    const pairs = words.slice(1).map((word, at) => `${words[at]} ${word}`)
    const isTelling = (pair: string): boolean => PAIR.test(pair) && isOnceIn(everywhere, pair)
    const last = pairs.findLastIndex((pair) => SMALL.test(pair) && isTelling(pair))
    const folded = pairs.slice(0, Math.max(last - 1, 0)).find((pair) => pattern.test(pair) && isTelling(pair))
    if (folded !== undefined) some.set(folded, { record, small: pairs[last]!, folded })
  }
  return [...some.values()]
}

function isOnceIn(text: string, words: string): boolean {
  return text.toLowerCase().split(words.toLowerCase()).length === 2
}
