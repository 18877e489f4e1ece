import type { Call } from '../engine/client.ts'
import type { OperationId } from '../engine/contract.ts'
import { idOf, type Located, type Schemas } from '../engine/records.ts'
import type { Probe } from '../engine/session.ts'
import type { Trial } from '../engine/trial.ts'
import { isList } from './operations.ts'

/** The fields of an update's body, without companyId, which is always sent as it is. */
export const UPDATE_TEXTS = [
  'name',
  'number',
  'email',
  'profilePicUrl',
  'utmCampaign',
  'utmContent',
  'utmMedium',
  'utmSource',
  'utmTerms',
  'channel',
  'chatappId',
] as const
export const UPDATE_BOOLEANS = ['isGroup', 'isAdmin', 'isOpen', 'isBotEnabled', 'active'] as const
export const UPDATE_FIELDS = [...UPDATE_TEXTS, ...UPDATE_BOOLEANS]

export type UpdateBody = Schemas['ContactUpdate']

/** A call that the operation must answer, made from real records. */
export async function validCall(trial: Trial, operation: OperationId): Promise<Call> {
  if (isList(operation)) return {}
  if (operation === 'getTag') return { path: { tagId: idOf((await anyTag(trial)).value)! } }
  const contact = await updatableContact(trial)
  return { path: { contactId: idOf(contact.value)! }, body: storedBody(contact.value) }
}

/** A tag of the main company's. */
export async function anyTag(trial: Trial): Promise<Located<Schemas['Tag']>> {
  const tags = await trial.list('listTags')
  const tag = tags.records.find(({ value }) => idOf(value) !== undefined)
  return tag ?? trial.notExercised('It takes a tag; the target lists none.')
}

/** The main company's contact that holds the most fields of an update. */
export async function updatableContact(trial: Trial): Promise<Located<Schemas['Contact']>> {
  return (await updatableContacts(trial))[0]!
}

/**
 * As few contacts of the main company's as hold every field of an update that any contact holds, the fullest first;
 * only where updates are answered at all, as one that is not may have changed the contact.
 */
export async function updatableContacts(trial: Trial): Promise<Located<Schemas['Contact']>[]> {
  const contacts = await contactsToUpdate(trial)
  const { exchange } = await updateWithStoredValues(trial)
  if (exchange.failure)
    trial.notExercised(
      `It takes an update that is answered; stored values sent back were not (${exchange.failure.message}).`,
    )
  return contacts
}

/** Sends a contact's stored values back, once a look, which changes nothing but the time of the update. */
export function updateWithStoredValues(trial: Trial): Promise<Probe> {
  return trial.session.remember('update with stored values', async () => {
    const [contact] = await contactsToUpdate(trial)
    return trial.session.attempt('updateContact', {
      path: { contactId: idOf(contact!.value)! },
      body: storedBody(contact!.value),
    })
  })
}

function contactsToUpdate(trial: Trial): Promise<Located<Schemas['Contact']>[]> {
  requireWrites(trial)
  return trial.session.remember('contacts to update', async () => {
    const contacts = await trial.list('listContacts')
    const usable = contacts.records
      .filter(({ value }) => idOf(value) !== undefined)
      .map((contact) => ({ contact, fields: Object.keys(storedBody(contact.value)) }))
    const chosen: Located<Schemas['Contact']>[] = []
    const held = new Set<string>()
    for (;;) {
      const gains = usable.map(({ fields }) => fields.filter((field) => !held.has(field)).length)
      const most = Math.max(0, ...gains)
      const best = usable[gains.indexOf(most)]
      if (!best) return trial.notExercised('It takes a contact to update; the target lists none.')
      if (chosen.length > 0 && most === 0) return chosen
      chosen.push(best.contact)
      for (const field of best.fields) held.add(field)
    }
  })
}

/** The body that sends a contact's stored values back. */
export function storedBody(contact: Schemas['Contact']): UpdateBody {
  return Object.fromEntries(
    [...UPDATE_FIELDS, 'companyId' as const].flatMap((field) => (field in contact ? [[field, contact[field]]] : [])),
  )
}

export function requireWrites(trial: Trial): void {
  if (!trial.session.target.allowWrites)
    trial.notExercised('It takes an update of a contact; set ALLOW_WRITES=true where the target may be written to.')
}

export function requireOtherToken(trial: Trial): void {
  if (trial.session.target.otherAccessToken === undefined)
    trial.notExercised('It takes a second company; set OTHER_ACCESS_TOKEN to a token of one.')
}
