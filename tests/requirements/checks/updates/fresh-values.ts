import type { SimpleFaker } from '@faker-js/faker'
import { asBoolean, asText, idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import {
  canBePutBack,
  inForm,
  storedBody,
  storedValue,
  UPDATE_BOOLEANS,
  UPDATE_TEXTS,
  type UpdateBody,
  type UpdateField,
} from './update-body.ts'
import { put, triedIds } from './send-update.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { learnUpdates, updateBody } from './learn-updates.ts'
import { asItIsNow } from '../after-updates/as-it-is-now.ts'
import { isReadBack, roundTrip, type RoundTrip } from './round-trip.ts'
import { sharedValues } from './shared-values.ts'
import { embeddedContacts } from '../after-updates/shown-elsewhere.ts'

const CONTACTS_TRIED = 3
/** What a contact may stay for good, by a target's own rules, once an update has made it so. */
export const FINAL: Readonly<Partial<Record<UpdateField, boolean>>> = { active: false, isOpen: false, isGroup: true }
/** In how many ways a contact may be remote. */
const SIDES = 3

/** What may stand in a name, and in any text; a combining mark belongs to the letter before it. */
const LETTERS = /[\p{L}\p{M} ]/u
const PLAIN = /[a-z\p{M} ]/iu

/** Fields that are changed together, since a target may check one against the other. */
export const TIED: readonly UpdateField[] = ['channel', 'chatappId']

/** New values for what the contact shows: well-formed, unused, and from other contacts where the target may check them. */
export async function freshValues(trial: Trial, contact: Located<Schemas['Contact']>): Promise<UpdateBody> {
  const { records } = await trial.list('listContacts')
  const contacts = records.map(({ value }) => value)
  const stored = storedBody(contact.value)
  const changes: Record<string, unknown> = { ...(await connectionOfAnother(trial, stored, records)) }
  const shared = await sharedValues(trial)
  for (const field of UPDATE_TEXTS)
    if (!TIED.includes(field) && canBePutBack(field, stored[field], shared))
      changes[field] = unused(field, () => freshText(trial.random, field, stored[field]!), contacts)
  return { ...changes, ...(await turnedFlags(trial, contact)) }
}

/** The other values of a contact's flags, of those that can be turned back; found out once per pass. */
export function turnedFlags(trial: Trial, contact: Located<Schemas['Contact']>): Promise<UpdateBody> {
  return trial.session.remember(`turned flags of ${idOf(contact.value)}`, async () => {
    const stored = storedBody(contact.value)
    const flags = UPDATE_BOOLEANS.filter((flag) => typeof stored[flag] === 'boolean')
    const opposite = Object.fromEntries(flags.map((flag) => [flag, !stored[flag]]))
    const turned: Record<string, unknown> = {}
    for (const flag of flags) if (await canBeTurnedBack(trial, flag, opposite)) turned[flag] = opposite[flag]
    return turned
  })
}

/**
 * Whether contacts that show a flag's other value can be updated: a target may refuse every update of one that is not
 * active. The one that shows the other values of most flags answers for all of them, if it is accepted; after it come
 * those that show the fewest.
 */
async function canBeTurnedBack(trial: Trial, flag: UpdateField, opposite: UpdateBody): Promise<boolean> {
  const alikeIn = ({ value }: Located<Schemas['Contact']>): number =>
    UPDATE_BOOLEANS.filter((one) => storedValue(value, one) === opposite[one]).length
  const { records } = await trial.list('listContacts')
  const [most, ...others] = records
    .filter(({ value }) => idOf(value) !== undefined && storedValue(value, flag) === opposite[flag])
    .toSorted((a, b) => alikeIn(b) - alikeIn(a))
  if (most) {
    const answering = await firstAnswering(trial, [most, ...others.toReversed()])
    if (!answering || opposite[flag] !== FINAL[flag]) return answering !== undefined
    return (await learnUpdates(trial)).altered !== undefined || canBeTakenBack(trial, answering, flag)
  }
  // Nobody is known who could be taken back from it.
  if (opposite[flag] === FINAL[flag]) return false
  // Those that showed it may be gone, and whether they could be updated is not known any more.
  const updated = triedIds(trial)
  return !everyRecord(trial, 'listContacts', trial.session.caller).some(
    ({ record }) => !updated.has(idOf(record) ?? '') && storedValue(record, flag) === opposite[flag],
  )
}

/** Whether a contact may be taken back from the final value of a flag, once per pass: else one that comes to it would stay so. */
function canBeTakenBack(trial: Trial, contact: Located<Schemas['Contact']>, flag: UpdateField): Promise<boolean> {
  return trial.session.remember(`taken back from ${flag}`, async () => {
    const trip = await roundTrip(trial, contact, { [flag]: !FINAL[flag] })
    ;(await tripsBack(trial)).push({ flag, trip })
    return trip.accepted && (trip.after === undefined || (isReadBack(trip, flag) && trip.restored !== undefined))
  })
}

/** Updates so far that took a contact back from the final value of a flag, to see whether it can be. */
export function tripsBack(trial: Trial): Promise<{ readonly flag: UpdateField; readonly trip: RoundTrip }[]> {
  return trial.session.remember('trips back', () => Promise.resolve([]))
}

/** Channel and connection of another contact whose updates are accepted, so that a contact moved there can be moved back. */
async function connectionOfAnother(
  trial: Trial,
  stored: UpdateBody,
  contacts: readonly Located<Schemas['Contact']>[],
): Promise<UpdateBody> {
  const shown = TIED.filter((field) => stored[field] !== undefined)
  const showsAll = ({ value }: Located<Schemas['Contact']>): boolean =>
    idOf(value) !== undefined && shown.every((field) => storedValue(value, field) !== undefined)
  // One that is moved in every field at once shows more than one that is moved in one alone.
  for (const fields of [shown, ...shown.map((field) => [field])]) {
    const isElsewhere = ({ value }: Located<Schemas['Contact']>): boolean =>
      fields.length > 0 && fields.every((field) => storedValue(value, field) !== stored[field])
    const candidates = contacts.filter((one) => isElsewhere(one) && showsAll(one))
    const other = await firstAnswering(trial, (await mostRemote(trial, stored, candidates)).slice(0, 1))
    if (other) return inForm(storedBody(other.value), shown)
  }
  return {}
}

/**
 * Of several contacts, one in another part of the list than most updates go to, which nothing embeds, and with letters
 * beyond ASCII in its name where those have none: what finds a contact to update may pass over it. What an update takes
 * from a group or an admin is for the contrasting contact to show, which must not have lost it before.
 */
async function mostRemote(
  trial: Trial,
  stored: UpdateBody,
  contacts: readonly Located<Schemas['Contact']>[],
): Promise<readonly Located<Schemas['Contact']>[]> {
  const embedded = await embeddedContacts(trial)
  const remoteness = ({ value }: Located<Schemas['Contact']>, at: number): number =>
    Number(!embedded.has(idOf(value)!)) -
    (asBoolean(value.isGroup) || asBoolean(value.isAdmin) ? SIDES : 0) +
    Number(isBeyondAscii(value) !== isBeyondAscii(stored)) +
    Number(at >= contacts.length / 2)
  return contacts
    .map((contact, at) => ({ contact, remoteness: remoteness(contact, at) }))
    .toSorted((a, b) => b.remoteness - a.remoteness)
    .map(({ contact }) => contact)
}

function isBeyondAscii({ name }: { readonly name?: unknown }): boolean {
  return /\P{ASCII}/u.test(asText(name) ?? '')
}

/** The first of a few contacts whose stored values are accepted, so that it can be put back; none where these change it. */
export async function firstUpdatable(
  trial: Trial,
  contacts: readonly Located<Schemas['Contact']>[],
): Promise<Located<Schemas['Contact']> | undefined> {
  if ((await learnUpdates(trial)).altered) return undefined
  for (const contact of contacts.slice(0, CONTACTS_TRIED)) {
    const now = await asItIsNow(trial, contact)
    if (await canBeUpdated(trial, now.value)) return now
  }
  return undefined
}

/** The first of them that answers for what it shows: that a contact which comes to show the same can still be updated. */
async function firstAnswering(
  trial: Trial,
  contacts: readonly Located<Schemas['Contact']>[],
): Promise<Located<Schemas['Contact']> | undefined> {
  // A contact that can't be put back anyway needs no answer.
  return (await learnUpdates(trial)).altered ? contacts[0] : firstUpdatable(trial, contacts)
}

/** Whether an update of a contact with its stored values is accepted, once per pass. */
function canBeUpdated(trial: Trial, contact: Schemas['Contact']): Promise<boolean> {
  return trial.session.remember(`update of ${idOf(contact)}`, async () => {
    const { success } = await put(trial, contact, await updateBody(trial, contact))
    return success
  })
}

/** A text that a field of an update can hold, of the form of the stored one. */
export function freshText(random: SimpleFaker, field: UpdateField, stored: string): string {
  const word = (length: number): string => random.string.alpha({ length, casing: 'lower' })
  if (field === 'name') return `${capitalised(word(6))}${signsOf(stored)} ${capitalised(word(10))}`
  if (field === 'number') return newNumber(random, stored)
  // Whether letter case is kept in an address is open.
  if (field === 'email') return `${capitalised(word(12))}@example.com`
  // The path of an address is another one in small letters.
  if (field === 'profilePicUrl') {
    const { origin, search } = new URL(URL.canParse(stored) ? stored : 'https://example.com')
    return `${origin}/${capitalised(word(12))}.jpg${search}`
  }
  const words = stored.includes(' ') ? `${word(5)} ${word(7)}` : word(12)
  return (/[A-Z]/.test(stored) ? capitalised(words) : words) + signsOf(stored, PLAIN)
}

/** What a text has besides letters and blanks: a target that takes it in old values alone refuses it in a new one, too. */
function signsOf(text: string, known = LETTERS): string {
  return [...new Set(text)].filter((sign) => !known.test(sign)).join('')
}

function capitalised(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1)
}

/** A number of the same length and beginning, in digits alone. */
function newNumber(random: SimpleFaker, stored: string): string {
  const digits = stored.replace(/\D/g, '')
  const kept = digits.slice(0, Math.max(0, digits.length - 6))
  return kept + random.string.numeric({ length: Math.max(6, digits.length - kept.length), allowLeadingZeros: true })
}

function unused(field: UpdateField, make: () => string, contacts: readonly Schemas['Contact'][]): string {
  const taken = new Set(contacts.map((contact) => contact[field]))
  for (let attempt = 0; ; attempt++) {
    const value = make()
    if (!taken.has(value) || attempt === 100) return value
  }
}
