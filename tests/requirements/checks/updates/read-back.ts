import { idInPath, isSuccess, queryOf } from '../../../engine/http/exchange.ts'
import { ENDLESS, recordsOf } from '../../../engine/data/listing.ts'
import { orElse } from '../../../engine/or-else.ts'
import { askable, idOf, idsOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatesSent } from './send-update.ts'
import { typeOf, UPDATE_FIELDS, type UpdateBody, type UpdateField } from './update-body.ts'
import { eventually } from '../eventually.ts'
import { isKept, kept } from './kept.ts'
import { untilItShows } from './until-it-shows.ts'

type Contact = Schemas['Contact']

/** Of a name; a target may have cut it short. */
const FIRST_LETTERS = 24

/**
 * The contact as listed now, given time to show the whole update: a cache may still hold what was shown some updates ago.
 * @param text a new value that a search for the contact is tried with first, where searches look at its field.
 */
export async function readBack(
  trial: Trial,
  contactId: string,
  hoped: UpdateBody,
  before: { readonly [F in keyof UpdateBody]?: UpdateBody[F] | undefined },
  text?: string,
): Promise<Located<Contact> | undefined> {
  const fields = Object.keys(hoped) as (keyof UpdateBody)[]
  const changed = fields.filter((field) => !sameValue(hoped[field], before[field]))
  // A value of another type may be stored as one of the right type: what is sent beside it tells whether the update shows.
  const ofOwnType = changed.filter((field) => typeof hoped[field] === typeOf(field))
  const telling = ofOwnType.length > 0 ? ofOwnType : changed
  const showsIt = ({ value }: Located<Contact>): boolean =>
    telling.every((field) => value[field] === undefined || isKept(field, hoped, value))
  const look = (): ReturnType<typeof findContact> => findContact(trial, contactId, [text, hoped.name, before.name])
  return untilItShows(trial.session, look, showsIt)
}

/**
 * The interface has no contact by id: a search for its names finds it, or else the walk through all pages.
 * @throws NotExercised where neither does, and the list has more pages than are walked.
 */
export async function findContact(
  trial: Trial,
  contactId: string,
  names: readonly (string | undefined)[],
): Promise<Located<Contact> | undefined> {
  const isIt = ({ value }: Located<Contact>): boolean => idOf(value) === contactId
  const listed = (await trial.list('listContacts')).byId.get(contactId)?.value
  let shownLess: Located<Contact> | undefined
  for (const name of new Set(names)) {
    const searchParam = askable(name) ?? firstWords(name)
    if (!searchParam) continue
    // A search may hang, or be turned away for its text, where the list is not.
    const found = await orElse(walkAgain(trial, { searchParam }, isIt), undefined)
    const contact = found?.contacts.find(isIt)
    if (!contact) continue
    // A search may show less of a contact than the list does.
    if (UPDATE_FIELDS.every((field) => field in contact.value || !(field in (listed ?? {})))) return contact
    shownLess = contact
    break
  }
  const { contacts, isWhole } = await walkAgain(trial)
  const contact = contacts.find(isIt) ?? shownLess
  return contact ?? (isWhole ? undefined : trial.notExercised(ENDLESS))
}

/** What a name that is too long to be asked for begins with; a target may show anything for a name. */
function firstWords(name: unknown): string | undefined {
  return typeof name === 'string' ? name.slice(0, FIRST_LETTERS).replace(/\s\S*$/u, '') : undefined
}

/** The page on which a contact was listed, as it is now. */
export async function pageAgain(trial: Trial, { exchange }: Located<Contact>): Promise<readonly Located<Contact>[]> {
  const query = queryOf(exchange)
  return recordsOf(trial.session, 'listContacts', await trial.session.attempt('listContacts', { query }))
}

/**
 * The page again as it is listed without a page number, where that shows the contact: the answers to both may be kept. The
 * numbered one is seen when the whole list is walked.
 */
export async function pageWithoutNumber(trial: Trial, contact: Located<Contact>): Promise<readonly Located<Contact>[]> {
  const { session } = trial
  const isIt = ({ value }: Located<Contact>): boolean => idOf(value) === idOf(contact.value)
  const plain = recordsOf(session, 'listContacts', await session.ask('listContacts'))
  if (!plain.some(isIt)) return pageAgain(trial, contact)
  return recordsOf(session, 'listContacts', await session.attempt('listContacts'))
}

interface Walk {
  readonly contacts: readonly Located<Contact>[]
  /** Whether the walk came to the end of the list. */
  readonly isWhole: boolean
}

/**
 * The contacts of the list, or of a search, as they are now: on the pages that the list had, and on more as long as the
 * last one is full and not a repetition. A search is walked page by page, until it has what is wanted.
 */
export async function walkAgain(
  trial: Trial,
  search: Readonly<Record<string, string>> = {},
  isWanted: (contact: Located<Contact>) => boolean = () => false,
): Promise<Walk> {
  const { pages, pageSize, firstPage } = await trial.list('listContacts')
  const pageOf = async (number: number): Promise<readonly Located<Contact>[]> => {
    const query = { ...search, pageNumber: String(number) }
    return recordsOf(trial.session, 'listContacts', await trial.session.attempt('listContacts', { query }))
  }
  const numbers = 'searchParam' in search ? [firstPage] : pages.map(({ number }) => number ?? 1)
  const walked: (readonly Located<Contact>[])[] = []
  const known = new Set<string | undefined>()
  /** A page that only repeats others is one behind the end of a list that has become shorter. */
  const add = (page: readonly Located<Contact>[]): boolean => {
    const isRepetition = page.every(({ value }) => known.has(idOf(value)))
    if (!isRepetition) walked.push(page)
    for (const { value } of page) known.add(idOf(value))
    return !isRepetition
  }
  for (const page of await Promise.all(numbers.map(pageOf))) add(page)
  const isFull = (): boolean => pageSize > 0 && walked.at(-1)?.length === pageSize && !walked.at(-1)!.some(isWanted)
  while (isFull()) {
    if (walked.length >= trial.session.settings.maxPages) return { contacts: walked.flat(), isWhole: false }
    if (!add(await pageOf(firstPage + walked.length))) break
  }
  return { contacts: walked.flat(), isWhole: true }
}

/** One may be deleted by somebody else at the same time. */
export const GONE_THAT_TELL = 2

/** The contacts of which an update was accepted and that the whole list has no more; none where others are gone, too. */
export async function goneOnceUpdated(trial: Trial): Promise<ReadonlySet<string>> {
  const gone = await goneFromTheList(trial)
  const own = updatesSent(trial).filter((one) => one.request.caller === trial.session.caller && isSuccess(one))
  const updated = new Set<string | undefined>(own.map(idInPath))
  return gone && [...gone].every((id) => updated.has(id)) ? gone : new Set()
}

/** The contacts that the list has no more; undefined where it can't be walked to its end. */
export async function goneFromTheList(trial: Trial): Promise<ReadonlySet<string> | undefined> {
  const { byId } = await trial.list('listContacts')
  const { contacts, isWhole } = await walkAgain(trial)
  const now = idsOf(contacts)
  return isWhole ? new Set([...byId.keys()].filter((id) => !now.has(id))) : undefined
}

/** A look at the list, until it shows what a search has shown of an update: a list may be cached for a moment. */
export async function untilShown(
  trial: Trial,
  values: UpdateBody,
  after: Located<Schemas['Contact']> | undefined,
  look: () => Promise<readonly Located<Schemas['Contact']>[]>,
): Promise<readonly Located<Schemas['Contact']>[]> {
  const shown = after ? kept(values, after) : {}
  return eventually(trial.session, look, (contacts) => {
    const own = contacts.find(({ value }) => idOf(value) === idOf(after?.value))
    const fields = own ? (Object.keys(shown) as UpdateField[]).filter((field) => field in own.value) : []
    return fields.every((field) => isKept(field, shown, own!.value))
  })
}
