import { endOf, idInPath, isSuccess } from '../../../engine/http/exchange.ts'
import { DAY_MS } from '../../../engine/time/instants.ts'
import { askable, idOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { learnUpdates, updatableContact, updateBody } from './learn-updates.ts'
import { bodyOf, put, updatesSent } from './send-update.ts'
import { storedValue, UPDATE_BOOLEANS, UPDATE_FIELDS } from './update-body.ts'
import { isKept } from './kept.ts'
import { judgeLeftOut } from './left-out.ts'
import { findContact, goneOnceUpdated, walkAgain } from './read-back.ts'
import { judgeSentAsItWas } from './sent-as-it-was.ts'
import { staleFields } from '../after-updates/shown-elsewhere.ts'
import { judgeUpdateAfterAnother } from './update-after-another.ts'
import { updateEveryField } from './update-every-field.ts'
import { updatesWithTexts } from './update-texts.ts'
import { judgeNotSent } from './updates-of-parts.ts'
import { judgeUpdatesOfTheUnlike } from './updates-of-the-unlike.ts'

/** An updated contact is listed under its id, created when it was, and as it was but for what the update changes. */
export async function judgeSameContact(trial: Trial): Promise<void> {
  const contact = await updatableContact(trial)
  const { altered, first } = await learnUpdates(trial)
  if (first) judgeSentAsItWas(trial, first)
  if (altered?.finding) trial.fail(altered.finding)
  await judgeTheRest(trial)
  await judgeLeftOut(trial)
  await judgeNotSent(trial)
  await judgeUpdateAfterAnother(trial)
  await judgeUpdatesOfTheUnlike(trial)
  const contactId = idOf(contact.value)!
  const { trips } = await updateEveryField(trial)
  const restored = [...trips.values()].map((trip) => trip.restored).findLast((one) => idOf(one?.value) === contactId)
  const { exchange, success } = restored
    ? { exchange: restored.exchange, success: true }
    : await put(trial, contact.value, await updateBody(trial, contact.value))
  const seen = restored ?? (await findContact(trial, contactId, [contact.value.name]))
  // One that is gone may have been deleted by others, but not one that others are told by another id.
  const other = seen ? undefined : await underAnotherId(trial, contact)
  if (!seen && (success || other || (await isGoneOnceUpdated(trial, contact))))
    return trial.fail({
      message: 'an updated contact is not listed under its id any more',
      expected: `the contact ${contactId}`,
      received: other ? `its name and number under the id ${idOf(other)}` : 'no such contact in the list',
      exchange,
    })
  if (!success || !seen)
    return trial.notExercised('Needs an update that is accepted; stored values sent back were refused.')
  trial.count('contacts')
  // As it was first seen: an update that changes it once does not change it again.
  const firstSeen = everyRecord(trial, 'listContacts', 'main').find(({ record }) => idOf(record) === contactId)?.record
  const [before, now] = [firstSeen?.['createdAt'] ?? contact.value.createdAt, seen.value.createdAt]
  if (before !== undefined && now !== undefined && !sameValue(before, now))
    trial.fail({
      message: 'an update changed when the contact was created',
      expected: before,
      received: now,
      exchange: seen.exchange,
      pointer: `${seen.pointer}/createdAt`,
    })
  const [lastBefore, last] = [firstSeen?.['updatedAt'], seen.value.updatedAt].map((time) => trial.instantOf(time))
  // A time to come that was shown before is none that an update keeps.
  if (lastBefore && last && last.latest + DAY_MS < Math.min(lastBefore.earliest, endOf(seen.exchange)))
    trial.fail({
      message: 'an update set back when the contact was last updated',
      expected: `${String(firstSeen!['updatedAt'])} or later`,
      received: seen.value.updatedAt,
      exchange: seen.exchange,
      pointer: `${seen.pointer}/updatedAt`,
    })
}

/** What an update sends as it was, or leaves out where that is kept, stays as it was; and the whole list shows it too. */
async function judgeTheRest(trial: Trial): Promise<void> {
  const { trips, listed, seen } = await updateEveryField(trial)
  const withTexts = await updatesWithTexts(trial)
  for (const trip of new Set([...trips.values(), ...withTexts.values()])) {
    const { accepted, body, sent, stored, after } = trip
    if (!accepted || !after) continue
    judgeSentAsItWas(trial, trip)
    const inList = listed.get(trip)
    for (const field of UPDATE_FIELDS)
      if (
        inList &&
        body[field] !== undefined &&
        !sameValue(body[field], stored[field]) &&
        field in inList.value &&
        isKept(field, sent, after.value) &&
        !isKept(field, sent, inList.value)
      )
        trial.fail({
          message: `an updated ${field} is shown by a search and not by the list`,
          expected: sent[field],
          received: inList.value[field],
          exchange: inList.exchange,
          pointer: `${inList.pointer}/${field}`,
        })
  }
  for (const shown of seen.dated) {
    if ('notFound' in shown) {
      trial.fail({
        message: 'an updated contact is not found any more by the days around its creation',
        expected: 'the contact, which was created then',
        received: 'other contacts, or none',
        exchange: shown.notFound,
      })
      continue
    }
    for (const field of staleFields(shown))
      trial.fail({
        message: `an updated ${field} is read back, and the old one is shown where dates find the contact`,
        expected: shown.changed[field],
        received: shown.now.value[field],
        exchange: shown.now.exchange,
        pointer: `${shown.now.pointer}/${field}`,
      })
  }
}

/**
 * Whether a contact is gone of which updates were accepted, and no other is that was not updated: who deletes some hits these
 * too. One whose flags were changed may be kept out of the list.
 */
async function isGoneOnceUpdated(trial: Trial, { value }: Located<Schemas['Contact']>): Promise<boolean> {
  const updates = updatesSent(trial).filter((one) => one.request.caller === trial.session.caller && isSuccess(one))
  const own = updates.filter((one) => idInPath(one) === idOf(value)).map(({ request }) => bodyOf(request))
  const areFlagsKept = own.every((body) =>
    UPDATE_BOOLEANS.every((flag) => [undefined, storedValue(value, flag)].includes(body?.[flag])),
  )
  return own.length > 0 && areFlagsKept && (await goneOnceUpdated(trial)).has(idOf(value)!)
}

/** A contact with the name and number of one, and with an id that no contact had. */
async function underAnotherId(
  trial: Trial,
  { value: { name, number } }: Located<Schemas['Contact']>,
): Promise<Schemas['Contact'] | undefined> {
  const { byId } = await trial.list('listContacts')
  const { contacts } = await walkAgain(trial, askable(name) === undefined ? {} : { searchParam: name! })
  return contacts
    .map(({ value }) => value)
    .find((one) => one.name === name && one.number === number && !byId.has(idOf(one) ?? ''))
}
