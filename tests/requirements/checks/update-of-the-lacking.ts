import { idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { updatableContacts, updateBody } from '../learn-updates.ts'
import {
  canBePutBack,
  isFlag,
  storedBody,
  storedValue,
  UPDATE_FIELDS,
  UPDATE_TEXTS,
  type UpdateBody,
  type UpdateField,
} from '../update-body.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { firstUpdatable, freshText } from './fresh-values.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { failOtherwise, isOtherwise, lookAfterUpdates, TIMES_SEEN } from './look-after-updates.ts'
import { isReadBack } from './round-trip.ts'
import { judgeWhatIsLacking } from './sent-as-it-was.ts'
import { updateEveryField } from './update-every-field.ts'
import { showsThatFlagsAreKept, updatesOfParts } from './updates-of-parts.ts'

type Contact = Located<Schemas['Contact']>

/**
 * An update of a contact that lacks what the others show stores what it sends, and leaves the rest as it is; what the contact
 * lacks is not sent, since it may be refused when it is to be taken away again.
 */
export async function judgeUpdateOfTheLacking(trial: Trial): Promise<void> {
  const contact = await lackingContact(trial)
  const fields = contact ? await fieldsToChange(trial, contact) : []
  if (!contact || fields.length === 0) return
  const stored = storedBody(contact.value)
  const { takesParts } = await updatesThatLeaveOut(trial)
  const keepsFlags = !takesParts || showsThatFlagsAreKept(await updatesOfParts(trial))
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
          ? `${one} of a contact that lacks others was updated, accepted, and then not read back as it was sent`
          : `an update of ${fields.join(' and ')} of a contact that lacks others changed ${one}`,
      )
    return
  }
}

/**
 * A contact that lacks what those show that are updated anyway: the email, if any lacks that, and as little else as may be,
 * since what an update takes away shows only where it is. All that it shows can be put back; none where there is none, or its
 * updates are refused.
 */
function lackingContact(trial: Trial): Promise<Contact | undefined> {
  return trial.session.remember('contact that lacks something', async () => {
    const known = [...(await updatableContacts(trial)), await contrastingContact(trial)]
    const shown = UPDATE_TEXTS.filter((field) => known.some(({ value }) => storedValue(value, field)))
    const lacks = ({ value }: Contact): UpdateField[] => shown.filter((field) => !storedValue(value, field))
    const poverty = (contact: Contact): number =>
      (lacks(contact).includes('email') ? UPDATE_TEXTS.length : 0) - lacks(contact).length
    const candidates = (await trial.list('listContacts')).records
      .filter(({ value }) => idOf(value) !== undefined && known.every((one) => idOf(one.value) !== idOf(value)))
      .filter((contact) => lacks(contact).length > 0 && isWellFormed(contact.value))
      .toSorted((a, b) => poverty(b) - poverty(a))
    return firstUpdatable(trial, candidates.slice(0, 1))
  })
}

function isWellFormed(contact: Schemas['Contact']): boolean {
  const stored = UPDATE_TEXTS.map((field) => [field, storedValue(contact, field)] as const)
  return stored.every(([field, value]) => !value || canBePutBack(field, value))
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
