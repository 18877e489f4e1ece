import { askable } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL } from '../../operations.ts'
import { eventually } from '../eventually.ts'
import { FOUND_BY, searchFor, type FoundBy } from './found-when-updated.ts'
import { freshText } from '../updates/fresh-values.ts'
import type { RoundTrip } from '../updates/round-trip.ts'
import { updateEveryField } from '../updates/update-every-field.ts'
import { updatesWithTexts } from '../updates/update-texts.ts'
import { updatesOfParts } from '../updates/updates-of-parts.ts'

/** A search that finds contacts by a field has to follow the update. */
export async function judgeFound(trial: Trial): Promise<void> {
  const {
    trips,
    seen: { found },
  } = await updateEveryField(trial)
  for (const [what, isFound] of found) {
    const kind = what === 'listSchedules' || what === 'listTickets' ? PLURAL[what] : 'contacts'
    const field = what === 'email' || what === 'number' ? what : 'name'
    const { contactId, sent, exchange } = trips.get(field)!
    trial.count('searches')
    if (!isFound)
      trial.fail({
        message: `a search finds ${kind} by the ${field} of a contact, and those of an updated one not by its new ${field}`,
        expected: `${kind === 'contacts' ? 'the' : `${kind} of the`} contact ${contactId} for "${sent[field]}"`,
        received: 'none of them',
        exchange,
      })
  }
  for (const { foundBy, sent, exchange } of await updatesOfParts(trial)) {
    if (!foundBy) continue
    trial.count('searches')
    const { field, isFound } = foundBy
    if (!isFound)
      trial.fail({
        message: `a search does not find a contact by its new ${field}, where an update changed that without the name`,
        expected: `the contact for "${sent[field]}"`,
        received: 'not that contact',
        exchange,
      })
  }
  if (found.get('name'))
    for (const { isFound, sent, exchange } of (await updatesWithTexts(trial)).values())
      if (isFound === false)
        trial.fail({
          message:
            'a search does not find a contact by its new name with letters beyond ASCII, as it finds others by theirs',
          expected: `the contact for "${sent.name}"`,
          received: 'not that contact',
          exchange,
        })
  const lookedAt = FOUND_BY.filter((field) => found.get(field))
  await trial.each(lookedAt, (field) => judgeFormerValue(trial, field, trips.get(field)!))
  if (found.size === 0)
    trial.notExercised('Needs an updated name that is read back, and a search that finds contacts by their names.')
}

/**
 * The new value was put back since, and nobody has it: only what was kept of it finds a contact, unless a search takes for
 * alike what nobody ever had.
 */
async function judgeFormerValue(
  trial: Trial,
  field: FoundBy,
  { contactId, sent, putBack, restored }: RoundTrip,
): Promise<void> {
  const former = askable(sent[field])
  if (!putBack || former === undefined || !restored || JSON.stringify(restored.value).includes(former)) return
  const { isFound, exchange } = await eventually(
    trial.session,
    () => searchFor(trial, former, contactId),
    (last) => !last.isFound,
  )
  trial.count('searches')
  const another = isFound ? freshText(trial.random, field, former) : undefined
  if (another !== undefined && (await searchFor(trial, another, contactId)).isFound === false)
    trial.fail({
      message: `a search finds a contact by the ${field} that it has no more`,
      expected: 'no such contact',
      received: `the contact ${contactId}`,
      exchange,
    })
}
