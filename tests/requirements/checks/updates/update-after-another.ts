import type { Located, Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatableContact, updateBody } from './learn-updates.ts'
import { put } from './send-update.ts'
import { isFlag, storedBody, UPDATE_FIELDS, UPDATE_TEXTS, type UpdateBody, type UpdateField } from './update-body.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { freshText, TIED } from './fresh-values.ts'
import { isKept } from './kept.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { failOtherwise, isOtherwise, lookAfterUpdates, TIMES_SEEN } from './look-after-updates.ts'
import { isReadBack } from './round-trip.ts'
import { updateEveryField } from './update-every-field.ts'
import { showsThatFlagsAreKept, updatesOfParts } from './updates-of-parts.ts'

type Contact = Located<Schemas['Contact']>

/**
 * Where fields that are left out are kept, updates of few fields leave the others of another contact as they are, one that is
 * most unlike the contact that such updates were tried on; nor do they store what the update before them has sent.
 */
export async function judgeUpdateAfterAnother(trial: Trial): Promise<void> {
  if (!(await updatesThatLeaveOut(trial)).takesParts) return
  const [another, contact] = [await updatableContact(trial), await contrastingContact(trial)]
  const parts = await partsFor(trial, contact)
  if (parts.length === 0) return
  const sent: UpdateBody = Object.assign({}, ...parts)
  const [sentBefore, stored] = [storedBody(another.value), storedBody(contact.value)]
  const notSent = UPDATE_FIELDS.filter((one) => sent[one] === undefined && stored[one] !== undefined)
  const keepsFlags = showsThatFlagsAreKept(await updatesOfParts(trial))
  // One that is not active may be closed, and lose its bot and its rights.
  const mayFollow = (one: UpdateField): boolean => isFlag(one) && sent.active !== undefined && one !== 'isGroup'
  let ofAnother = notSent.filter((one) => !isKept(one, sentBefore, contact.value))
  const looksAt = [...notSent, ...(Object.keys(sent) as UpdateField[])]
  let ofItsOwn = looksAt.filter((one) => sent[one] !== undefined || !isFlag(one) || (keepsFlags && !mayFollow(one)))
  for (let time = 1; ; time++) {
    await put(trial, another.value, await updateBody(trial, another.value))
    const looked = await lookAfterUpdates(trial, contact, parts, time === 1)
    if (!looked) return
    trial.count('fields', looksAt.length)
    if (!looksAt.some((one) => isOtherwise(looked, one))) return
    // What comes without an update before of the other contact is not that one's.
    const control = await lookAfterUpdates(trial, contact, parts, false)
    if (!control) return
    const isOfAnother = (one: UpdateField): boolean => isKept(one, sentBefore, looked.after.value)
    ofAnother = ofAnother.filter((one) => isOtherwise(looked, one) && isOfAnother(one) && !isOtherwise(control, one))
    ofItsOwn = ofItsOwn.filter((one) => isOtherwise(looked, one) && isOtherwise(control, one))
    if (ofAnother.length + ofItsOwn.length === 0) return
    if (time < TIMES_SEEN) continue
    const others = 'stored what the update before it sent, of another contact'
    for (const one of ofAnother) failOtherwise(trial, looked, one, `an update did not send ${one}, and ${others}`, true)
    const fields = Object.keys(sent).join(', ')
    for (const one of ofItsOwn) {
      const how = sent[one] === undefined ? 'changed' : 'were accepted, and did not store'
      failOtherwise(trial, looked, one, `updates of ${fields} alone ${how} ${one}`, true)
    }
    return
  }
}

/** A text that an update changes, a name, and being active where it is shown either way: each is sent by itself. */
async function partsFor(trial: Trial, { value }: Contact): Promise<readonly UpdateBody[]> {
  const { trips } = await updateEveryField(trial)
  const stored = storedBody(value)
  const isChanged = (field: UpdateField): boolean => isReadBack(trips.get(field), field)
  const text = UPDATE_TEXTS.findLast((field) => !TIED.includes(field) && stored[field] && isChanged(field))
  if (text === undefined) return []
  const texts = [...new Set([text, 'name'] as const)].filter((field) => stored[field] && isChanged(field))
  const parts: UpdateBody[] = texts.map((field) => ({ [field]: freshText(trial.random, field, stored[field]!) }))
  return stored.active === true && isChanged('active') ? [...parts, { active: false }] : parts
}
