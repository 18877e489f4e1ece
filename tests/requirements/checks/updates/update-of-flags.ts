import { idOf, sameValue } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatableContact } from './learn-updates.ts'
import { inForm, storedBody, UPDATE_BOOLEANS, type UpdateBody, type UpdateField } from './update-body.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { freshValues } from './fresh-values.ts'
import { isReadBack, roundTrip, type RoundTrip } from './round-trip.ts'
import { updateEveryField } from './update-every-field.ts'

/**
 * Updates of the contrasting contact's flags, all but whether it is a group, once per pass: of those that an update of the
 * other contact has turned, and turned back.
 * @returns those that turn a field.
 */
export async function updatesOfFlags(trial: Trial, field: UpdateField): Promise<readonly RoundTrip[]> {
  const trips = await trial.session.remember('updates of flags of the contrasting contact', async () => {
    const [contact, { trips }] = [await contrastingContact(trial), await updateEveryField(trial)]
    const flags = UPDATE_BOOLEANS.filter((flag) => {
      const trip = trips.get(flag)
      const isOfAnother = trip?.contactId !== idOf(contact.value)
      return flag !== 'isGroup' && trip?.putBack && isOfAnother && isReadBack(trip, flag)
    })
    const fresh = await freshValues(trial, contact)
    const known = [storedBody(contact.value), storedBody((await updatableContact(trial)).value)]
    const own = flags.filter((flag) => fresh[flag] !== undefined)
    const made: RoundTrip[] = []
    for (const turned of turnsOf(own, known)) made.push(await roundTrip(trial, contact, inForm(fresh, turned)))
    return made
  })
  return trips.filter(({ sent, stored }) => !sameValue(sent[field], stored[field]))
}

/**
 * Sets of flags, each turned by an update of its own: of two that are alike on all contacts that are known, some update turns
 * one alone, so that it shows where they are stored in each other's place. Being active is turned by each of them: of a
 * contact that is not, a target may turn off others.
 */
function turnsOf(flags: readonly UpdateField[], known: readonly UpdateBody[]): readonly (readonly UpdateField[])[] {
  const alike = (one: UpdateField, other: UpdateField): boolean => known.every((body) => body[one] === body[other])
  // The place of a flag among those like it: of two, some binary digit differs.
  const places = flags.map((flag, at) => flags.slice(0, at + 1).filter((other) => alike(flag, other)).length)
  const { length } = Math.max(0, ...places).toString(2)
  return flags.length === 0
    ? []
    : Array.from({ length }, (_, step) => flags.filter((flag, at) => isTurned(flag, places[at]!, step)))
}

function isTurned(flag: UpdateField, place: number, step: number): boolean {
  return flag === 'active' || ((place >> step) & 1) === 1
}
