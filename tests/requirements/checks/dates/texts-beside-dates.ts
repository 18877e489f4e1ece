import { grouped } from '../../../engine/data/grouped.ts'
import { askable, idOf } from '../../../engine/data/records.ts'
import type { Listing } from '../../../engine/data/listing.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { Contact, Created, Range } from './date-ranges.ts'
import { isAtMidnight, shownDay } from './telling-days.ts'

/** Texts that are tried until a search finds something by one. */
const TEXTS_TRIED = 3

/** How many contacts on each side of the dates may have the word that is searched for, the nearest of them. */
const NEAREST = [3, 6, 10]

/** A word of letters that every search reads alike. */
const WORD = /(?<![^ ])[A-Za-z]{4,}(?![^ ])/g

/** What is around the sign of an e-mail address, which others share; no name has it. */
const AROUND_SIGN = /[\p{L}\p{N}]@[\p{L}\p{N}][\p{L}\p{N}-]*/u

/** The digits that a number begins with, which others share. */
const FIRST_DIGITS = /\d{4}/u

/** A whole number, for which a search may have a way of its own. */
const NUMBER = /^\d{8,}$/

/** A text that a search finds contacts by: a word of their names, a part of their e-mail addresses or numbers, or a whole number. */
export type KindOfText = 'name' | 'email' | 'number' | 'whole number'

/** Where contacts were created, by the days as they are shown: one end of a range may be lost, or both. */
export type Side = 'inside' | 'before' | 'after'

/** What a text tells that contacts on a side of the dates have: one between them, whether it is looked at beside dates at all. */
const WORTH: Readonly<Record<Side, number>> = { inside: 3, before: 1, after: 1 }

export function sideOf(created: Created, { start = '', end = '9999' }: Range): Side {
  const day = shownDay(created)
  if (day < start) return 'before'
  return day > end ? 'after' : 'inside'
}

/**
 * A text that many share, among them contacts on each side of the dates, and what a search for it finds alone; the same beside
 * whatever dates. Undefined where a search finds nothing by such texts.
 */
export function textBesideDates(
  trial: Trial,
  kind: KindOfText,
  created: readonly Created[],
  ranges: readonly Range[],
): Promise<Listing<Contact['value']> | undefined> {
  return trial.session.remember(`text beside dates ${kind}`, async () => {
    const texts = textsOf(kind, created, ranges)
    for (const text of texts.slice(0, TEXTS_TRIED)) {
      const alone = await searchedAlone(trial, text, created)
      if (alone.complete && alone.records.length > 0) return alone
    }
    return undefined
  })
}

function textsOf(kind: KindOfText, created: readonly Created[], ranges: readonly Range[]): readonly string[] {
  if (kind === 'name') return sharedWords(created, ranges[0]!)
  return kind === 'whole number' ? numbersOutside(created, ranges) : sharedParts(created, ranges, kind)
}

/** What a search finds without dates: it may look at what a contact shows, or else it is walked to its end. */
export function searchedAlone(
  trial: Trial,
  text: string,
  created: readonly Created[],
): Promise<Listing<Contact['value']>> {
  const holders = created.filter(({ contact: { value } }) =>
    [value.name, value.email, value.number].some((one) => holds(one, text)),
  )
  return trial.searched(
    'listContacts',
    text,
    {},
    { wanted: new Set(holders.map(({ contact }) => idOf(contact.value)!)) },
  )
}

function holds(value: unknown, text: string): boolean {
  return typeof value === 'string' && value.toLowerCase().includes(text.toLowerCase())
}

/**
 * Words in names of contacts on every side of some dates, the nearest of them, as what reaches a little too far brings
 * them; the rarest words first. Best are those that one has who was created as the first of the days began, and one of the day before.
 */
function sharedWords(created: readonly Created[], range: Range): readonly string[] {
  const [inside, before, after] = (['inside', 'before', 'after'] as const).map((side) =>
    created.filter((one) => sideOf(one, range) === side),
  ) as [Created[], Created[], Created[]]
  const eve = before.filter((one) => shownDay(one) === shownDay(before.at(-1)!))
  const groups = [
    [eve, inside.filter(isAtMidnight), inside.filter((one) => !isAtMidnight(one))],
    ...NEAREST.map((most) => [inside, before.slice(-most), after.slice(0, most)].filter((side) => side.length > 0)),
  ]
  return [...new Set(groups.flatMap(wordsOfAll))]
}

/** Words in names of every one of some groups, the rarest first: one search tells about all of them. */
function wordsOfAll(groups: readonly (readonly Created[])[]): readonly string[] {
  const words = groups.map((group) => group.flatMap(({ contact }) => askable(contact.value.name)?.match(WORD) ?? []))
  const inEach = words.map((those) => new Set(those))
  const counts = new Map<string, number>()
  for (const word of words.flat())
    if (inEach.every((those) => those.has(word))) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => a - b).map(([word]) => word)
}

/**
 * Parts of e-mail addresses or numbers: those that have contacts between all the dates first, then on most sides of them, then
 * the rarest; then a whole one.
 */
function sharedParts(
  created: readonly Created[],
  ranges: readonly Range[],
  kind: 'email' | 'number',
): readonly string[] {
  const partOf = ({ contact }: Created): string | undefined =>
    askable(contact.value[kind])?.match(kind === 'email' ? AROUND_SIGN : FIRST_DIGITS)?.[0]
  const sides = (some: readonly Created[]): number => ranges.reduce((sum, range) => sum + worthOf(some, range), 0)
  const [best] = grouped(created, partOf)
    .flatMap(([part, some]) => (part === undefined ? [] : { part, told: sides(some), number: some.length }))
    .toSorted((a, b) => b.told - a.told || a.number - b.number)
  // Some searches take whole ones alone.
  const whole = created
    .filter((one) => sideOf(one, ranges[0]!) === 'inside' && partOf(one) !== undefined)
    .flatMap(({ contact }) => askable(contact.value[kind]) ?? [])
  return [...(best ? [best.part] : []), ...whole.slice(0, 1)]
}

/** Whole numbers of contacts whom none of the dates finds. */
function numbersOutside(created: readonly Created[], ranges: readonly Range[]): readonly string[] {
  return created
    .filter((one) => ranges.every((range) => sideOf(one, range) !== 'inside'))
    .flatMap(({ contact }) => askable(contact.value.number) ?? [])
    .filter((number) => NUMBER.test(number))
}

/** What the sides on which contacts are tell together. */
function worthOf(some: readonly Created[], range: Range): number {
  return [...new Set(some.map((one) => sideOf(one, range)))].reduce((sum, side) => sum + WORTH[side], 0)
}
