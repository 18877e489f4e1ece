import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { Searched } from '../../operations.ts'
import { randomWord } from '../../unknown-value.ts'
import { everySearchable, searchable, type Searchable } from './searchable.ts'

/** A shorter one may be all that is looked for, and so may be a longer one with letters behind it. */
const LENGTHS = { least: 14, most: 24 }
const TEXTS_TRIED = 2
/** With a vowel to change near its beginning, and a last word that is long enough for letters behind it to make another of it. */
const READABLE = /^.{0,2}[aeiou][A-Za-z ]*[A-Za-z]{4}$/
/** So many that no record has them. */
const DIGITS = 12
/**
 * What people write is longer, and has signs, of which some may mean more to a search. It ends in a word that is long enough
 * to count with a letter behind it, and before what a search may cut off.
 */
const OWN = /^.{0,2}[aeiou][^\p{C}%_\\<>&"*|^~()[\]{}]{9,40}\p{L}{3}$/u
/** Of a sentence, what is before its last signs and short words. */
const UP_TO_ITS_LAST_WORD = /^.*\p{L}{3}(?!\p{L})/u
/** Those that no ending begins with, where a search looks for stems. */
const LAST_LETTERS = [...'kqwx']
const VOWELS = { first: /[aeiou]/, last: /[aeiou](?=[^aeiou]*$)/ }
const NEXT_VOWEL: Readonly<Record<string, string>> = { a: 'o', e: 'u', i: 'a', o: 'e', u: 'i' }

interface Tried {
  readonly id: string
  readonly text: string
}

/**
 * A text that a search finds a record by does not find it with letters before its first word or behind its last, or digits,
 * that the record has not: told where the search does not look for any of the words, nor for what is alike. One letter is put
 * behind the record's own text, where the search looks at that.
 */
export async function judgeLongerText<O extends Searched>(trial: Trial, operation: O): Promise<void> {
  const finds = (text: string, id: string): Promise<boolean> => trial.finds(operation, text, id)
  const firstFound = async (some: readonly Tried[]): Promise<Tried | undefined> => {
    for (const one of some.slice(0, TEXTS_TRIED)) if (await finds(one.text, one.id)) return one
    return undefined
  }
  // What is searched for anyway costs no request.
  const asked = await searchable(trial, operation, 'certain')
  const every = await everySearchable(trial, operation, 'certain')
  const tried = readable(asked)
  const named = await firstFound(tried.length > 0 ? tried : readable(every))
  const own = (await firstFound(ownTexts(every))) ?? named
  const letters = randomWord(trial.random)
  const digits = trial.random.string.numeric(DIGITS)
  /**
   * @param ofAnyWord a text of whose words the record has some, where a search that looks for any of them finds it.
   * @param vowel one to change in what the search may look for alone.
   */
  const judge = async ({ id, text }: Tried, longer: string, ofAnyWord: string, vowel = VOWELS.first): Promise<void> => {
    const searched = await trial.searched(operation, longer)
    trial.count('searches')
    const found = searched.byId.get(id)
    const alike = text.replace(vowel, (one) => NEXT_VOWEL[one]!)
    if (!found || (await finds(alike, id)) || (await finds(ofAnyWord, id))) return
    // One letter may be a typing error, which a long word may have: so may one in it, but the rest of the text counts.
    if (longer.length === text.length + 1) {
      const mistyped = text.slice(0, -1) + longer.slice(-1) + text.slice(-1)
      const otherwise = text.replace(/\p{L}+$/u, letters)
      if ((await finds(mistyped, id)) && !(await finds(otherwise, id))) return
    }
    trial.fail({
      message: 'a search for a text that no record has found one that holds a part of it alone',
      expected: `no record for "${longer}"`,
      received: id,
      exchange: found.exchange,
      pointer: found.pointer,
    })
  }
  // What takes the sign for the next parameter's beginning looks for the text alone.
  if (named) await judge(named, `${named.text}&${letters}`, `${letters} ${named.text}`)
  if (named) await judge(named, `${letters} ${named.text}`, `${named.text} ${letters}`, VOWELS.last)
  if (named) await judge(named, `${named.text} ${digits}`, `${letters} ${named.text}`)
  if (own) await judge(own, own.text + trial.random.helpers.arrayElement(LAST_LETTERS), `${letters} ${own.text}`)
}

function readable<O extends Searched>(some: readonly Searchable<O>[]): readonly Tried[] {
  return some
    .flatMap(({ record, texts }) => texts.map((text) => ({ id: idOf(record.value)!, text })))
    .filter(({ text }) => text.length >= LENGTHS.least && text.length <= LENGTHS.most && READABLE.test(text))
}

/** Texts of records' own to their last long word, behind the names that they may be found by, the longest first: of a long one more may be cut. */
function ownTexts<O extends Searched>(some: readonly Searchable<O>[]): readonly Tried[] {
  return some
    .flatMap(({ record, texts }) =>
      texts.slice(1).map((text) => ({ id: idOf(record.value)!, text: UP_TO_ITS_LAST_WORD.exec(text)?.[0] ?? '' })),
    )
    .filter(({ text }) => OWN.test(text))
    .toSorted((a, b) => b.text.length - a.text.length)
}
