import type { Located, Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updateBody } from './learn-updates.ts'
import {
  canBePutBack,
  isFlag,
  storedBody,
  UPDATE_FIELDS,
  UPDATE_TEXTS,
  type UpdateBody,
  type UpdateField,
} from './update-body.ts'
import { freshText } from './fresh-values.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { failOtherwise, isOtherwise, lookAfterUpdates, TIMES_SEEN } from './look-after-updates.ts'
import { isReadBack } from './round-trip.ts'
import { judgeWhatIsLacking } from './sent-as-it-was.ts'
import { lackingContact, unlikeContacts } from './unlike-contacts.ts'
import { updateEveryField } from './update-every-field.ts'
import { showsThatFlagsAreKept, updatesOfParts } from './updates-of-parts.ts'

type Contact = Located<Schemas['Contact']>

/**
 * An update of a contact that lacks what the others show stores what it sends, and leaves the rest as it is; what the contact
 * lacks is not sent, since it may be refused when it is to be taken away again. Where fields that are left out are kept, so
 * does a field alone of contacts unlike those that are updated anyway.
 */
export async function judgeUpdatesOfTheUnlike(trial: Trial): Promise<void> {
  const { takesParts } = await updatesThatLeaveOut(trial)
  const keepsFlags = !takesParts || showsThatFlagsAreKept(await updatesOfParts(trial))
  const lacking = await lackingContact(trial)
  if (lacking) await judgeUpdate(trial, lacking, await fieldsToChange(trial, lacking), keepsFlags)
  if (!takesParts) return
  for (const contact of await unlikeContacts(trial))
    await judgeUpdate(trial, contact, await fieldToChange(trial, contact), keepsFlags)
}

async function judgeUpdate(
  trial: Trial,
  contact: Contact,
  fields: readonly UpdateField[],
  keepsFlags: boolean,
): Promise<void> {
  if (fields.length === 0) return
  const stored = storedBody(contact.value)
  const { takesParts } = await updatesThatLeaveOut(trial)
  const whole = await updateBody(trial, contact.value)
  const shown = UPDATE_FIELDS.filter((one) => stored[one] !== undefined && stored[one] !== '')
  let wrong = shown.filter(
    (one) => fields.includes(one) || (takesParts ? keepsFlags || !isFlag(one) : whole[one] !== undefined),
  )
  for (let time = 1; ; time++) {
    const changes: UpdateBody = Object.fromEntries(fields.map((one) => [one, another(trial, one, stored[one]!)]))
    const looked = await lookAfterUpdates(trial, contact, [changes], time === 1)
    if (!looked) return
    judgeWhatIsLacking(trial, stored, changes, looked.after)
    trial.count('fields', wrong.length)
    wrong = wrong.filter((one) => isOtherwise(looked, one))
    if (wrong.length === 0) return
    if (time < TIMES_SEEN) continue
    for (const one of wrong)
      failOtherwise(
        trial,
        looked,
        one,
        fields.includes(one)
          ? `${one} was accepted of a contact that is unlike the first one, and then not read back as it was sent`
          : `an update of ${fields.join(' and ')} of a contact that is unlike the first one changed ${one}`,
      )
    return
  }
}

/** The name or, of an active contact whose name could not be put back, whether it is open. */
async function fieldToChange(trial: Trial, { value }: Contact): Promise<readonly UpdateField[]> {
  const { trips } = await updateEveryField(trial)
  const { name, active, isOpen } = storedBody(value)
  const usable = [
    ...(canBePutBack('name', name) ? (['name'] as const) : []),
    ...(active === true && isOpen !== undefined ? (['isOpen'] as const) : []),
  ]
  return usable.filter((field) => isReadBack(trips.get(field), field)).slice(0, 1)
}

/** A name, or what tells where a contact came from, that an update of another contact has changed and, of one that is active, whether it is open. */
async function fieldsToChange(trial: Trial, { value }: Contact): Promise<readonly UpdateField[]> {
  const { trips } = await updateEveryField(trial)
  const stored = storedBody(value)
  const isChanged = (field: UpdateField): boolean => isReadBack(trips.get(field), field)
  const text = UPDATE_TEXTS.findLast((field) => /^(name|utm)/.test(field) && stored[field] && isChanged(field))
  if (text === undefined) return []
  return stored.active === true && stored.isOpen !== undefined && isChanged('isOpen') ? [text, 'isOpen'] : [text]
}

function another(trial: Trial, field: UpdateField, stored: string | boolean): string | boolean {
  return typeof stored === 'boolean' ? !stored : freshText(trial.random, field, stored)
}
