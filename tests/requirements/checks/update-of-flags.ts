import { idOf, sameValue } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { inForm, UPDATE_BOOLEANS, type UpdateField } from '../update-body.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { freshValues } from './fresh-values.ts'
import { isReadBack, roundTrip, type RoundTrip } from './round-trip.ts'
import { updateEveryField } from './update-every-field.ts'

/**
 * An update of the contrasting contact's flags, all but whether it is a group, once per pass: of those that an update of the
 * other contact has turned, and turned back.
 * @returns undefined where a field is none of them.
 */
export async function updateOfFlags(trial: Trial, field: UpdateField): Promise<RoundTrip | undefined> {
  const trip = await trial.session.remember('update of flags of the contrasting contact', async () => {
    const [contact, { trips }] = [await contrastingContact(trial), await updateEveryField(trial)]
    const flags = UPDATE_BOOLEANS.filter((flag) => {
      const trip = trips.get(flag)
      const isOfAnother = trip?.contactId !== idOf(contact.value)
      return flag !== 'isGroup' && trip?.putBack && isOfAnother && isReadBack(trip, flag)
    })
    const changes = flags.length > 0 ? inForm(await freshValues(trial, contact), flags) : {}
    return Object.keys(changes).length > 0 ? roundTrip(trial, contact, changes) : undefined
  })
  return trip && !sameValue(trip.sent[field], trip.stored[field]) ? trip : undefined
}
