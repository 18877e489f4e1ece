import type { Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { beginChange, put, storedBody, updateBody } from '../calls.ts'

/** Sends the stored values of a contact back that an update has changed without being told to. */
export async function putBack(trial: Trial, contact: Schemas['Contact']): Promise<void> {
  beginChange(trial, contact, {})
  await put(trial, contact, await updateBody(trial, contact, storedBody(contact)))
}
