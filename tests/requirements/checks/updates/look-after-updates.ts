import { idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updateBody } from './learn-updates.ts'
import { put } from './send-update.ts'
import { storedBody, type UpdateBody, type UpdateField } from './update-body.ts'
import { isKept } from './kept.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { putBackAndLook } from './put-back.ts'
import { readBack } from './read-back.ts'
import { sendPart } from './updates-of-parts.ts'

type Contact = Located<Schemas['Contact']>

/** Others may edit a contact at any time: so often it is looked at before an update is blamed. */
export const TIMES_SEEN = 3

/** What a contact is to show after some updates, and what it does show. */
export interface Looked {
  readonly expected: UpdateBody
  readonly after: Contact
}

/**
 * Sends some values to a contact, one after the other, by themselves where others are kept then; looks at it, and puts it back.
 * @param isListed whether it is still as it was listed; if not, it is looked at before, as others may edit it at any time.
 * @returns undefined where an update is refused, or the contact is not listed any more.
 */
export async function lookAfterUpdates(
  trial: Trial,
  contact: Contact,
  updates: readonly UpdateBody[],
  isListed: boolean,
): Promise<Looked | undefined> {
  const { takesParts } = await updatesThatLeaveOut(trial)
  const [contactId, stored] = [idOf(contact.value)!, storedBody(contact.value)]
  const changed: UpdateBody = Object.assign({}, stored, ...updates)
  const before = isListed ? contact : await readBack(trial, contactId, stored, changed)
  let areAccepted = true
  let shown = stored
  for (const values of updates) {
    const { success } = takesParts
      ? await sendPart(trial, contact, values, shown)
      : await put(trial, contact.value, await updateBody(trial, contact.value, values))
    areAccepted &&= success
    shown = { ...shown, ...values }
  }
  const after = areAccepted ? await readBack(trial, contactId, changed, stored) : undefined
  await putBackAndLook(trial, contact, changed)
  return before && after && { expected: Object.assign({}, storedBody(before.value), ...updates), after }
}

/** Whether a field is another than it is to be. */
export function isOtherwise({ expected, after }: Looked, field: UpdateField): boolean {
  return expected[field] !== undefined && expected[field] !== '' && !isKept(field, expected, after.value)
}

/**
 * Fails for a field that is another than it is to be.
 * @param once whether no confirmation is needed.
 */
export function failOtherwise(
  trial: Trial,
  { expected, after }: Looked,
  field: UpdateField,
  message: string,
  once = false,
): void {
  trial.fail({
    message,
    expected: expected[field],
    received: after.value[field],
    exchange: after.exchange,
    pointer: `${after.pointer}/${field}`,
    once,
  })
}
