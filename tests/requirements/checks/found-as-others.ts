import { asText, idOf, isObject, type Located } from '../../engine/records.ts'
import type { Loose } from './id-translation.ts'

/** As many records, found by less than another one has, leave no doubt that this one is to be found too. */
const WITNESSES = 3
/** Share of those with no more than a record has that are found where a search looks at it: what it looks at may be hidden. */
const SHARE_FOUND = 1 / 3
/** Records that are asked for what they hold; few pages are longer. */
const MOST_PROOFS = 500

/** Where and how a text holds what was searched for, such as `/contact/name, at the start of a word`. */
type Trait = string

type Record = Located<object>

/**
 * In which texts a search looks, and how, is open; but what holds the text in all the ways in which records hold it that
 * were found is to be found as well.
 * @param text what was searched for, in small letters without accents.
 * @param found records that the search found.
 * @returns the records that hold the text so, found or not.
 */
export function heldAsFound<T extends Record>(records: readonly T[], text: string, found: readonly Record[]): T[] {
  const places = new Set(records.flatMap(({ value }) => placesOf(value, text)))
  const proofs = found
    .slice(0, MOST_PROOFS)
    .filter(({ value }) => [...places].every((place) => shows(value, place.split('/').slice(1))))
    .map(({ value }) => ({ value, traits: traitsOf(value, text) }))
    .filter(({ traits }) => traits.length > 0)
  const ids = new Set(found.map(({ value }) => idOf(value)))
  const varied = namesOfIds(records).filter((name) => isVaried(records, name))
  const groups = holdersByTraits(records, text)
  return groups.flatMap(({ traits, holders }) => {
    const isNoMore = (some: Iterable<Trait>): boolean => [...some].every((trait) => traits.has(trait))
    const witnesses = proofs.filter((proof) => isNoMore(proof.traits))
    // What a user or a queue is called may be looked at, and is not shown.
    if (witnesses.length < WITNESSES || !varied.every((name) => isVaried(witnesses, name))) return []
    const alike = groups.filter((other) => isNoMore(other.traits)).flatMap((other) => other.holders)
    const share = alike.filter(({ value }) => ids.has(idOf(value))).length / alike.length
    return share < SHARE_FOUND ? [] : holders
  })
}

/** The records that hold a text, by all the ways in which they do. */
function holdersByTraits<T extends Record>(records: readonly T[], text: string) {
  const groups = new Map<string, { readonly traits: ReadonlySet<Trait>; readonly holders: T[] }>()
  for (const record of records) {
    const traits = traitsOf(record.value, text)
    if (traits.length === 0) continue
    const key = traits.toSorted().join('\n')
    const group = groups.get(key) ?? { traits: new Set(traits), holders: [] }
    group.holders.push(record)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Members that name other records. */
function namesOfIds(records: readonly Record[]): string[] {
  return [...new Set(records.flatMap(({ value }) => Object.keys(value)))].filter((name) => /.Id$/.test(name))
}

function isVaried(records: readonly { readonly value: object }[], name: string): boolean {
  const values = records.flatMap(({ value }) => asText((value as Loose)[name]) ?? [])
  return new Set(values).size > 1
}

function traitsOf(record: object, text: string): Trait[] {
  const traits = leavesOf(record)
    .filter(([, value]) => plain(value).includes(text))
    .flatMap(([path, value]) => occurrences(value, text).map((how) => `${path}, ${how}`))
  return [...new Set(traits)]
}

function isBoundary(letter = ''): boolean {
  return !/\p{L}|\p{N}/u.test(letter)
}

/** How a value holds a text of small letters: where in a word, whether as a whole one, in another case or with accents. */
function occurrences(value: string, text: string): string[] {
  const characters = value.normalize('NFD').match(/\P{M}\p{M}*/gu) ?? []
  const letters = characters.map((character) => String.fromCodePoint(character.codePointAt(0)!))
  return letters.flatMap((_, at) => {
    const found = letters.slice(at, at + text.length).join('')
    if (found.toLowerCase() !== text) return []
    const isWord = isBoundary(letters[at - 1])
    const isWhole = isWord && isBoundary(letters[at + text.length])
    const isAccented = characters.slice(at, at + text.length).join('') !== found
    return [
      `${at === 0 ? 'at its start' : isWord ? 'at the start of a word' : 'inside'}, ${isWhole}, ${found === text}, ${isAccented}`,
    ]
  })
}

/** Where a record holds the text. */
export function placesOf(record: object, text: string): string[] {
  return leavesOf(record).flatMap(([path, value]) => (plain(value).includes(plain(text)) ? [path] : []))
}

/** Whether a record shows a place, be it empty: it may have been found for what it does not show. */
function shows(value: unknown, [name, ...inner]: readonly string[]): boolean {
  if (name === undefined || value === null) return true
  if (Array.isArray(value)) return !(name in value) || shows(value[Number(name)], inner)
  return isObject(value) && name in value && shows(value[name], inner)
}

/** Every text in a record, but ids, with the place where it is: of several messages, a search may look at the first alone. */
function leavesOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return /(^|[a-z])(id|At)$/i.test(path) ? [] : [[path, value]]
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => leavesOf(item, `${path}/${index}`))
  return isObject(value) ? Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, `${path}/${name}`)) : []
}

/** A text in small letters without accents. */
export function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
