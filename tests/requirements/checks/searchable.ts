import { asText, idOf, type ListOperation, type Located, type RecordOf, type Schemas } from '../../engine/records.ts'
import { seededRandom } from '../../engine/random.ts'
import type { Trial } from '../../engine/trial.ts'
import type { Searched } from '../operations.ts'

const RECORDS_TRIED = 4
/** What is longer may be refused, as many a server limits the length of an address. */
const LONGEST = 200

/** Letters, with the marks, spaces, hyphens and apostrophes that names have: a text no search can read as anything else. */
const ORDINARY = /^\p{L}[\p{L}\p{M}'’-]*( \p{L}[\p{L}\p{M}'’-]*)*$/u

/** Letters and digits in words with single blanks between them. */
const PLAIN = /^[\p{L}\p{M}\p{N}'’-]+( [\p{L}\p{M}\p{N}'’-]+)*$/u

/** A word of letters, long enough to tell something. */
const WORD = /(?<![\p{L}\p{M}\p{N}'’-])\p{L}[\p{L}\p{M}]{3,}(?![\p{L}\p{M}\p{N}'’-])/gu

/** A sentence without a sign that some searches take for more than itself. */
const READABLE = /^(?=.*\p{L}{4})[^%_\\<>&"*\p{C}]{4,200}$/u

/** How sure it is that a search for a text finds the record: what is not, still compares one search with another. */
export type Certainty = 'certain' | 'any'

interface Searchable<O extends ListOperation> {
  readonly record: Located<RecordOf<O>>
  /** Texts of which, where it is certain, at least one must find the record. */
  readonly texts: readonly string[]
}

/** A few records with texts to search for: a name with marks, one with an apostrophe, the last record, and others. */
export async function searchable<O extends Searched>(
  trial: Trial,
  operation: O,
  certainty: Certainty,
): Promise<Searchable<O>[]> {
  const key = `some searchable ${operation} ${certainty}`
  return trial.session.remember(key, async () => {
    // Whichever check asks first, they are the same.
    const random = seededRandom(trial.session.settings.seed, ...Buffer.from(key))
    const candidates = await everySearchable(trial, operation, certainty)
    const special = [/[^\p{ASCII}]/u, /['’]/].map((pattern) => candidates.find((one) => pattern.test(one.texts[0]!)))
    const plain = random.helpers.arrayElements(candidates, RECORDS_TRIED)
    const chosen = [...special, candidates.at(-1), ...plain].filter((one) => one !== undefined)
    return [...new Set(chosen)].slice(0, RECORDS_TRIED)
  })
}

/**
 * All records with texts to search for: names of letters alone; where there are none, names with digits or signs in
 * them; then any other text.
 */
export function everySearchable<O extends Searched>(
  trial: Trial,
  operation: O,
  certainty: Certainty,
): Promise<readonly Searchable<O>[]> {
  return trial.session.remember(`searchable ${operation} ${certainty}`, async () => {
    const all = await trial.list(operation)
    const contacts = await trial.list('listContacts')
    const named = (record: RecordOf<Searched>): unknown => {
      const name = nameOf(operation, record, contacts)
      return typeof name === 'string' && name.length > LONGEST ? undefined : name
    }
    const ways: ((record: RecordOf<Searched>) => readonly string[])[] = [
      (record) => certainTexts(operation, record, ordinary(named(record))),
      (record) => certainTexts(operation, record, withDigits(named(record))),
      ...(certainty === 'any' ? [(record: RecordOf<Searched>) => anyTexts(record, named(record))] : []),
    ]
    for (const textsOf of ways) {
      const candidates = all.records
        .filter(({ value }) => idOf(value) !== undefined)
        .map((record) => ({ record, texts: textsOf(record.value as RecordOf<Searched>) }))
        .filter(({ texts }) => texts.length > 0)
      if (candidates.length > 0) return candidates
    }
    return []
  })
}

/** The name of a contact, or of the contact of a ticket or schedule. */
function nameOf(
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
    (text): text is string => typeof text === 'string' && text.length >= 4 && text.length <= LONGEST,
  )
}

function ownTexts(record: RecordOf<Searched>): string[] {
  const { lastMessage, flow } = record as Schemas['Ticket'] & Schemas['Schedule']
  const own = (Array.isArray(flow) ? flow[0]?.content : undefined) ?? lastMessage
  return typeof own === 'string' && READABLE.test(own) ? [own] : []
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
