import type { ListOperation, Located, RecordOf } from '../../../engine/data/records.ts'
import { idOf } from '../../../engine/data/records.ts'
import type { Listing } from '../../../engine/data/listing.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { Searched } from '../../operations.ts'
import { mayLackSome } from '../lists/cut-short.ts'
import { orderOf } from '../filters/matching.ts'
import { nameOf, ownText } from './searchable.ts'

/** One that is lost may be one that an index leaves out. */
const LOST = 2

/** Records that are looked at for such words. */
const MOST_READ = 1000

/** Two words of letters alone, of which a search for both may pass over one: the other is long enough to tell something. */
const PAIR = /^(?=.*\p{L}{5})\p{L}{2,} \p{L}{2,}$/u

/** What every way of folding leaves as it is. */
const SMALL = /^[a-z ]+$/

/** What a search may cut off a text is longer than two words. */
const APART = 12

/** Two words that find a record, and two others that are to find it as well. */
interface Pairs {
  readonly finding: string
  readonly others: string
}

/** Chooses them among the pairs of words of a text. */
type Choice = (pairs: readonly string[], text: string) => Pairs | undefined

/** What all of many texts may have, so that none is found as a whole, told by pairs of words that a text has once, in their order. */
const KINDS: Readonly<Record<string, Choice>> = {
  // What only some ways of folding leave as they are.
  'with a capital': (pairs) => beforeTheLast(pairs, /^(?=.*[A-Z])[A-Za-z ]+$/),
  'with a letter beyond ASCII': (pairs) => beforeTheLast(pairs, /^(?=.*\P{ASCII})[\p{Ll} ]+$/u),
  // A search may look at so many characters of a text; one that looks at what begins a text is another.
  'at its end': (pairs, text) => {
    const small = pairs.filter((pair) => SMALL.test(pair) && !text.startsWith(pair))
    const [finding, others] = [small[0], small.at(-1)]
    if (finding === undefined || others === undefined) return undefined
    return text.indexOf(others) - text.indexOf(finding) > APART ? { finding, others } : undefined
  },
}

/** The last two words that nobody folds, and two others of a kind before them. */
function beforeTheLast(pairs: readonly string[], pattern: RegExp): Pairs | undefined {
  const finding = pairs.findLast((pair) => SMALL.test(pair))
  if (finding === undefined) return undefined
  const isApart = (pair: string): boolean => !finding.startsWith(pair.replace(/.* /, ''))
  const others = pairs.slice(0, pairs.lastIndexOf(finding)).find((pair) => pattern.test(pair) && isApart(pair))
  return others === undefined ? undefined : { finding, others }
}

interface Words<O extends ListOperation> extends Pairs {
  readonly record: Located<RecordOf<O>>
}

interface PairsOfText<O extends ListOperation> {
  readonly record: Located<RecordOf<O>>
  readonly text: string
  readonly pairs: readonly string[]
}

/**
 * A search that finds a record by two words of its own text finds it by two others, written as they are stored: for where no
 * whole text is found.
 */
export async function judgeWordsOfOwnTexts<O extends Searched>(trial: Trial, operation: O): Promise<void> {
  const all = await trial.list(operation)
  const search = (text: string, { value }: Located<object>): Promise<Listing<RecordOf<O>>> =>
    trial.searched(operation, text, {}, { wanted: new Set([idOf(value)!]) })
  const texts = await pairsOfTexts(trial, operation)
  for (const [kind, choose] of Object.entries(KINDS)) {
    const some = withWords(texts, choose)
    if (some.length < LOST) continue
    const lost: Parameters<Trial['differ']>[] = []
    for (const { record, finding, others } of some) {
      const id = idOf(record.value)!
      if (!(await search(finding, record)).byId.has(id)) break
      const found = await search(others, record)
      if (found.byId.has(id) || !found.exchange || mayLackSome(all, found)) break
      lost.push([
        {
          message: `a search for words of a record's own text ${kind} did not find it, though one for others did`,
          expected: `the record ${id}, for "${others}" as for "${finding}"`,
          received: `${found.records.length} other record(s)`,
          exchange: found.exchange,
        },
        { operation, id },
        ...orderOf(operation, found),
      ])
    }
    if (lost.length === LOST) for (const one of lost) trial.differ(...one)
  }
}

/** Own texts of records, and the pairs of words that a record has once, in their order. */
async function pairsOfTexts<O extends Searched>(trial: Trial, operation: O): Promise<readonly PairsOfText<O>[]> {
  const { records } = await trial.list(operation)
  const contacts = await trial.list('listContacts')
  return records.slice(0, MOST_READ).flatMap((record) => {
    const text = ownText(record.value)
    if (text === undefined || idOf(record.value) === undefined) return []
    const everywhere = `${JSON.stringify(record.value)} ${String(nameOf(operation, record.value as never, contacts))}`
    const words = text.split(' ')
    const pairs = words.slice(1).map((word, at) => `${words[at]} ${word}`)
    return [{ record, text, pairs: pairs.filter((pair) => PAIR.test(pair) && isOnceIn(everywhere, pair)) }]
  })
}

/** Two records with words that are chosen so; fewer where there are no more. */
function withWords<O extends Searched>(texts: readonly PairsOfText<O>[], choose: Choice): Words<O>[] {
  const some = new Map<string, Words<O>>()
  for (const { record, text, pairs } of texts) {
    if (some.size === LOST) break
    const chosen = choose(pairs, text)
    if (chosen) some.set(chosen.others, { record, ...chosen })
  }
  return [...some.values()]
}

function isOnceIn(text: string, words: string): boolean {
  return text.toLowerCase().split(words.toLowerCase()).length === 2
}
