import { SAMPLE } from '../../../engine/data/listing.ts'
import {
  type AnyRecord,
  askable,
  asText,
  idOf,
  LONGEST_ASKED,
  type ListOperation,
  type Located,
  type RecordOf,
  type Schemas,
} from '../../../engine/data/records.ts'
import { seededRandom } from '../../../engine/random.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { Searched } from '../../operations.ts'
import { tellsCapitals } from './capitals.ts'
import { unlikeFirst } from '../unlike.ts'

const RECORDS_TRIED = 4
const DRAWS = 4
const MANY = 1000

/** Letters, with the marks, spaces, hyphens and apostrophes that names have: a text no search can read as anything else. */
const ORDINARY = /^\p{L}[\p{L}\p{M}'’-]*( \p{L}[\p{L}\p{M}'’-]*)*$/u

/** Letters and digits in words with single blanks between them. */
const PLAIN = /^[\p{L}\p{M}\p{N}'’-]+( [\p{L}\p{M}\p{N}'’-]+)*$/u

/** A word of letters, long enough to tell something. */
const WORD = /(?<![\p{L}\p{M}\p{N}'’-])\p{L}[\p{L}\p{M}]{3,}(?![\p{L}\p{M}\p{N}'’-])/gu

/** A number of a telephone, as it often stands for a name that nobody knows. */
const DIGITS = /^\d{8,}$/

/** A sentence without a sign that some searches take for more than itself, and without blanks around it, which they may take off. */
const READABLE = /^(?!\s)(?=.*\p{L}{4})[^%_\\<>&"*\p{C}]{4,200}(?<!\s)$/u

/** What a name may have in it that a search gets wrong. */
const IN_NAMES = {
  'small letter beyond ASCII': /(?=\P{ASCII})\p{Ll}/u,
  apostrophe: /['’]/,
  // A text is cut where it has so many bytes, be it within a character.
  'many characters beyond ASCII': /(\P{ASCII}.*){13}/u,
  // Letters that are no others with a mark, or whose small letter has one: two ways of folding differ in them.
  'letter that folds oddly': /[łđøþæœßıİŁĐØÞÆŒ]/,
  'capitals alone': /^(?=.*\p{Lu}{4})\P{Ll}*$/u,
}

/** What a ticket's or a schedule's own text may have in it that a search gets wrong. */
const IN_OWN_TEXTS = {
  long: /.{46}/su,
  'sign beyond Latin': /[^\0-\u024F]/u,
}

/** Fields whose value may keep a record out of a search. */
const STATES = ['status', 'isGroup', 'isBot', 'isOpen', 'active'] as const

/** How sure it is that a search for a text finds the record: what is not, still compares one search with another. */
export type Certainty = 'certain' | 'any'

export interface Searchable<O extends ListOperation> {
  readonly record: Located<RecordOf<O>>
  /** Texts of which, where it is certain, at least one must find the record. */
  readonly texts: readonly string[]
}

/**
 * A few records with texts to search for that differ in what a search may trip over: letters beyond ASCII, small and
 * capital, an apostrophe, the last place, each state, and each field that some records show and others lack, as a join may
 * lose these.
 */
export async function searchable<O extends Searched>(
  trial: Trial,
  operation: O,
  certainty: Certainty,
): Promise<Searchable<O>[]> {
  return trial.session.remember(`some searchable ${operation} ${certainty}`, async () => {
    // Whichever check asks first, and however sure it has to be, they are the same.
    const random = seededRandom(trial.session.settings.seed, ...Buffer.from(`some searchable ${operation}`))
    const every = await everySearchable(trial, operation, certainty)
    // An index may leave out words that are too short.
    const withLongWords = every.filter(({ texts }) => words(texts[0]).length > 0)
    const candidates = withLongWords.length > 0 ? withLongWords : every
    const fields = trial.session.contract.fieldNames(trial.session.contract.operation(operation).schema)
    const traits = new Map(
      candidates.map((one) => [
        one,
        [
          ...letterTraits(one.texts),
          ...stateTraits(one.record.value),
          ...fields.map((field) => `${isShown(one.record.value, field) ? 'shows' : 'lacks'} ${field}`),
          ...(one === candidates.at(-1) ? ['comes last'] : []),
        ],
      ]),
    )
    const traitsOf = (one: Searchable<O>): readonly string[] => traits.get(one)!
    const told = (some: readonly Searchable<O>[]): number => new Set(some.flatMap(traitsOf)).size
    // The first choice decides which others there is room for.
    const draws = Array.from({ length: candidates.length > MANY ? 1 : DRAWS }, () =>
      unlikeFirst(random.helpers.shuffle(candidates), traitsOf, RECORDS_TRIED),
    )
    return draws.reduce((best, one) => (told(one) > told(best) ? one : best))
  })
}

function letterTraits(texts: readonly string[]): string[] {
  const ofName = traitsIn(texts[0]!, IN_NAMES)
  const ofOwnText = texts.length > 1 ? traitsIn(texts.at(-1)!, IN_OWN_TEXTS) : []
  // A text is looked at or not: a capital in the one tells nothing of the other.
  return [
    ...ofName,
    ...ofOwnText,
    ...texts.flatMap((text, at) => (tellsCapitals(text, at === 0) ? [`capital in text ${at}`] : [])),
  ]
}

function traitsIn(text: string, patterns: Readonly<Record<string, RegExp>>): string[] {
  return Object.entries(patterns).flatMap(([trait, pattern]) => (pattern.test(text) ? [trait] : []))
}

/** The states of a record that may keep it out of a search. */
export function stateTraits(record: object): string[] {
  return STATES.filter((field) => isShown(record, field)).map(
    (field) => `${field} ${String((record as AnyRecord)[field])}`,
  )
}

function isShown(record: object, field: string): boolean {
  const value = (record as AnyRecord)[field]
  return value !== undefined && value !== null && value !== ''
}

/**
 * All records with texts to search for: names of letters alone; where there are none, or all are alike, names with digits or
 * signs in them; then numbers that stand for names, and then any other text.
 */
export function everySearchable<O extends Searched>(
  trial: Trial,
  operation: O,
  certainty: Certainty,
): Promise<readonly Searchable<O>[]> {
  return trial.session.remember(`searchable ${operation} ${certainty}`, async () => {
    const all = await trial.list(operation)
    const contacts = await trial.list('listContacts')
    const named = (record: RecordOf<Searched>): string | undefined => askable(nameOf(operation, record, contacts))
    const numbers = new Set(contacts.records.flatMap(({ value }) => askable(value.number) ?? []))
    const numberAsName = (record: RecordOf<Searched>): string[] => {
      const name = named(record)
      return name !== undefined && DIGITS.test(name) && numbers.has(name) ? [name] : []
    }
    let alike: readonly Searchable<O>[] = []
    const ways: ((record: RecordOf<Searched>) => readonly string[])[] = [
      (record) => certainTexts(operation, record, ordinary(named(record))),
      (record) => certainTexts(operation, record, withDigits(named(record))),
      (record) => certainTexts(operation, record, numberAsName(record)),
      ...(certainty === 'any' ? [(record: RecordOf<Searched>) => anyTexts(record, named(record))] : []),
    ]
    for (const textsOf of ways) {
      const candidates = spread(all.records, SAMPLE)
        .filter(({ value }) => idOf(value) !== undefined)
        .map((record) => ({ record, texts: textsOf(record.value as RecordOf<Searched>) }))
        .filter(({ texts }) => texts.length > 0)
      if (new Set(candidates.map(({ texts }) => texts.join())).size > 1) return candidates
      if (alike.length === 0) alike = candidates
    }
    return alike
  })
}

/** So many of several, from all over them. */
function spread<T>(several: readonly T[], most: number): readonly T[] {
  const step = several.length / most
  return step <= 1 ? several : Array.from({ length: most }, (_, index) => several[Math.floor(index * step)]!)
}

/** The name of a contact, or of the contact of a ticket or schedule. */
export function nameOf(
  operation: Searched,
  record: RecordOf<Searched>,
  contacts: { readonly byId: ReadonlyMap<string, Located<Schemas['Contact']>> },
): unknown {
  if (operation === 'listContacts') return (record as Schemas['Contact']).name
  const { contactId, contact } = record as Schemas['Schedule']
  // A schedule that shows no contact may be searched without one.
  if (operation === 'listSchedules' && contact === undefined) return undefined
  return contacts.byId.get(asText(contactId) ?? '')?.value.name
}

/** Which of its texts a search looks at is open: of a ticket or a schedule, its contact's name and its own text. */
function certainTexts(operation: Searched, record: RecordOf<Searched>, names: readonly string[]): readonly string[] {
  if (operation === 'listContacts') return names
  const own = ownTexts(record)
  return names.length > 0 && own.length > 0 ? [...names, ...own] : []
}

function anyTexts(record: RecordOf<Searched>, name: unknown): readonly string[] {
  const { email, number } = record as Schemas['Contact']
  return [...ordinary(name), ...words(name), ...ownTexts(record), name, email, number].filter(
    (text): text is string => typeof text === 'string' && text.length >= 4 && text.length <= LONGEST_ASKED,
  )
}

function ownTexts(record: object): string[] {
  const own = ownText(record)
  return own !== undefined && READABLE.test(own) ? [own] : []
}

/** The first message of a schedule, or the last of a ticket. */
export function ownText(record: object): string | undefined {
  const { lastMessage, flow } = record as Schemas['Ticket'] & Schemas['Schedule']
  return asText((Array.isArray(flow) ? flow[0]?.content : undefined) ?? lastMessage)
}

/** The text, as a list of one, where it can only be read as a text to search for. */
function ordinary(text: unknown): string[] {
  return typeof text === 'string' && ORDINARY.test(text) && text.replace(/\P{L}/gu, '').length >= 4 ? [text] : []
}

/** The two longest words of letters in a text such as "Cliente 12". */
function words(text: unknown): string[] {
  if (typeof text !== 'string') return []
  return [...new Set(text.match(WORD))].toSorted((a, b) => b.length - a.length).slice(0, 2)
}

/** The whole text, such as "Cliente 12"; where it has signs or blanks that a search may read otherwise, its words too. */
function withDigits(text: unknown): string[] {
  if (typeof text !== 'string' || words(text).length === 0) return []
  return PLAIN.test(text) ? [text] : [text, ...words(text)]
}
