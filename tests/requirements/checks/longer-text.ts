import { idOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import type { Searched } from '../operations.ts'
import { randomWord } from '../unknown-value.ts'
import { everySearchable, searchable, type Searchable } from './searchable.ts'

/** A shorter one may be all that is looked for, and so may be a longer one with letters behind it. */
const LENGTHS = { least: 14, most: 24 }
const TEXTS_TRIED = 2
/** With a vowel to change near its beginning, and a last word that is long enough for letters behind it to make another of it. */
const READABLE = /^.{0,2}[aeiou][A-Za-z ]*[A-Za-z]{4}$/
const VOWEL = /[aeiou]/
const NEXT_VOWEL: Readonly<Record<string, string>> = { a: 'o', e: 'u', i: 'a', o: 'e', u: 'i' }

/**
 * A text that a search finds a record by does not find it with letters behind its last word, many or one, that the record has
 * not: told where the search does not look for any of the words, nor for what is alike.
 */
export async function judgeLongerText<O extends Searched>(trial: Trial, operation: O): Promise<void> {
  const finds = async (text: string, id: string): Promise<boolean> =>
    (await trial.searched(operation, text, {}, { wanted: new Set([id]) })).byId.has(id)
  // What is searched for anyway costs no request.
  const tried = readable(await searchable(trial, operation, 'certain'))
  const texts = tried.length > 0 ? tried : readable(await everySearchable(trial, operation, 'certain'))
  for (const { id, text } of texts.slice(0, TEXTS_TRIED)) {
    if (!(await finds(text, id))) continue
    const letters = randomWord(trial.random)
    const alike = text.replace(VOWEL, (vowel) => NEXT_VOWEL[vowel]!)
    // What takes the sign for the next parameter's beginning looks for the text alone.
    for (const behind of [`&${letters}`, letters.slice(0, 1)]) {
      const longer = await trial.searched(operation, `${text}${behind}`)
      trial.count('searches')
      const found = longer.byId.get(id)
      if (!found || (await finds(alike, id)) || (await finds(`${letters} ${text}`, id))) continue
      trial.fail({
        message: 'a search for a text that no record has found one that holds its beginning alone',
        expected: `no record for "${longer.query['searchParam']}"`,
        received: id,
        exchange: found.exchange,
        pointer: found.pointer,
      })
    }
    return
  }
}

function readable<O extends Searched>(some: readonly Searchable<O>[]): readonly { id: string; text: string }[] {
  return some
    .flatMap(({ record, texts }) => texts.map((text) => ({ id: idOf(record.value)!, text })))
    .filter(({ text }) => text.length >= LENGTHS.least && text.length <= LENGTHS.most && READABLE.test(text))
}
