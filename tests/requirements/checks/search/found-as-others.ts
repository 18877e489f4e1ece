import { type AnyRecord, isObject, type Located } from '../../../engine/data/records.ts'

/** As many records, found by less than another one has, leave no doubt that this one is to be found too. */
const WITNESSES = 3
/** So many characters of a text any search looks at. */
const BEGINNING = 16
/** Records that are asked for what they hold; few pages are longer. */
const MOST_PROOFS = 500

const WORD = /[\p{L}\p{N}]+/gu

/** Where and how a text holds what was searched for, such as `/contact/name, at the start of a word`. */
type Trait = string

type Record = Located<object>

/** A text of a record with its place and, at last, in small letters without accents. */
type PlainLeaf = readonly [path: string, text: string, bare: string]

const plainLeaves = new WeakMap<object, readonly PlainLeaf[]>()

/** Records that hold a text in the same ways. */
interface HeldAlike<T extends Record> {
  /** Those records, found or not. */
  readonly holders: readonly T[]
  /** Records that were found and hold the text in no other way. */
  readonly witnesses: readonly Record[]
  /** All records that hold the text in no other way. */
  readonly noMore: readonly T[]
}

/**
 * In which texts a search looks, and how, is open; but what holds the text in all the ways in which records hold it that
 * were found is to be found as well.
 * @param text what was searched for, in small letters without accents.
 * @param found records that the search found.
 */
export function heldAsFound<T extends Record>(
  records: readonly T[],
  text: string,
  found: readonly Record[],
): readonly HeldAlike<T>[] {
  const places = new Set(records.flatMap(({ value }) => placesOf(value, text)))
  const proofs = found
    .slice(0, MOST_PROOFS)
    .filter(({ value }) => [...places].every((place) => shows(value, place.split('/').slice(1))))
    .map((record) => ({ record, traits: traitsOf(record.value, text) }))
    .filter(({ traits }) => traits.length > 0)
  const groups = holdersByTraits(records, text)
  return groups.flatMap(({ traits, last, holders }) => {
    const isNoMore = (some: Iterable<Trait>): boolean => [...some].every((trait) => traits.has(trait))
    const witnesses = proofs.filter((proof) => isNoMore(proof.traits)).map(({ record }) => record)
    const noMore = groups.filter((other) => isNoMore(other.traits)).flatMap((other) => other.holders)
    const isTold = witnesses.some(({ value }) => placesInTheLast(value, text).every((place) => last.has(place)))
    if (witnesses.length < WITNESSES || !isTold) return []
    const told = holders.filter((record) => witnesses.some((witness) => isNoDeeper(record, witness, text)))
    return told.length === 0 ? [] : [{ holders: told, witnesses, noMore }]
  })
}

/** Whether a record holds the text no further in, wherever another one does: a search may look at the beginning of texts alone. */
function isNoDeeper({ value }: Record, { value: witness }: Record, text: string): boolean {
  const [own, others] = [value, witness].map((one) => new Map(endsOf(one, text)))
  return [...others!].every(([place, end]) => own!.get(place)! <= Math.max(end, BEGINNING))
}

/** Where a record's texts hold the text first, and how far in it ends there. */
function endsOf(record: object, text: string): [string, number][] {
  return plainLeavesOf(record).flatMap(([path, , bare]): [string, number][] => {
    const at = bare.indexOf(text)
    return at < 0 ? [] : [[path, at + text.length]]
  })
}

/** The records that hold a text, by all the ways in which they do. */
function holdersByTraits<T extends Record>(records: readonly T[], text: string) {
  const groups = new Map<string, { traits: ReadonlySet<Trait>; last: ReadonlySet<string>; holders: T[] }>()
  for (const record of records) {
    const traits = traitsOf(record.value, text)
    if (traits.length === 0) continue
    const last = new Set(placesInTheLast(record.value, text))
    const key = [...traits.toSorted(), ...last].join('\n')
    const group = groups.get(key) ?? { traits: new Set(traits), last, holders: [] }
    group.holders.push(record)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function traitsOf(record: object, text: string): Trait[] {
  const traits = plainLeavesOf(record)
    .filter(([, , bare]) => bare.includes(text))
    .flatMap(([path, value]) => occurrences(value, text).map((how) => `${path}, ${how}`))
  return [...new Set(traits)]
}

/** In which members the last item of an array holds the text, such as `flow/content`: a search may look at that item alone. */
export function placesInTheLast(record: object, text: string): string[] {
  return placesOf(record, text).flatMap((place) => {
    const names = place.split('/').slice(1)
    let value: unknown = record
    let isLast = false
    for (const name of names) {
      isLast ||= Array.isArray(value) && Number(name) === value.length - 1
      value = (value as AnyRecord)[name]
    }
    return isLast ? [names.filter((name) => !/^\d+$/.test(name)).join('/')] : []
  })
}

/** What parts a text from the rest on one side of it: which signs do, besides blanks, is open. Undefined where a letter or digit follows. */
function boundary(letter = ' '): string | undefined {
  return /[\p{L}\p{N}]/u.test(letter) ? undefined : letter
}

/**
 * How a value holds a text of small letters: where in a word, whether as a whole one, in another case, or with accents, which
 * a letter may have as a sign of its own.
 */
function occurrences(value: string, text: string): string[] {
  const characters = value.normalize('NFD').match(/\P{M}\p{M}*/gu) ?? []
  const letters = characters.map((character) => String.fromCodePoint(character.codePointAt(0)!))
  return letters.flatMap((_, at) => {
    const found = letters.slice(at, at + text.length).join('')
    if (found.toLowerCase() !== text) return []
    const [before, behind] = [boundary(letters[at - 1]), boundary(letters[at + text.length])]
    const start = before === undefined ? 'inside' : `at the start of a word, "${before}"`
    const end = before === undefined || behind === undefined ? '' : `a whole one, "${behind}"`
    const isAccented = characters.slice(at, at + text.length).join('') !== found
    const accents = isAccented && (value === value.normalize() ? 'with accents' : 'with accents apart')
    return [`${at === 0 ? 'at its start' : start}, ${end}, ${found === text}, ${accents}`]
  })
}

/** Where a record holds the text. */
export function placesOf(record: object, text: string): string[] {
  const sought = plain(text)
  return plainLeavesOf(record).flatMap(([path, , bare]) => (bare.includes(sought) ? [path] : []))
}

/** Whether a record holds any word of a text. */
export function holdsAnyWord(record: object, text: string): boolean {
  return [...new Set(plain(text).match(WORD))].some((word) => placesOf(record, word).length > 0)
}

/** Whether a record shows a place, be it empty: it may have been found for what it does not show. */
function shows(value: unknown, [name, ...inner]: readonly string[]): boolean {
  if (name === undefined || value === null) return true
  if (Array.isArray(value)) return !(name in value) || shows(value[Number(name)], inner)
  return isObject(value) && name in value && shows(value[name], inner)
}

/**
 * Every text in a record, but ids, dates and addresses of pictures, with the place where it is: of several messages, a search
 * may look at the first alone.
 */
export function leavesOf(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return /(^|[a-z])(id|At|Url)$/i.test(path) ? [] : [[path, value]]
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => leavesOf(item, `${path}/${index}`))
  return isObject(value) ? Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, `${path}/${name}`)) : []
}

/** The texts of a record, taken out of it once: many checks ask for them. */
function plainLeavesOf(record: object): readonly PlainLeaf[] {
  const known = plainLeaves.get(record) ?? leavesOf(record).map(([path, text]): PlainLeaf => [path, text, plain(text)])
  plainLeaves.set(record, known)
  return known
}

/** A text in small letters without accents. */
export function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
