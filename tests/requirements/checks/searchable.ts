import { idOf, type ListOperation, type Located, type RecordOf, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import type { Searched } from '../operations.ts'

const RECORDS_TRIED = 4

/** Letters, with the marks, spaces, hyphens and apostrophes that names have: a text no search can read as anything else. */
const ORDINARY = /^\p{L}[\p{L}\p{M}'’-]*( \p{L}[\p{L}\p{M}'’-]*)*$/u

/** A sentence without a sign that some searches take for more than itself. */
const READABLE = /^(?=.*\p{L}{4})[^%_\\<>&"*\p{C}]{4,200}$/u

interface Searchable<O extends ListOperation> {
  readonly record: Located<RecordOf<O>>
  /** Texts of which at least one must find the record. */
  readonly texts: readonly string[]
}

/** Records with texts that must find them: a name with marks, one with an apostrophe, the last record, and others. */
export function searchable<O extends Searched>(
  trial: Trial,
  operation: O,
  certainty: 'certain' | 'any' = 'certain',
): Promise<Searchable<O>[]> {
  return trial.session.remember(`searchable ${operation} ${certainty}`, async () => {
    const all = await trial.list(operation)
    const texts = await textsOf(trial, operation, certainty)
    const candidates = all.records
      .filter(({ value }) => idOf(value) !== undefined)
      .map((record) => ({ record, texts: texts(record.value as RecordOf<Searched>) }))
      .filter((candidate) => candidate.texts.length > 0)
    const special = [/[^\p{ASCII}]/u, /['’]/].map((pattern) => candidates.find((one) => pattern.test(one.texts[0]!)))
    const plain = trial.random.helpers.arrayElements(candidates, RECORDS_TRIED)
    const chosen = [...special, candidates.at(-1), ...plain].filter((one) => one !== undefined)
    return [...new Set(chosen)].slice(0, RECORDS_TRIED)
  })
}

async function textsOf(
  trial: Trial,
  operation: Searched,
  certainty: 'certain' | 'any',
): Promise<(record: RecordOf<Searched>) => string[]> {
  if (operation === 'listContacts') return (record) => ordinary((record as Schemas['Contact']).name)
  const contacts = await trial.list('listContacts')
  return (record) => {
    const { contactId, contact, lastMessage, flow } = record as Schemas['Ticket'] & Schemas['Schedule']
    // A schedule that shows no contact may be searched without one.
    const named = operation === 'listSchedules' && contact === undefined ? '' : (contactId ?? '')
    const name = ordinary(contacts.byId.get(named)?.value.name)
    const own = flow?.[0]?.content ?? lastMessage
    const owns = typeof own === 'string' && READABLE.test(own) ? [own] : []
    return certainty === 'any' || (name.length > 0 && owns.length > 0) ? [...name, ...owns] : []
  }
}

/** The text, as a list of one, where it can only be read as a text to search for. */
function ordinary(text: unknown): string[] {
  return typeof text === 'string' && ORDINARY.test(text) && text.replace(/\P{L}/gu, '').length >= 4 ? [text] : []
}
