import { idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { updatableContact, updateBody } from '../learn-updates.ts'
import { put } from '../send-update.ts'
import { storedBody, UPDATE_BOOLEANS, UPDATE_TEXTS, type UpdateField } from '../update-body.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { freshText, TIED } from './fresh-values.ts'
import { isKept } from './kept.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { putBackAndLook } from './put-back.ts'
import { readBack } from './read-back.ts'
import { isReadBack } from './round-trip.ts'
import { updateEveryField } from './update-every-field.ts'
import { sendPart } from './updates-of-parts.ts'

type Contact = Located<Schemas['Contact']>

/** Others may edit a contact at any time. */
const TIMES_SEEN = 3

/**
 * Where fields that are left out are kept, an update of one text does not store other fields as the update before it, of another
 * contact, has sent them.
 */
export async function judgeUpdateAfterAnother(trial: Trial): Promise<void> {
  if (!(await updatesThatLeaveOut(trial)).takesParts) return
  const [another, contact] = [await updatableContact(trial), await contrastingContact(trial)]
  const field = await changedAlone(trial, contact)
  const [sentBefore, stored] = [storedBody(another.value), storedBody(contact.value)]
  const isShown = (one: UpdateField): boolean => stored[one] !== undefined && stored[one] !== ''
  const others = [...UPDATE_TEXTS, ...UPDATE_BOOLEANS].filter(
    (one) => one !== field && isShown(one) && !isKept(one, sentBefore, contact.value),
  )
  if (field === undefined || others.length === 0) return
  const changes = { [field]: freshText(trial.random, field, stored[field]!) }
  const afterPart = async (): Promise<Contact | undefined> => {
    if (!(await sendPart(trial, contact, changes, stored)).success) return undefined
    const after = await readBack(trial, idOf(contact.value)!, { name: stored.name!, ...changes }, stored)
    await putBackAndLook(trial, contact, { ...stored, ...changes })
    return after
  }
  for (let time = 1; time <= TIMES_SEEN; time++) {
    await put(trial, another.value, await updateBody(trial, another.value))
    const after = await afterPart()
    if (!after) return
    trial.count('fields', others.length)
    const stale = others.filter((one) => isKept(one, sentBefore, after.value) && !isKept(one, stored, after.value))
    if (stale.length === 0) return
    // What an update of the same contact does not keep either may be set to what it is by default.
    const control = await afterPart()
    const leaked = stale.filter((one) => control && isKept(one, stored, control.value))
    if (leaked.length === 0) return
    if (time < TIMES_SEEN) continue
    for (const one of leaked)
      trial.fail({
        message: `an update did not send ${one}, and stored what the update before it sent, of another contact`,
        expected: stored[one],
        received: after.value[one],
        exchange: after.exchange,
        pointer: `${after.pointer}/${one}`,
        once: true,
      })
  }
}

/** A text that both contacts show, and that an update changes. */
async function changedAlone(trial: Trial, { value }: Contact): Promise<(typeof UPDATE_TEXTS)[number] | undefined> {
  const { trips } = await updateEveryField(trial)
  return UPDATE_TEXTS.findLast(
    (field) => !TIED.includes(field) && storedBody(value)[field] && isReadBack(trips.get(field), field),
  )
}
