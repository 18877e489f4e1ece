import type { Listing } from '../../engine/listing.ts'
import { idOf, sameValue, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { inForm, storedBody, type UpdateBody } from '../update-body.ts'
import { isKept } from './kept.ts'
import { findContact, walkAgain } from './read-back.ts'
import type { RoundTrip } from './round-trip.ts'

/** Fields of which a target may let no two contacts have the same value, the likeliest to be accepted first. */
const UNIQUE = ['email', 'number'] as const

type Contact = Located<Schemas['Contact']>

/** A value of a contact's that an update of another one sends. */
interface Taken {
  readonly field: (typeof UNIQUE)[number]
  readonly values: UpdateBody
  readonly of: Contact
}

/** Values that another contact has, of the fields that a contact shows. */
export function valuesOfAnother({ records }: Listing<Schemas['Contact']>, contact: Contact): readonly Taken[] {
  const own = storedBody(contact.value)
  return UNIQUE.flatMap((field) => {
    const isAnother = ({ value }: Contact): boolean => Boolean(value[field]) && !isKept(field, own, value)
    const of = own[field] ? records.find((one) => idOf(one.value) !== undefined && isAnother(one)) : undefined
    return of ? [{ field, values: inForm(storedBody(of.value), [field]), of }] : []
  })
}

/** Whether two contacts may have one number is open; but an update that is accepted stores it, and leaves the other contact. */
export async function judgeTaken(trial: Trial, taken: readonly Taken[], trips: readonly RoundTrip[]): Promise<void> {
  const ids = new Set(taken.map(({ of }) => idOf(of.value)))
  for (const { field, values, of } of taken) {
    const trip = trips.find(({ accepted, sent }) => accepted && sameValue(sent[field], values[field]))
    if (!trip?.after) continue
    trial.count('values of another contact')
    if (!isKept(field, trip.sent, trip.after.value))
      trial.fail({
        message: `the ${field} of another contact was accepted, and not stored`,
        expected: `a refusal, or "${values[field]}"`,
        received: trip.after.value[field],
        exchange: trip.after.exchange,
        pointer: `${trip.after.pointer}/${field}`,
      })
    if (await isGone(trial, of, ids))
      trial.fail({
        message: `an update with the ${field} of another contact took that contact from the list`,
        expected: `the contact ${idOf(of.value)}`,
        received: 'no such contact in the list',
        exchange: trip.exchange,
      })
  }
}

/** Whether a contact is gone, and none but some are: somebody else who deletes contacts hits others, too. */
async function isGone(trial: Trial, { value }: Contact, some: ReadonlySet<string | undefined>): Promise<boolean> {
  if (await findContact(trial, idOf(value)!, [value.name])) return false
  const { contacts, isWhole } = await walkAgain(trial)
  const now = new Set(contacts.map((one) => idOf(one.value)))
  const { byId } = await trial.list('listContacts')
  return isWhole && [...byId.keys()].every((id) => now.has(id) || some.has(id))
}
