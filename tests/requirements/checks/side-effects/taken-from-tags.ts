import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { triedIds } from '../updates/send-update.ts'
import { eventually } from '../eventually.ts'
import { contactsOf } from '../after-updates/shown-elsewhere.ts'
import { listedBeforeUpdates, listedNow, listedWhileUpdated, type Records } from './watched-lists.ts'

/** Somebody else may take one contact from its tags, but not just those that were updated. */
const CONTACTS_THAT_TELL = 2

/** A tag that had it before, by the id of the contact. */
type Taken = ReadonlyMap<string, Records[number]>

/**
 * Updated contacts are in their tags when they are as they were again; a target may show active contacts alone there. Those
 * that stay away were taken from them by updates if they are several, and no other contact is among them.
 */
export async function judgeTakenFromTags(trial: Trial): Promise<void> {
  const before = (await listedBeforeUpdates(trial)).get('listTags')
  const seen = (await listedWhileUpdated(trial)).get('listTags')
  if (!before || !seen || takenByUpdates(trial, before, seen).size === 0) return
  const taken = await eventually(
    trial.session,
    async () => takenByUpdates(trial, before, await listedNow(trial, 'listTags', before)),
    ({ size }) => size === 0,
  )
  if (taken.size < CONTACTS_THAT_TELL) return
  for (const [contactId, { value, exchange }] of taken)
    trial.fail({
      message: 'updated contacts were taken from their tags, and not back when they were put back',
      expected: `the contact ${contactId} in the tag ${idOf(value)}, as before`,
      received: `the tag without it; ${taken.size} updated contacts are gone from theirs, and no other contact is`,
      record: idOf(value),
      exchange,
      // What is gone is gone before the next pass.
      once: true,
    })
}

/** The updated contacts that are gone from a tag, though they are as they were again; none where others are gone from theirs. */
function takenByUpdates(trial: Trial, before: Records, after: Records): Taken {
  const { changes, caller } = trial.session
  const updated = triedIds(trial)
  const taken = takenBetween(before, after)
  if (![...taken.keys()].every((id) => updated.has(id))) return new Map()
  return new Map([...taken].filter(([contactId]) => !changes.find({ path: { contactId }, owner: caller })))
}

/** The contacts that are gone from a tag; one that is cut short shows as many as before. */
function takenBetween(before: Records, after: Records): Taken {
  const now = new Map(after.map(({ value }) => [idOf(value), value]))
  const taken = new Map<string, Records[number]>()
  for (const was of before) {
    const [owners, left] = [was.value, now.get(idOf(was.value)) ?? was.value].map((tag) => contactsOf(tag).map(idOf))
    if (left!.length < owners!.length)
      for (const id of owners!) if (id !== undefined && !left!.includes(id)) taken.set(id, was)
  }
  return taken
}
