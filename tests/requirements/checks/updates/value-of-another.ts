import { asBoolean, idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatableContacts } from './learn-updates.ts'
import { OF_ONE_CONTACT, storedBody, type UpdateBody, type UpdateField } from './update-body.ts'
import { asItIsNow } from '../after-updates/as-it-is-now.ts'
import { isKept } from './kept.ts'
import { findContact, goneFromTheList, pageAgain } from './read-back.ts'
import type { RoundTrip } from './round-trip.ts'
import { noteSideEffect } from '../side-effects/side-effects.ts'

type Contact = Located<Schemas['Contact']>

/** An update that gives a contact the number, or the address, of another one. */
interface Taken {
  readonly field: (typeof OF_ONE_CONTACT)[number]
  readonly by: Contact
  readonly of: Contact
  readonly body: UpdateBody
}

/**
 * Such updates, of contacts that have another number, or address, themselves.
 * @param changeable the fields of which new values are accepted.
 * @param besides gives what else is sent.
 */
export async function valuesOfOthers(
  trial: Trial,
  changeable: readonly UpdateField[],
  besides: (by: Contact) => Promise<UpdateBody>,
): Promise<readonly Taken[]> {
  const { records } = await trial.list('listContacts')
  const taken: Taken[] = []
  for (const field of OF_ONE_CONTACT.filter((own) => changeable.includes(own))) {
    const by = (await updatableContacts(trial)).find(({ value }) => value[field])
    if (!by) continue
    const own = storedBody(by.value)
    const others = records.filter(
      ({ value }) => idOf(value) !== undefined && value[field] && !isKept(field, own, value),
    )
    // What such an update takes away, the other contact must have.
    const other = others.find(({ value }) => asBoolean(value.active)) ?? others[0]
    if (!other) continue
    const of = await asItIsNow(trial, other)
    taken.push({ field, by, of, body: { ...(await besides(by)), [field]: String(of.value[field]) } })
  }
  return taken
}

/**
 * Whether two contacts may have one number, or address, is open; but an update that is accepted stores it, and leaves the other
 * contact.
 * @param trip the update with the value, where an update of the field is accepted.
 */
export async function judgeValueOfAnother(trial: Trial, { field, of }: Taken, trip: RoundTrip): Promise<void> {
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
  const gone = now ? undefined : await goneFromTheList(trial)
  // Who deletes contacts hits others, too.
  if (gone?.has(id) && gone.size === 1)
    trial.fail({
      message: `an update with the ${field} of another contact took that contact from the list`,
      expected: `the contact ${id}`,
      received: 'no such contact in the list',
      exchange,
    })
  const stored = storedBody(of.value)
  const changedIn = (seen: Contact): readonly UpdateField[] =>
    ([field, 'active'] as const).filter((one) => stored[one] !== undefined && !isKept(one, stored, seen.value))
  if (!now || changedIn(now).length === 0) return
  // A search may show it otherwise than the list does.
  const listed = (await pageAgain(trial, of)).find(({ value }) => idOf(value) === id)
  if (!listed) return
  for (const one of changedIn(listed).filter((field) => changedIn(now).includes(field))) {
    noteSideEffect(trial, of.value, one, listed.value)
    trial.fail({
      message: `an update with the ${field} of another contact changed ${one} of that contact`,
      expected: stored[one],
      received: listed.value[one],
      exchange: listed.exchange,
      pointer: `${listed.pointer}/${one}`,
    })
  }
}
