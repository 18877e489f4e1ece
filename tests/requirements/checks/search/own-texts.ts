import { askable, idOf, type Located, type RecordOf } from '../../../engine/data/records.ts'
import type { Listing } from '../../../engine/data/listing.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { Searched } from '../../operations.ts'
import { mayLackSome } from '../lists/cut-short.ts'
import { placesInTheLast } from './found-as-others.ts'
import { judgeFoundEverything } from './found-everything.ts'
import { orderOf } from '../filters/matching.ts'
import { isFoundInItsState } from './search.ts'
import { ownText, searchable, type Searchable } from './searchable.ts'
import { judgeServerError } from '../server-error.ts'
import { judgeWordsOfOwnTexts } from './words-of-own-texts.ts'

/** As many records, each found by its own text, leave no doubt that the search looks at such texts. */
const WITNESSES = 2

/** What reads a line break as a blank finds each line by itself, and what looks at first lines does not. */
const LINES_TRIED = 2

/** A text of several words without a sign that some searches take for an operator, or blanks around it, which they may take off. */
const WORDS = /^(?!\s|.*((^|\s)[-+]|[|^~[\]{}]|:[^\s\d])).{12,}(?<!\s)$/su

/** The words between the first and the last one of a text of one line. */
const INNER_WORDS = /(?<=^\S+ )\S+( \S+)+(?= \S+$)/

/** What a pattern of a database takes for other signs, or a search takes out of the text or escapes, and of what is stored as little. */
const SIGNS = [
  /\n/,
  /\(/,
  /%/,
  /_/,
  /^[^"]*"[^"]+"[^"]*$/,
  /<\p{L}/u,
  /\p{Extended_Pictographic} \p{L}/u,
  /(?!\p{ASCII})\p{L}/u,
  /(?!\p{ASCII})\p{Lu}/u,
]

interface Asked<O extends Searched> {
  readonly one: Searchable<O>
  readonly text: string
  readonly found: Listing<RecordOf<O>>
}

/**
 * Whether a search looks at the text of a ticket or a schedule is open; one that finds some by theirs finds others by theirs,
 * in whatever state they are: told by those that are tried by the main company, too.
 */
export async function judgeOwnTexts<O extends Searched>(
  trial: Trial,
  operation: O,
  tried: readonly Searchable<O>[],
): Promise<void> {
  if (operation === 'listContacts') return
  const asked = await ask(trial, operation, [...tried, ...(await withSigns(trial, operation))])
  await judgeFoundEverything(trial, operation, asked.filter(isFound))
  const lost = asked.filter((one) => !isFound(one))
  if (lost.length === 0) return
  const main = trial.as('main')
  const others =
    trial.session.caller === 'main' ? asked : await ask(main, operation, await searchable(main, operation, 'certain'))
  const seen = [...asked, ...others].filter(isFound)
  if (new Set(seen.map(({ text }) => text)).size < WITNESSES) {
    if (trial.session.caller === 'main') await judgeWordsOfOwnTexts(trial, operation)
    return
  }
  const all = await trial.list(operation)
  const isBefore = (asked: Asked<O>): boolean => isBeforeTheLast(asked.one.record, asked.text)
  for (const { one, text, found } of lost) {
    if (!found.exchange || mayLackSome(all, found) || !WORDS.test(text)) continue
    if (isBefore({ one, text, found }) && !seen.some(isBefore)) continue
    if (await isFoundInItsState(trial, operation, { record: one.record, texts: [text] })) continue
    if (text.includes('\n') && (await mayBeLostForItsLines(trial, operation, { one, text, found }, seen))) continue
    const id = idOf(one.record.value)!
    trial.differ(
      {
        message: "a search for a record's own text did not find it, though others are found by theirs",
        expected: `the record ${id}, for "${text}"`,
        received: `${found.records.length} other record(s)`,
        exchange: found.exchange,
      },
      { operation, id },
      ...orderOf(operation, found),
    )
  }
}

/** A record for each kind of sign that a search may lose, with the sign in its own text. */
async function withSigns<O extends Searched>(trial: Trial, operation: O): Promise<readonly Searchable<O>[]> {
  if (trial.session.caller !== 'main') return []
  const { records } = await trial.list(operation)
  const candidates = records.flatMap((record) => {
    const text = askable(ownText(record.value))
    return text !== undefined && idOf(record.value) !== undefined && WORDS.test(text) ? [{ record, text }] : []
  })
  // A search may look at the last of several messages alone.
  const lastFirst = candidates.toSorted(
    (a, b) => Number(isBeforeTheLast(a.record, a.text)) - Number(isBeforeTheLast(b.record, b.text)),
  )
  return SIGNS.flatMap((sign) => {
    const one = lastFirst.find(({ text }) => sign.test(text))
    return one ? [{ record: one.record, texts: [one.text] }] : []
  })
}

/** A search may read a line break as a blank, or find whole texts alone: told by the longest lines, and by the middle of another text. */
async function mayBeLostForItsLines<O extends Searched>(
  trial: Trial,
  operation: O,
  lost: Asked<O>,
  seen: readonly Asked<O>[],
): Promise<boolean> {
  const all = await trial.list(operation)
  const finds = async (text: string, { one: { record } }: Asked<O>): Promise<boolean> => {
    const found = await trial.searched(operation, text, {}, { wanted: new Set([idOf(record.value)!]) })
    return found.byId.has(idOf(record.value)!) || mayLackSome(all, found)
  }
  const other = seen.find(({ text }) => INNER_WORDS.test(text))
  if (!other || !(await finds(INNER_WORDS.exec(other.text)![0], other))) return true
  const lines = lost.text.split('\n').toSorted((a, b) => b.length - a.length)
  const telling = lines.filter((line, index) => index === 0 || WORDS.test(line)).slice(0, LINES_TRIED)
  for (const line of telling)
    if (!(await finds(line, lost)))
      return isFoundInItsState(trial, operation, { record: lost.one.record, texts: [line] })
  return true
}

function isFound<O extends Searched>({ one, found }: Asked<O>): boolean {
  return found.byId.has(idOf(one.record.value)!)
}

/** Whether the text is not that of the last of several messages, the only one that a search may look at. */
function isBeforeTheLast({ value }: Located<object>, text: string): boolean {
  return placesInTheLast(value, text).length === 0
}

/** Searches for the own texts of some records. */
async function ask<O extends Searched>(
  trial: Trial,
  operation: O,
  some: readonly Searchable<O>[],
): Promise<readonly Asked<O>[]> {
  const asked = await trial.each(some, async (one) => {
    const text = ownText(one.record.value)
    if (text === undefined || !one.texts.includes(text)) return []
    const wanted = new Set([idOf(one.record.value)!])
    const found = await trial.searched(operation, text, {}, { wanted })
    judgeServerError(trial, found, "a search for a record's own text")
    return [{ one, text, found }]
  })
  return asked.flat()
}
