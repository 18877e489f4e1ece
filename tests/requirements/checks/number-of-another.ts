import type { Listing } from '../../engine/listing.ts'
import { idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { storedBody } from '../update-body.ts'
import { isKept } from './kept.ts'
import { findContact, hasLostNone } from './read-back.ts'
import type { RoundTrip } from './round-trip.ts'

type Contact = Located<Schemas['Contact']>

/** A contact with another number than the one given, if that shows one. */
export function contactOfAnotherNumber(
  { records }: Listing<Schemas['Contact']>,
  contact: Contact,
): Contact | undefined {
  const own = storedBody(contact.value)
  const isAnother = ({ value }: Contact): boolean => Boolean(value.number) && !isKept('number', own, value)
  return own.number ? records.find((one) => idOf(one.value) !== undefined && isAnother(one)) : undefined
}

/**
 * Whether two contacts may have one number is open; but an update that is accepted stores it, and leaves the other contact.
 * @param trip the update with the number, where an update of numbers is accepted.
 */
export async function judgeNumberOfAnother(trial: Trial, of: Contact, trip: RoundTrip): Promise<void> {
  const { accepted, after, sent, exchange } = trip
  if (!accepted || !after) return
  trial.count('numbers of another contact')
  if (!isKept('number', sent, after.value))
    trial.fail({
      message: 'the number of another contact was accepted, and not stored',
      expected: `a refusal, or "${sent.number}"`,
      received: after.value.number,
      exchange: after.exchange,
      pointer: `${after.pointer}/number`,
    })
  if (await isGoneAlone(trial, of))
    trial.fail({
      message: 'an update with the number of another contact took that contact from the list',
      expected: `the contact ${idOf(of.value)}`,
      received: 'no such contact in the list',
      exchange,
    })
}

async function isGoneAlone(trial: Trial, { value }: Contact): Promise<boolean> {
  const id = idOf(value)!
  return !(await findContact(trial, id, [value.name])) && hasLostNone(trial, (one) => one === id)
}
