import type { Exchange } from '../../engine/exchange.ts'
import { ENDLESS, recordsOf } from '../../engine/listing.ts'
import { asBoolean, idOf, sameValue, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import type { Probe, Session } from '../../engine/session.ts'
import { TRANSIENT_STATUS } from '../../engine/trouble.ts'
import { put, REFUSAL_OF_THE_MOMENT, storedBody, UPDATE_BOOLEANS, updateBody, type UpdateBody } from '../calls.ts'
import { settleIfKept } from '../restoration.ts'
import { eventually } from './eventually.ts'
import { isKept } from './kept.ts'

type Contact = Schemas['Contact']

/** A target that stores nothing is not waited for each time: so many waits in vain are enough, where none was ever of use. */
const WAITS_IN_VAIN = 2
const SHORT_PATIENCE_MS = 300

/** A lock that is gone sooner is none. */
const SHORTEST_LOCK_MS = 300

interface Lateness {
  /** Whether an update ever showed later than at once. */
  isLate: boolean
  /** How many accepted updates were not shown whole, to the end of the wait. */
  inVain: number
}

const latenessOf = new WeakMap<Session, Lateness>()

/** An update and what was read back: after it, and after the stored values were sent back. */
export interface RoundTrip {
  readonly contactId: string
  readonly stored: UpdateBody
  /** What was sent; `sent` is what the contact should then show. */
  readonly body: UpdateBody
  readonly sent: UpdateBody
  readonly exchange: Exchange
  /** False where the target refused the values. */
  readonly accepted: boolean
  /** A refusal of the update, which was accepted when the same was sent again at once. */
  readonly refusedOnce?: Exchange
  /** The contact, and its field with the value that was sent, though the update was refused. */
  readonly carriedOut?: { readonly contact: Located<Contact>; readonly field: keyof UpdateBody }
  /** False where it then refused the stored values: the contact is not as it was. */
  readonly putBack: boolean
  /** Undefined where the contact is not listed any more. */
  readonly after: Located<Contact> | undefined
  readonly restored: Located<Contact> | undefined
}

/** Some values of a contact that are changed, and what is done while they are; it is given what was read back. */
export interface Step {
  readonly changes: UpdateBody
  /** That a refusal is what is hoped for, so that it isn't asked for again. */
  readonly refusable?: true
  readonly meanwhile?: (after: Located<Contact> | undefined) => Promise<void>
}

/** Sends a contact's stored values with some of them changed, reads them back, and puts the contact back as it was. */
export async function roundTrip(
  trial: Trial,
  contact: Located<Contact>,
  changes: UpdateBody,
  meanwhile?: Step['meanwhile'],
): Promise<RoundTrip> {
  const [trip] = await roundTrips(trial, contact, [{ changes, ...(meanwhile && { meanwhile }) }])
  return trip!
}

/** Several round trips of one contact: the update that changes some values puts back those that were changed before. */
export async function roundTrips(
  trial: Trial,
  contact: Located<Contact>,
  steps: readonly Step[],
): Promise<readonly RoundTrip[]> {
  const contactId = idOf(contact.value)!
  const stored = storedBody(contact.value)
  const storedOf = (changes: UpdateBody): UpdateBody =>
    Object.fromEntries(Object.keys(changes).map((field) => [field, stored[field as keyof UpdateBody]]))
  const send = async (values: UpdateBody, mayWait = true) =>
    put(trial, contact.value, await updateBody(trial, contact.value, values), trial.session.caller, mayWait)
  const needed = await updateBody(trial, contact.value)
  const trips: RoundTrip[] = []
  /** What the contact was last changed to and not put back from. */
  let shown: UpdateBody = {}
  const close = (putBack: boolean, restored: Located<Contact> | undefined): void => {
    trips.push({ ...trips.pop()!, putBack, restored })
    settleIfKept(trial, restored?.value)
    shown = {}
  }
  const putBack = async (): Promise<void> => {
    const { success } = await send(storedOf(shown))
    close(success, success ? await readBack(trial, contactId, stored, { ...stored, ...shown }) : undefined)
  }
  /** Refused updates, of which it is not yet known whether they were carried out all the same. */
  let refused: RoundTrip[] = []
  const lookAtRefused = async (): Promise<void> => {
    const names = refused.map(({ sent }) => sent.name)
    const isAnswered = refused.some(({ exchange }) => !exchange.failure)
    if (refused.length === 0) return
    const seen = isAnswered ? await findContact(trial, contactId, [stored.name, ...names, shown.name]) : undefined
    const undo: UpdateBody[] = []
    const looked = refused.map((trip): RoundTrip => {
      const { exchange, sent } = trip
      const fields = (Object.keys(sent) as (keyof UpdateBody)[]).filter((field) => sent[field] !== stored[field])
      // Where a flag is off that this update leaves on, an earlier one has turned off what it did not send.
      const isReset = UPDATE_BOOLEANS.some((flag) => sent[flag] === true && asBoolean(seen?.value[flag]) === false)
      const stood =
        seen &&
        fields.find(
          (field) =>
            isKept(field, sent, seen.value) &&
            !isKept(field, stored, seen.value) &&
            !(isReset && sent[field] === false),
        )
      if (stood) trial.session.changes.confirm({ contactId })
      // What was never answered may have been stored all the same.
      if (stood || exchange.failure) undo.push(Object.fromEntries(fields.map((field) => [field, stored[field]])))
      else settleIfKept(trial, seen?.value)
      const isRefusal = stood && !wasInterrupted(trial, exchange)
      return { ...trip, ...(isRefusal && { carriedOut: { contact: seen, field: stood } }) }
    })
    refused = []
    if (Object.keys(shown).length > 0) await putBack()
    trips.push(...looked)
    for (const values of undo) await send(values)
  }
  for (const { changes, refusable, meanwhile } of steps) {
    const sent = { ...stored, ...changes }
    const values = { ...storedOf(shown), ...changes }
    const body = await updateBody(trial, contact.value, values)
    const unchanged = { contactId, stored, body, sent, putBack: true, after: undefined, restored: undefined }
    // What is not among the values that every update sends along may be refused when it is put back.
    const beyond = Object.keys(storedOf(changes)).filter((field) => !(field in needed) && field in stored)
    const probe = beyond.length > 0 ? await send(storedOf({ ...shown, ...changes })) : undefined
    if (probe && !probe.success) {
      await lookAtRefused()
      if (Object.keys(shown).length > 0) await putBack()
      trips.push({ ...unchanged, exchange: probe.exchange, accepted: false })
      continue
    }
    const first = await send(values, false)
    const again = isRefused(first) && !refusable ? await send(values) : first
    const { exchange, success: accepted } = again
    const trip = { ...unchanged, exchange, accepted }
    if (accepted) {
      const after = await readBack(trial, contactId, sent, { ...stored, ...shown })
      if (Object.keys(shown).length > 0) close(true, after)
      // What they may have stored is overwritten.
      trips.push(...refused.splice(0))
      trips.push({ ...trip, ...(!first.success && !wasLocked(first, again) && { refusedOnce: first.exchange }), after })
      shown = changes
      await meanwhile?.(after)
      continue
    }
    refused.push(trip)
    // Several refusals in a row are looked at together.
    if (!refusable || Object.keys(shown).length > 0) await lookAtRefused()
  }
  await lookAtRefused()
  if (Object.keys(shown).length > 0) await putBack()
  return trips
}

/** Whether the same update was sent before and met an outage: it may have been stored then. */
function wasInterrupted(trial: Trial, { request }: Exchange): boolean {
  return trial.session.evidence.exchanges.some(
    ({ request: { target, body }, failure, response }) =>
      target === request.target &&
      body === request.body &&
      (failure !== undefined || TRANSIENT_STATUS.has(response?.status ?? 0)),
  )
}

/** Whether a refusal, and what was accepted after a while, look like a lock that the update before had left. */
function wasLocked(first: Probe & { readonly mayBeLocked: boolean }, again: Probe): boolean {
  return (
    first.mayBeLocked && again.exchange.startedAt.getTime() - first.exchange.startedAt.getTime() >= SHORTEST_LOCK_MS
  )
}

/** Whether the target was there, and refused the update itself. */
function isRefused({ success, status }: Probe): boolean {
  return !success && status !== undefined && !REFUSAL_OF_THE_MOMENT.has(status)
}

/** The contact as listed now, given time to show the whole update: a cache may still hold what was shown some updates ago. */
export async function readBack(
  trial: Trial,
  contactId: string,
  hoped: UpdateBody,
  before: { readonly [F in keyof UpdateBody]?: UpdateBody[F] | undefined },
): Promise<Located<Contact> | undefined> {
  const fields = Object.keys(hoped) as (keyof UpdateBody)[]
  const changed = fields.filter((field) => !sameValue(hoped[field], before[field]))
  const lateness = latenessOf.get(trial.session) ?? { isLate: false, inVain: 0 }
  latenessOf.set(trial.session, lateness)
  const showsIt = ({ value }: Located<Contact>): boolean =>
    changed.every((field) => value[field] === undefined || isKept(field, hoped, value))
  let attempts = 0
  const seen = await eventually(
    trial.session,
    () => {
      attempts++
      return findContact(trial, contactId, [hoped.name, before.name])
    },
    (now) => now !== undefined && showsIt(now),
    !lateness.isLate && lateness.inVain >= WAITS_IN_VAIN ? SHORT_PATIENCE_MS : undefined,
  )
  if (seen && showsIt(seen)) lateness.isLate ||= attempts > 1
  else if (seen) lateness.inVain++
  return seen
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
  for (const name of new Set(names)) {
    if (typeof name !== 'string' || name === '') continue
    const found = await walkAgain(trial, { searchParam: name }, isIt)
    const contact = found.contacts.find(isIt)
    if (contact) return contact
  }
  const { contacts, isWhole } = await walkAgain(trial)
  const contact = contacts.find(isIt)
  return contact ?? (isWhole ? undefined : trial.notExercised(ENDLESS))
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
  const walked = await Promise.all(numbers.map(pageOf))
  const isFull = (): boolean => pageSize > 0 && walked.at(-1)?.length === pageSize && !walked.at(-1)!.some(isWanted)
  const known = new Set(isFull() ? walked.flat().map(({ value }) => idOf(value)) : [])
  while (isFull()) {
    if (walked.length >= trial.session.settings.maxPages) return { contacts: walked.flat(), isWhole: false }
    const next = await pageOf(firstPage + walked.length)
    const fresh = next.filter(({ value }) => !known.has(idOf(value)))
    if (fresh.length === 0) break
    for (const { value } of fresh) known.add(idOf(value))
    walked.push(next)
  }
  return { contacts: walked.flat(), isWhole: true }
}
