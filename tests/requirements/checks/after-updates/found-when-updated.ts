import { NOT_FOUND, type Exchange } from '../../../engine/http/exchange.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import { type AnyRecord, askable, asText, idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { randomWord } from '../../unknown-value.ts'
import type { UpdateBody } from '../updates/update-body.ts'
import { eventually } from '../eventually.ts'
import { isKept } from '../updates/kept.ts'

/** By what a search may find a contact; that it does is open, and told by contacts that were not updated. */
export const FOUND_BY = ['name', 'email', 'number'] as const
export type FoundBy = (typeof FOUND_BY)[number]

/** So many contacts that are found by a field leave no doubt that a search looks at it. */
const CONTACTS_FOUND = 3

/** Shorter words of an address may be in any name. */
const SHORTEST_WORD = 3

/** Small letters that hardly any other name has one after the other. */
const LETTERS = /[a-z]{4,}/

/** Whether searches found an updated contact by its new values, and what is its own by its name; without what is open. */
export type Found = Map<FoundBy | FoundIn, boolean>

/** Searches for a contact while an update shows, by what is not known of it yet. */
export async function searchForUpdated(
  trial: Trial,
  found: Found,
  sent: UpdateBody,
  after: Located<Schemas['Contact']>,
  stored: Schemas['Contact'],
): Promise<void> {
  const note = async (what: FoundBy | FoundIn, look: () => Promise<boolean | undefined>): Promise<void> => {
    const isFound = found.get(what) ?? (await look())
    if (isFound !== undefined) found.set(what, isFound)
  }
  await note('name', () => isFoundBy(trial, 'name', sent, after, stored))
  // A search that does not show such a contact at all tells nothing of its other fields.
  if (found.get('name'))
    for (const field of FOUND_BY) await note(field, () => isFoundBy(trial, field, sent, after, stored))
  for (const operation of FOUND_IN) await note(operation, () => isFoundIn(trial, operation, sent, after, stored))
}

/** Whether a search for a new value finds an updated contact, given time; undefined where no search looks at the field. */
export async function isFoundBy(
  trial: Trial,
  field: FoundBy,
  sent: UpdateBody,
  { value, exchange }: Located<Schemas['Contact']>,
  stored: Schemas['Contact'],
): Promise<boolean | undefined> {
  const text = askable(value[field])
  if (sent[field] === undefined || text === undefined || !isKept(field, sent, value)) return undefined
  if (isSearchFor(text, exchange)) return true
  const { paged, pageSize } = await trial.list('listContacts')
  // Of many that are alike, it may be on a later page.
  const look = async (): Promise<boolean | undefined> => {
    const { isFound, length } = await searchFor(trial, text, idOf(value)!)
    return isFound === false && paged && length >= pageSize ? undefined : isFound
  }
  const isFound = await look()
  if (isFound !== false) return isFound
  const looksAtField =
    (await findsBy(trial, field, idOf(value)!)) ||
    (await isFoundByFormer(trial, field, stored)) ||
    (field === 'name' && (await isFoundByLettersOf(trial, value)))
  if (!looksAtField) return undefined
  return eventually(trial.session, look, (one) => one !== false)
}

/** Whether a search finds a contact by letters inside its name that are nowhere else in it: it looks at names, if not at whole ones. */
async function isFoundByLettersOf(trial: Trial, contact: Schemas['Contact']): Promise<boolean> {
  const letters = contact.name?.match(LETTERS)?.[0]
  if (letters === undefined || !isShownOnce(contact, 'name')) return false
  return (await searchFor(trial, letters, idOf(contact)!)).isFound === true
}

/** Whether a search finds a contact by what it has had in a field, and nowhere else: it looks at the field, as it was. */
async function isFoundByFormer(trial: Trial, field: FoundBy, stored: Schemas['Contact']): Promise<boolean> {
  const former = askable(stored[field])
  if (former === undefined || !isShownOnce(stored, field)) return false
  return (await searchFor(trial, former, idOf(stored)!)).isFound === true
}

/** Lists of what is a contact's, whose search may look at the contact's name. */
const FOUND_IN = ['listSchedules', 'listTickets'] as const
type FoundIn = (typeof FOUND_IN)[number]

/**
 * Whether a search for the new name of an updated contact finds what is its own, given time; undefined where one for the
 * former name, which is not in the records themselves, does not find it either.
 */
async function isFoundIn(
  trial: Trial,
  operation: FoundIn,
  sent: UpdateBody,
  { value }: Located<Schemas['Contact']>,
  stored: Schemas['Contact'],
): Promise<boolean | undefined> {
  const [name, former] = [askable(value.name), askable(stored.name)]
  const isLeftOut = trial.session.settings.operations?.includes(operation) === false
  if (isLeftOut || !name || !former || sent.name === undefined || !isKept('name', sent, value)) return undefined
  const records: readonly Located<Schemas['Schedule'] | Schemas['Ticket']>[] = (await trial.list(operation)).records
  const own = records.filter((one) => asText(one.value.contactId) === idOf(value) && !isInIt(former, one.value))
  const ids = new Set(own.flatMap((one) => idOf(one.value) ?? []))
  const finds = async (searchParam: string): Promise<boolean> => {
    const probe = await trial.session.attempt(operation, { query: { searchParam } })
    return recordsOf(trial.session, operation, probe).some((one) => ids.has(idOf(one.value) ?? ''))
  }
  if (ids.size === 0) return undefined
  if (await finds(name)) return true
  return (await finds(former)) ? eventually(trial.session, () => finds(name), Boolean) : undefined
}

/** Whether a text is in a record, besides the contact that it embeds. */
function isInIt(text: string, { contact: _contact, ...own }: AnyRecord): boolean {
  return JSON.stringify(own).includes(text)
}

/** Whether a status says that a text may not be searched for. */
async function isRefusal(trial: Trial, status: number | undefined): Promise<boolean> {
  if (status === NOT_FOUND) return findsNothingWithSuccess(trial)
  return status !== undefined && status >= 400 && status < 500
}

/** Whether a search that finds nothing is a success: a target may answer it with 404. */
function findsNothingWithSuccess(trial: Trial): Promise<boolean> {
  return trial.session.remember('search that finds nothing', async () => {
    const { success } = await trial.session.attempt('listContacts', {
      query: { searchParam: randomWord(trial.random) },
    })
    return success
  })
}

/** Whether a search for a text finds a contact now, undefined where it is refused, and how many are on its first page. */
export async function searchFor(
  trial: Trial,
  text: string,
  contactId: string,
): Promise<{ readonly isFound: boolean | undefined; readonly length: number; readonly exchange: Exchange }> {
  const probe = await trial.session.attempt('listContacts', { query: { searchParam: text } })
  const found = recordsOf(trial.session, 'listContacts', probe)
  const isFound = (await isRefusal(trial, probe.status))
    ? undefined
    : found.some(({ value }) => idOf(value) === contactId)
  return { isFound, length: found.length, exchange: probe.exchange }
}

/** Whether some contacts, other than one, are all found by a search for what they show in a field and nowhere else. */
async function findsBy(trial: Trial, field: FoundBy, except: string): Promise<boolean> {
  const seen = everyRecord(trial, 'listContacts', trial.session.caller)
  const isFoundByName = ({ record, exchange }: (typeof seen)[number]): boolean =>
    isSearchFor(record['name'], exchange) && isShownOnce(record, 'name')
  if (field === 'name' && seen.some(isFoundByName)) return true
  const { records } = await trial.list('listContacts')
  const telling = records.filter(
    ({ value }) => idOf(value) !== except && askable(value[field]) !== undefined && isShownOnce(value, field),
  )
  const found = await trial.each(telling.slice(-CONTACTS_FOUND), async ({ value }) => {
    const { byId } = await trial.searched('listContacts', askable(value[field])!)
    return byId.has(idOf(value) ?? '')
  })
  return found.length > 0 && found.every(Boolean)
}

/** Whether an answer is that of a search for a text. */
export function isSearchFor(text: unknown, { request }: Exchange): boolean {
  return new URL(request.url).searchParams.get('searchParam') === text
}

/** Whether no word of a field's value is in any other that a search may look at. */
function isShownOnce(contact: Schemas['Contact'], field: FoundBy): boolean {
  const words = wordsOf(contact[field])
  const others = FOUND_BY.filter((other) => other !== field).map((other) => wordsOf(contact[other]).join(' '))
  return words.length > 0 && words.every((word) => !others.some((other) => other.includes(word)))
}

function wordsOf(value: unknown): readonly string[] {
  const text = asText(value) ?? ''
  const letters = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return letters.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= SHORTEST_WORD)
}
