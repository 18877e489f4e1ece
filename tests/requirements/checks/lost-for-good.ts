import { idInPath } from '../../engine/exchange.ts'
import { recordsOf } from '../../engine/listing.ts'
import { asText, idOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { PLURAL, STATUSES } from '../operations.ts'
import { updatesSent } from '../send-update.ts'
import { eventually } from './eventually.ts'
import { contactsOf } from './shown-elsewhere.ts'
import { listedBeforeUpdates, listedNow, listedWhileUpdated, type Kind, type Records } from './watched-lists.ts'

/** Fewer contacts that have lost what is their own may have lost it to somebody else. */
const CONTACTS_THAT_TELL = 2

/** What was there before, by the ids of the contacts whose it was, or which a tag had. */
type Lost = ReadonlyMap<string, Records[number]>

/**
 * What is an updated contact's own is there again when the contact is as it was: a target may hide tickets and schedules
 * of one that is changed, and show active contacts alone in tags. What stays away of one contact may be somebody else's doing,
 * but not of several that were updated, and of no other.
 */
export async function judgeLostForGood(trial: Trial): Promise<void> {
  for (const [operation, seen] of await listedWhileUpdated(trial)) {
    const before = (await listedBeforeUpdates(trial)).get(operation)!
    const missing = byUpdates(trial, lostBetween(operation, before, seen))
    // Contacts have been updated since.
    const lost = missing.size > 0 ? byUpdates(trial, await lookFor(trial, operation, before)) : missing
    if (lost.size >= CONTACTS_THAT_TELL) report(trial, operation, lost)
  }
}

/** What was lost by updated contacts that are as they were again; nothing where others have lost something too. */
function byUpdates(trial: Trial, losses: Lost): Lost {
  const updated = new Set(updatesSent(trial).map(idInPath))
  if (![...losses.keys()].every((id) => updated.has(id))) return new Map()
  return new Map([...losses].filter(([id]) => isAsItWas(trial, id)))
}

/** Whether a contact was seen as it was since it was updated. */
function isAsItWas({ session: { changes, caller } }: Trial, contactId: string): boolean {
  return !changes.find({ path: { contactId }, owner: caller })
}

/** What is lost of a list once what is some contacts' own had time to come back. */
function lookFor(trial: Trial, operation: Kind, before: Records): Promise<Lost> {
  const look = async (): Promise<Lost> => {
    const listed = await listedNow(trial, operation, before)
    const missing = lostBetween(operation, before, listed)
    // A list that is cut short, or hides what is closed, shows it if it is asked for.
    const asked = await trial.each([...byUpdates(trial, missing).keys()], (contactId) =>
      shownIfAsked(trial, operation, contactId),
    )
    const after = [...listed, ...asked.flat()]
    return listed.length > 0 ? lostBetween(operation, before, after) : new Map()
  }
  return eventually(trial.session, look, (lost) => lost.size === 0)
}

async function shownIfAsked({ session }: Trial, operation: Kind, contactId: string): Promise<Records> {
  if (operation === 'listTags') return []
  const statuses = operation === 'listTickets' ? STATUSES.map((status) => ({ contactId, status })) : []
  const shown: Records[] = []
  for (const query of [{ contactId }, ...statuses])
    shown.push(recordsOf(session, operation, await session.attempt(operation, { query })))
  return shown.flat()
}

/** What contacts have lost between two looks at a list: a record each that was theirs. */
function lostBetween(operation: Kind, before: Records, after: Records): Lost {
  const known = new Map(after.map((record) => [idOf(record.value), record]))
  const lost = new Map<string, Records[number]>()
  for (const was of before) {
    const now = known.get(idOf(was.value))
    for (const id of idOf(was.value) === undefined ? [] : lostBy(operation, was, now)) lost.set(id, was)
  }
  return lost
}

/** The contacts that have lost a record; a tag that is gone is no contact's, and one that is cut short shows as many. */
function lostBy(operation: Kind, was: Records[number], now: Records[number] | undefined): readonly string[] {
  const owners = ownersOf(operation, was.value)
  if (operation !== 'listTags') return now ? [] : owners
  const left = ownersOf(operation, now?.value ?? was.value)
  return left.length < owners.length ? owners.filter((id) => !left.includes(id)) : []
}

/** The ids of the contacts whose a record is, or which a tag has. */
function ownersOf(operation: Kind, record: Records[number]['value']): readonly string[] {
  if (operation === 'listTags') return contactsOf(record).flatMap((contact) => idOf(contact) ?? [])
  return [asText(record['contactId']) ?? []].flat()
}

function report(trial: Trial, operation: Kind, lost: Lost): void {
  const of = PLURAL[operation]
  for (const [contactId, { value, exchange }] of lost)
    trial.fail({
      message: `an update took ${of} from its contact, which stay away now that it is as it was`,
      expected: `${idOf(value)} with the contact ${contactId}, as before`,
      received: `nothing of the kind; ${lost.size} contacts that were updated lost theirs, and no other did`,
      record: idOf(value),
      exchange,
      // What is gone is gone before the next pass.
      once: true,
    })
}
