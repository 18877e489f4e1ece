import { sameValue, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { UpdateField } from './update-body.ts'
import { updateBody } from './learn-updates.ts'
import { bodyOf, put, updatesSent } from './send-update.ts'
import { tripsBack, TIED } from './fresh-values.ts'
import { isKept, kept, normalised } from './kept.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { failNotReadBack } from './not-read-back.ts'
import { readBack } from './read-back.ts'
import { readBacksOf, type RoundTrip } from './round-trip.ts'
import { mayHide, updateEveryField } from './update-every-field.ts'
import { updatesOfFlags } from './update-of-flags.ts'
import { judgeSentAlone } from './updates-of-parts.ts'

/** So often what a contact held is sent back, where it does not show it. */
const TIMES_SENT_BACK = 3
/** What has waited in a queue shows by then. */
const LONGEST_QUEUE_MS = 3000

/** A field is read back as each update sent it: with the other fields, alone, and by itself on another contact. */
export async function judgeField(trial: Trial, field: UpdateField): Promise<void> {
  const trip = (await updateEveryField(trial)).trips.get(field)
  const judged = await judgeTripsBack(trial, field)
  if (!trip || sameValue(trip.sent[field], trip.stored[field])) return trial.notExercised(await missing(trial, field))
  if (!trip.accepted)
    return trial.notExercised(
      `Needs an update of ${field} that is accepted; the target refused ${JSON.stringify(trip.sent[field])}.`,
    )
  await judgeReadBacks(trial, field, trip)
  for (const ofAnother of await updatesOfFlags(trial, field))
    if (ofAnother.accepted) await judgeReadBacks(trial, field, ofAnother)
  await judgeTripsBack(trial, field, judged)
  if (field === 'name') await judgeNameAlone(trial)
  await judgeSentAlone(trial, field)
  if (!trip.putBack)
    trial.notExercised(
      'Needs an update back to the stored values; the target refused them, and the contact is not as it was.',
    )
}

/** Judges those that were needed so far: whether a contact can be taken back from a flag is found out for one after the other. */
async function judgeTripsBack(trial: Trial, field: UpdateField, from = 0): Promise<number> {
  const trips = await tripsBack(trial)
  for (const { flag, trip } of trips.slice(from))
    if (flag === field && trip.accepted) await judgeReadBacks(trial, field, trip)
  return trips.length
}

async function judgeReadBacks(trial: Trial, field: UpdateField, trip: RoundTrip): Promise<void> {
  const explicit = await showsFalse(trial, field)
  const readBacks = readBacksOf(trip)
  // What is stored so the second time is the contact's value now, with which an update may not show it again.
  const isCutEachTime =
    readBacks.length > 1 && readBacks.every(([sent, seen]) => isCutShort(sent[field], seen?.value[field]))
  for (const [sent, seen] of readBacks) {
    if (!seen && sent === trip.sent && (await mayHide(trial, trip)))
      trial.notExercised(`Needs a list that goes on showing a contact whose ${field} is ${sent[field]}.`)
    // A target that shows no false value leaves it out: an optional field may be absent.
    if (sent[field] === false && seen?.value[field] === undefined && !explicit) continue
    trial.count('values')
    if (seen && isKept(field, sent, seen.value)) continue
    failNotReadBack(trial, {
      ...trip,
      message: `${field} was accepted and then not read back as it was sent`,
      field,
      sent,
      seen,
      once: isCutEachTime || (sent === trip.stored && (await isNeverTakenBack(trial, field, trip))),
    })
  }
}

/**
 * Whether a contact goes on showing a text of the run's, though what it held is sent back, and accepted, again and again. That
 * is certain, and has to be: where nothing brings the contact back, the confirmation looks at another, which may be put back.
 */
async function isNeverTakenBack(trial: Trial, field: UpdateField, trip: RoundTrip): Promise<boolean> {
  if (typeof trip.stored[field] !== 'string') return false
  const seen = await sentBackAgain(trial, trip)
  const texts = new Set(updatesSent(trial).map(({ request }) => bodyOf(request)?.[field]))
  return (
    seen.length === TIMES_SENT_BACK &&
    seen.every((now) => !isKept(field, trip.stored, now) && texts.has(now[field] as string | undefined))
  )
}

/** A contact, each time that what it held is sent back, once per pass; as long as it is accepted, and not shown whole. */
function sentBackAgain(trial: Trial, { contactId, stored }: RoundTrip): Promise<readonly Schemas['Contact'][]> {
  return trial.session.remember(`${contactId} sent back again`, async () => {
    const seen: Schemas['Contact'][] = []
    const contact = (await trial.list('listContacts')).byId.get(contactId)
    if (!contact) return seen
    while (seen.length < TIMES_SENT_BACK) {
      const { success } = await put(trial, contact.value, await updateBody(trial, contact.value, stored))
      await trial.session.pause(LONGEST_QUEUE_MS)
      const now = success ? await readBack(trial, contactId, stored, {}) : undefined
      if (!now || Object.keys(kept(stored, now)).length === Object.keys(stored).length) break
      seen.push(now.value)
    }
    return seen
  })
}

/** Whether only a part of a text is shown. */
function isCutShort(sent: unknown, shown: unknown): boolean {
  const isText = typeof sent === 'string' && typeof shown === 'string'
  return isText && shown !== '' && shown.length < sent.length && sent.includes(shown)
}

/** Which fields an update needs is open; one that is accepted with the name alone, or without a text, stores the name. */
async function judgeNameAlone(trial: Trial): Promise<void> {
  const { withoutAText, nameAlone } = await updatesThatLeaveOut(trial)
  const updates = { 'with a text left out': withoutAText, 'on its own': nameAlone }
  for (const [how, one] of Object.entries(updates)) {
    if (one?.name === undefined) continue
    trial.count('values')
    if (!one.seen || !isKept('name', { name: one.name }, one.seen.value))
      trial.fail({
        message: `a name that was sent ${how} was accepted and then not read back`,
        expected: one.name,
        received: one.seen ? one.seen.value.name : 'no such contact in the list',
        exchange: one.exchange,
      })
  }
}

async function missing(trial: Trial, field: UpdateField): Promise<string> {
  if (TIED.includes(field)) return `Needs a contact that shows ${field}, and another with another ${field}.`
  const values = (await trial.list('listContacts')).records.map(({ value }) => value[field])
  const texts = values.flatMap((value) => (typeof value === 'string' && value !== '' ? [value] : []))
  if (texts.length > 0) {
    const how = texts.some((text) => text === normalised(text))
      ? ''
      : ': without double blanks, blanks at its ends or marks apart from their letters, which a target may store otherwise'
    return `Needs a contact whose ${field} is well-formed, so that it is accepted when it is put back${how}.`
  }
  return values.some((value) => typeof value === 'boolean')
    ? `Needs contacts whose updates are accepted with either value of ${field}.`
    : `Needs a contact that shows ${field}.`
}

async function showsFalse(trial: Trial, field: UpdateField): Promise<boolean> {
  return (await trial.list('listContacts')).records.some(({ value }) => value[field] === false)
}
