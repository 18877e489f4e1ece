import { isForbidden } from '../../../engine/http/exchange.ts'
import { idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Probe } from '../../../engine/judging/session.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { alteredBy, deletedBy, type Altered } from '../side-effects/altered.ts'
import { asItIsNow } from '../after-updates/as-it-is-now.ts'
import { eventually } from '../eventually.ts'
import { isKept } from './kept.ts'
import { findContact } from './read-back.ts'
import type { Accepted } from './sent-as-it-was.ts'
import { sharedValues } from './shared-values.ts'
import { EMBEDDING, embeddedContacts, hiddenFields, shownNow } from '../after-updates/shown-elsewhere.ts'
import { unlike, unlikeFirst } from '../unlike.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import {
  UPDATE_BOOLEANS,
  UPDATE_FIELDS,
  type UpdateBody,
  type UpdateField,
  type BodyField,
  WHOLE,
  FORMS,
  inForm,
  storedBody,
  storedValue,
  canBePutBack,
} from './update-body.ts'
import { put } from './send-update.ts'
import { requireSettings } from '../../needs.ts'

const CONTACTS_TRIED = 3
/** Forms after which a token that is always refused is taken for one that may not. */
const FORMS_TRIED_IN_VAIN = 3

/** How a target lets contacts be updated. */
interface Updates {
  /** As few contacts as hold every field that any contact holds; the first is one whose update is accepted, if any is. */
  readonly contacts: readonly Located<Schemas['Contact']>[]
  /** The stored fields that every update sends along; undefined where no form of an update is accepted. */
  readonly form: readonly BodyField[] | undefined
  /** What came back for each contact and form that was tried. */
  readonly tried: readonly Probe[]
  /** What updates do that nobody could put back: no other contact is updated then. */
  readonly altered?: Altered | undefined
  /** The first that was accepted. */
  readonly first?: Accepted
}

/** The main company's contact that holds the most fields of an update. */
export async function updatableContact(trial: Trial): Promise<Located<Schemas['Contact']>> {
  return (await updatableContacts(trial))[0]!
}

/** Contacts of the main company's that can be updated, and hold every field of an update that any contact holds. */
export async function updatableContacts(trial: Trial): Promise<readonly Located<Schemas['Contact']>[]> {
  const { contacts, form, tried } = await learnUpdates(trial)
  if (form) return contacts
  const { exchange, status } = tried.at(-1)!
  return trial.notExercised(
    exchange.failure
      ? `Needs an update that is answered; stored values sent back were not (${exchange.failure.message}).`
      : `Needs an update that is accepted; stored values sent back were refused (status ${status}).`,
  )
}

/** The body by which the target lets a contact be updated: stored values sent along, and what is to change. */
export async function updateBody(
  trial: Trial,
  contact: Schemas['Contact'],
  changes: UpdateBody = {},
): Promise<UpdateBody> {
  const { form = WHOLE } = await learnUpdates(trial)
  const members = Object.entries({ ...inForm(storedBody(contact), form), ...changes })
  if (Object.keys(changes).length === 0) return Object.fromEntries(members)
  // Members have no order: what makes something of it is sent texts that nobody checks in another one when they change.
  const turned = members.filter(([field]) => field.startsWith('utm')).toReversed()
  return Object.fromEntries(members.map((member) => (member[0].startsWith('utm') ? turned.shift()! : member)))
}

/** Sends a contact's stored values back, once per pass, which changes nothing but the time of the update. */
export async function updateWithStoredValues(trial: Trial): Promise<Probe> {
  const { tried } = await learnUpdates(trial)
  return tried.at(-1)!
}

/**
 * Learns, once per pass, in which form the target lets an update in: stored values are sent back until one does. The second
 * company's updates have the form of the main company's.
 */
export function learnUpdates(trial: Trial): Promise<Updates> {
  requireSettings(trial, 'ALLOW_WRITES')
  return trial.session.remember('updates', async () => {
    const contacts = await Promise.all((await contactsToUpdate(trial)).map((contact) => asItIsNow(trial, contact)))
    if (trial.session.caller !== 'main') {
      const learnt = await learnUpdates(trial.as('main'))
      if (!learnt.altered) return { ...learnt, contacts }
      return trial.notExercised(learnt.altered.reason)
    }
    const toTry = await thoseWhoseLossShows(trial, await contactsToTry(trial, contacts))
    const tried: Probe[] = []
    for (const form of FORMS)
      for (const listed of toTry) {
        const contact = await asItIsNow(trial, listed)
        const body = inForm(storedBody(contact.value), form)
        if (Object.keys(body).length === 0) continue
        const probe = await put(trial, contact.value, body)
        tried.push(probe)
        if (probe.success) {
          await makeSureThatNothingHiddenIsLost(trial, contact.value, body)
          const seen = await findContact(trial, idOf(contact.value)!, [contact.value.name])
          const lost = await putBackWhatIsLost(trial, contact.value, body, seen?.value)
          if (lost) tried.push(lost)
          const altered = seen
            ? await alteredBy(trial, contact.value, body, seen)
            : await deletedBy(trial, contact.value)
          // One that is gone may have been deleted by others: the next shows whose doing it is.
          if (!seen && !altered && listed !== toTry.at(-1)) continue
          const others = altered === undefined ? contacts : []
          const first = { body, stored: storedBody(contact.value), after: seen }
          return { contacts: [...new Set([contact, ...others])], form: lost ? WHOLE : form, tried, altered, first }
        }
        // An update that is not answered may have been stored, and would be waited for each time.
        const refused =
          tried.length === CONTACTS_TRIED * FORMS_TRIED_IN_VAIN && tried.every(({ exchange }) => isForbidden(exchange))
        if (probe.exchange.failure || refused) return { contacts, form: undefined, tried }
      }
    return { contacts, form: undefined, tried }
  })
}

/**
 * Where the list hides what schedules or tags show of contacts, only those which they embed tell whether an update takes it
 * away: these are tried before any other.
 */
async function thoseWhoseLossShows(
  trial: Trial,
  contacts: readonly Located<Schemas['Contact']>[],
): Promise<readonly Located<Schemas['Contact']>[]> {
  const { byId } = await trial.list('listContacts')
  const embedded = [...(await embeddedContacts(trial)).keys()].flatMap((id) => byId.get(id) ?? [])
  const hiding: Located<Schemas['Contact']>[] = []
  for (const contact of new Set([...contacts, ...embedded]))
    if (Object.keys(await hiddenFields(trial, contact.value)).length > 0) hiding.push(contact)
  return hiding.length > 0 ? unlikeFirst(hiding, traitsOf, CONTACTS_TRIED) : contacts
}

/**
 * An update can't send back what the list of contacts doesn't show, but schedules or tags do; a target that replaces loses
 * it. It is put back then, and there is no other update.
 * @throws NotExercised where it was lost.
 */
async function makeSureThatNothingHiddenIsLost(
  trial: Trial,
  contact: Schemas['Contact'],
  accepted: UpdateBody,
): Promise<void> {
  const hidden = await hiddenFields(trial, contact)
  const fields = Object.keys(hidden) as UpdateField[]
  const areLost = async (): Promise<boolean> => {
    const seen = await shownNow(trial, idOf(contact)!, fields)
    return seen.length > 0 && fields.some((field) => seen.every((one) => !storedValue(one, field)))
  }
  // It changes nothing else that would tell when it shows.
  if (fields.length === 0 || !(await eventually(trial.session, areLost, (lost) => lost))) return
  const record = { path: { contactId: idOf(contact)! }, owner: 'main' } as const
  const stored = { ...storedBody(contact), ...hidden }
  const { changes } = trial.session
  changes.begin({ ...record, stored, sent: Object.fromEntries(fields.map((field) => [field, []])) })
  changes.confirm(record)
  await put(trial, contact, { ...accepted, ...hidden })
  if (!(await eventually(trial.session, areLost, (lost) => !lost))) changes.settle(record)
  trial.notExercised(
    `Needs a list of contacts that shows ${fields.join(' and ')}, which schedules and tags show: an update that could not send this back has taken it away.`,
  )
}

/**
 * Where an accepted update has taken away what it did not send, the target replaces, and refused the whole contact for
 * changing nothing: now it changes something.
 * @returns undefined where nothing is lost.
 * @throws NotExercised where it is refused: another update would take away as much, for good.
 */
async function putBackWhatIsLost(
  trial: Trial,
  contact: Schemas['Contact'],
  body: UpdateBody,
  seen: Schemas['Contact'] | undefined,
): Promise<Probe | undefined> {
  const stored = storedBody(contact)
  const left = UPDATE_FIELDS.filter((field) => field in stored && !(field in body))
  const lost = left.filter((field) => seen && !isKept(field, stored, seen))
  if (lost.length === 0) return undefined
  const putBack = await put(trial, contact, stored)
  if (putBack.success) return putBack
  return trial.notExercised(
    `Needs an update that keeps, or may send, all that a contact has: one without ${lost.join(' and ')} took it away, and one with it is refused (status ${putBack.status}).`,
  )
}

/** Whether what was tried rather tells that the token may not update contacts than that nobody can, be it of one of those tried. */
export function tokenMayNot(tried: readonly Probe[]): boolean {
  return tried.filter(({ exchange }) => isForbidden(exchange)).length * CONTACTS_TRIED >= tried.length
}

/**
 * The fullest contact, one of another channel with the flags that most have, and others unlike the fullest in channel and
 * flags: what is behind one of them may be out of order, and what is refused of one that is not ordinary is open.
 */
export async function contactsToTry(
  trial: Trial,
  [fullest]: readonly Located<Schemas['Contact']>[],
): Promise<Located<Schemas['Contact']>[]> {
  const { records } = await trial.list('listContacts')
  const known = new Set(traitsOf(fullest!))
  const newTraits = (one: Located<Schemas['Contact']>): string[] => traitsOf(one).filter((trait) => !known.has(trait))
  const others = records.filter(({ value }) => idOf(value) !== undefined && idOf(value) !== idOf(fullest!.value))
  const elsewhere = others.filter(
    ({ value: { channel } }) => channel !== undefined && channel !== fullest!.value.channel,
  )
  const counts = countsOf(records.map(flagsOf))
  const [ordinary] = elsewhere.toSorted((a, b) => counts.get(flagsOf(b))! - counts.get(flagsOf(a))!)
  const chosen = [...(ordinary ? [ordinary] : []), ...unlike(others, newTraits, CONTACTS_TRIED)]
  return [...new Set([fullest!, ...chosen, ...others.slice(0, 1)])].slice(0, CONTACTS_TRIED)
}

function flagsOf({ value }: Located<Schemas['Contact']>): string {
  return UPDATE_BOOLEANS.map((flag) => String(value[flag])).join()
}

/** The channel and the flags that a contact shows. */
export function traitsOf({ value }: Located<Schemas['Contact']>): string[] {
  return (['channel', ...UPDATE_BOOLEANS] as const).flatMap((field) =>
    value[field] === undefined ? [] : `${field} ${String(value[field])}`,
  )
}

function countsOf<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

async function contactsToUpdate(trial: Trial): Promise<Located<Schemas['Contact']>[]> {
  const { records } = await trial.list('listContacts')
  const embedded = await embeddedContacts(trial)
  const shared = await sharedValues(trial)
  const bearers = countsOf(records.map(({ value }) => value.name))
  const spoilt = spoiltContacts(trial, records)
  const lost = [...spoilt.values()]
  const channels = new Set(lost.map(({ channel }) => channel))
  // A target may find the contact to update by its name. Where a contact could not be restored, the confirmation updates
  // another of the same channel, with the same flags; these come first where it is a flag that could not be restored.
  const areFlagsLost = [...spoilt].some(([{ value }, stored]) => flagsAlike(value, stored) < UPDATE_BOOLEANS.length)
  const placesOf = ({ value }: Located<Schemas['Contact']>): number =>
    (embedded.get(idOf(value)!)?.length ?? 0) +
    (bearers.get(value.name)! > 1 ? 0.5 : 0) +
    (spoilt.size > 0 && channels.has(value.channel) ? EMBEDDING.length + 1 : 0) +
    Math.max(0, ...lost.map((stored) => flagsAlike(value, stored))) * (areFlagsLost ? EMBEDDING.length + 1 : 0.1)
  // One that shows just these fields stands for all that do: the first that schedules and tags embed.
  const byFields = new Map<string, { contact: Located<Schemas['Contact']>; fields: readonly BodyField[] }>()
  for (const contact of records) {
    if (idOf(contact.value) === undefined || (spoilt.has(contact) && spoilt.size < records.length)) continue
    const fields = WHOLE.filter((field) => canBePutBack(field, storedValue(contact.value, field), shared))
    const known = byFields.get(fields.join())
    if (!known || placesOf(contact) > placesOf(known.contact)) byFields.set(fields.join(), { contact, fields })
  }
  const usable = [...byFields.values()]
  const chosen: Located<Schemas['Contact']>[] = []
  const held = new Set<string>()
  if (usable.length > 0 && usable.every(({ fields }) => fields.length === 0))
    trial.notExercised('Needs a contact that shows a field which an update can change.')
  for (;;) {
    const gains = usable.map(({ fields }) => fields.filter((field) => !held.has(field)).length)
    const most = gains.reduce((greatest, gain) => Math.max(greatest, gain), 0)
    const best = usable[gains.indexOf(most)]
    if (!best) return trial.notExercised('Needs a contact to update; the target lists none.')
    if (chosen.length > 0 && most === 0) return chosen
    chosen.push(best.contact)
    for (const field of best.fields) held.add(field)
  }
}

function flagsAlike(contact: Schemas['Contact'], stored: UpdateBody): number {
  return UPDATE_BOOLEANS.filter((flag) => storedValue(contact, flag) === stored[flag]).length
}

/** The contacts that no longer show what they showed at first, and what that was. */
function spoiltContacts(
  trial: Trial,
  records: readonly Located<Schemas['Contact']>[],
): ReadonlyMap<Located<Schemas['Contact']>, UpdateBody> {
  const shown = everyRecord(trial, 'listContacts', trial.session.caller)
  const first = new Map(shown.toReversed().map(({ record }) => [idOf(record), storedBody(record)]))
  return new Map(
    records.flatMap((contact) => {
      const stored = first.get(idOf(contact.value)) ?? {}
      const isSpoilt = UPDATE_FIELDS.some((field) => field in stored && !isKept(field, stored, contact.value))
      return isSpoilt ? [[contact, stored]] : []
    }),
  )
}
