import type { Listing } from '../../engine/listing.ts'
import { idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { storedBody } from '../update-body.ts'
import { isKept } from './kept.ts'
import { findContact, hasLostNone } from './read-back.ts'
import type { RoundTrip } from './round-trip.ts'
import { noteSideEffect } from './side-effects.ts'

type Contact = Located<Schemas['Contact']>

/** What a contact may have for itself alone, the address first: fewer targets refuse one of another. */
export const OWN = ['email', 'number'] as const
type Own = (typeof OWN)[number]

/** A contact with another number, or address, than the one given, if that shows one. */
export function contactOfAnother(
  field: Own,
  { records }: Listing<Schemas['Contact']>,
  contact: Contact,
): Contact | undefined {
  const own = storedBody(contact.value)
  const isAnother = ({ value }: Contact): boolean => Boolean(value[field]) && !isKept(field, own, value)
  return own[field] ? records.find((one) => idOf(one.value) !== undefined && isAnother(one)) : undefined
}

/**
 * Whether two contacts may have one number, or address, is open; but an update that is accepted stores it, and leaves the other
 * contact.
 * @param trip the update with the value, where an update of the field is accepted.
 */
export async function judgeValueOfAnother(trial: Trial, field: Own, of: Contact, trip: RoundTrip): Promise<void> {
  const { accepted, after, sent, exchange } = trip
  if (!accepted || !after) return
  trial.count('values of another contact')
  if (!isKept(field, sent, after.value))
    trial.fail({
      message: `the ${field} of another contact was accepted, and not stored`,
      expected: `a refusal, or "${sent[field]}"`,
      received: after.value[field],
      exchange: after.exchange,
      pointer: `${after.pointer}/${field}`,
    })
  const id = idOf(of.value)!
  const now = await findContact(trial, id, [of.value.name])
  if (!now && (await hasLostNone(trial, (one) => one === id)))
    trial.fail({
      message: `an update with the ${field} of another contact took that contact from the list`,
      expected: `the contact ${id}`,
      received: 'no such contact in the list',
      exchange,
    })
  const stored = storedBody(of.value)
  for (const one of now ? ([field, 'active'] as const) : []) {
    if (stored[one] === undefined || isKept(one, stored, now!.value)) continue
    noteSideEffect(trial, of.value, one, now!.value)
    trial.fail({
      message: `an update with the ${field} of another contact changed ${one} of that contact`,
      expected: stored[one],
      received: now!.value[one],
      exchange: now!.exchange,
      pointer: `${now!.pointer}/${one}`,
    })
  }
}
