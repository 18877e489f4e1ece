import { orElse } from '../../engine/or-else.ts'
import { idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { updateBody } from '../learn-updates.ts'
import { put } from '../send-update.ts'
import type { UpdateBody, UpdateField } from '../update-body.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { eventually } from './eventually.ts'
import { isKept, kept } from './kept.ts'
import { failNotReadBack } from './not-read-back.ts'
import { findContact } from './read-back.ts'

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
  const other = await orElse(contrastingContact(trial), undefined)
  if (!after || !other || idOf(other.value) === idOf(value)) return undefined
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
