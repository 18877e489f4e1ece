import { orElse } from '../../../engine/or-else.ts'
import { idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updateBody } from './learn-updates.ts'
import { put } from './send-update.ts'
import type { UpdateBody, UpdateField } from './update-body.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { eventually } from '../eventually.ts'
import { firstUpdatable } from './fresh-values.ts'
import { isKept, kept } from './kept.ts'
import { failNotReadBack } from './not-read-back.ts'
import { findContact } from './read-back.ts'

/** Where no other contact holds as much as the updated one, any will do whose update is accepted. */
const OTHERS_TRIED = 3

type Contact = Located<Schemas['Contact']>

/** What an update had stored, and the contact once another one was updated; undefined where it is not listed any more. */
export interface Lasting {
  readonly shown: UpdateBody
  readonly after: Contact
  readonly now: Contact | undefined
}

/** Updates another contact while a contact shows what it was given, lists having been read meanwhile, and looks again. */
export async function lookAfterAnother(
  trial: Trial,
  { value }: Contact,
  values: UpdateBody,
  after: Contact | undefined,
): Promise<Lasting | undefined> {
  if (!after) return undefined
  const isOther = (one: Contact): boolean => idOf(one.value) !== undefined && idOf(one.value) !== idOf(value)
  const contrasting = await orElse(contrastingContact(trial), undefined)
  const { records } = await trial.list('listContacts')
  const other =
    contrasting && isOther(contrasting)
      ? contrasting
      : await firstUpdatable(trial, records.filter(isOther).slice(0, OTHERS_TRIED))
  if (!other) return undefined
  await put(trial, other.value, await updateBody(trial, other.value))
  const shown = kept(values, after)
  const fields = Object.keys(shown) as UpdateField[]
  const now = await eventually(
    trial.session,
    () => findContact(trial, idOf(value)!, [values.name, value.name]),
    (seen) => seen !== undefined && fields.every((field) => isKept(field, shown, seen.value)),
  )
  return { shown, after, now }
}

export function judgeLasting(trial: Trial, { shown, after, now }: Lasting): void {
  for (const field of Object.keys(shown) as UpdateField[]) {
    trial.count('values')
    if (now && isKept(field, shown, now.value)) continue
    failNotReadBack(trial, {
      message: `${field} was stored by an update, and lost once lists were read and another contact was updated`,
      contactId: idOf(after.value)!,
      field,
      sent: shown,
      seen: now,
      exchange: after.exchange,
    })
  }
}
