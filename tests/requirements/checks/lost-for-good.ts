import { idInPath } from '../../engine/exchange.ts'
import { recordsOf } from '../../engine/listing.ts'
import { asBoolean, asText, idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { PLURAL, STATUSES } from '../operations.ts'
import { updatesSent } from '../send-update.ts'
import { inForm, isFlag, storedBody } from '../update-body.ts'
import { eventually } from './eventually.ts'
import { changedFields } from './follows-updates.ts'
import { firstUpdatable, freshValues } from './fresh-values.ts'
import { roundTrips, type RoundTrip } from './round-trip.ts'
import { contactsOf } from './shown-elsewhere.ts'
import { listedBeforeUpdates, listedNow, listedWhileUpdated, type Kind, type Records } from './watched-lists.ts'

/** Fewer contacts that have lost what is their own may have lost it to somebody else. */
const CONTACTS_THAT_TELL = 3
const CONTACTS_TRIED = 5

/** What was there before, by the ids of the contacts whose it was, or which a tag had. */
type Lost = ReadonlyMap<string, Records[number]>

/**
 * What is an updated contact's own is there again when the contact is as it was: a target may hide tickets and schedules
 * of one that is changed, and show active contacts alone in tags. What stays away may be somebody else's doing: other
 * contacts are updated, and put back, to see whether theirs goes as well, and nothing else does.
 * @param trips updates that were accepted: the same texts are changed again. Flags are not, as a list may go on hiding what
 * was closed or cancelled when a contact was not active.
 */
export async function judgeLostForGood(trial: Trial, trips: Iterable<RoundTrip>): Promise<void> {
  for (const [operation, seen] of await listedWhileUpdated(trial)) {
    const before = (await listedBeforeUpdates(trial)).get(operation)!
    const missing = byUpdates(trial, lostBetween(operation, before, seen))
    if (!missing?.size) continue
    const [after, losses] = await lookFor(trial, operation, before, [...missing.keys()])
    const lost = byUpdates(trial, losses)
    if (!lost?.size) continue
    const all = await losingAgain(trial, operation, after, trips, lost)
    if (all.size >= CONTACTS_THAT_TELL) report(trial, operation, all)
  }
}

/** What was lost by updated contacts that are as they were again; undefined where others have lost something too. */
function byUpdates(trial: Trial, losses: Lost): Lost | undefined {
  const updated = new Set(updatesSent(trial).map(idInPath))
  if (![...losses.keys()].every((id) => updated.has(id))) return undefined
  return new Map([...losses].filter(([id]) => isAsItWas(trial, id)))
}

/** Whether a contact was seen as it was since it was updated. */
function isAsItWas({ session: { changes, caller } }: Trial, contactId: string): boolean {
  return !changes.find({ path: { contactId }, owner: caller })
}

/**
 * Updates other contacts that have records of a kind, until enough of them have lost theirs.
 * @param lost what contacts have lost so far.
 * @returns the same with what further ones lost; nothing where one kept its own, or others lost theirs.
 */
async function losingAgain(
  trial: Trial,
  operation: Kind,
  listed: Records,
  trips: Iterable<RoundTrip>,
  lost: Lost,
): Promise<Lost> {
  const sets = [...new Set(trips)].filter(({ accepted }) => accepted).map((trip) => changedFields(trip))
  const all = new Map(lost)
  let before = listed
  let again = 0
  for (const other of await othersWith(trial, operation, listed, lost)) {
    if (again > 0 && all.size >= CONTACTS_THAT_TELL) break
    const id = idOf(other.value)!
    if (!(await isPutBackAfterTexts(trial, other, sets))) continue
    const [after, losses] = await lookFor(trial, operation, before, [id])
    const more = byUpdates(trial, losses)
    if (!more?.has(id)) return new Map()
    for (const [owner, loss] of more) all.set(owner, loss)
    before = after
    again++
  }
  return again > 0 ? all : new Map()
}

/** How much an update can change of a contact; a group's number, which is its id elsewhere, it can't. */
function sizeOf({ value }: Located<Schemas['Contact']>): number {
  return asBoolean(value.isGroup) ? 0 : Object.keys(storedBody(value)).length
}

/** Contacts that have records of a kind still; those first that hold most of what an update can change. */
async function othersWith(
  trial: Trial,
  operation: Kind,
  listed: Records,
  lost: Lost,
): Promise<readonly Located<Schemas['Contact']>[]> {
  const { byId } = await trial.list('listContacts')
  const owners = new Set(listed.flatMap(({ value }) => ownersOf(operation, value)))
  const others = [...owners].filter((id) => !lost.has(id)).flatMap((id) => byId.get(id) ?? [])
  return others.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, CONTACTS_TRIED)
}

/** Changes texts of a contact, and gives whether it was as before then. */
async function isPutBackAfterTexts(
  trial: Trial,
  listed: Located<Schemas['Contact']>,
  sets: readonly ReturnType<typeof changedFields>[],
): Promise<boolean> {
  const contact = await firstUpdatable(trial, [listed])
  if (!contact) return false
  const fresh = await freshValues(trial, contact)
  const changes = sets.map((fields) =>
    inForm(
      fresh,
      fields.filter((field) => !isFlag(field)),
    ),
  ) // prettier
  const steps = changes.filter((values) => Object.keys(values).length > 0).map((values) => ({ changes: values }))
  const trips = await roundTrips(trial, contact, steps)
  return trips.some(({ accepted }) => accepted) && isAsItWas(trial, idOf(contact.value)!)
}

/** A list once what is some contacts' own had time to come back, and what of it is lost. */
function lookFor(
  trial: Trial,
  operation: Kind,
  before: Records,
  contactIds: readonly string[],
): Promise<readonly [after: Records, lost: Lost]> {
  const look = async (): Promise<readonly [Records, Lost]> => {
    const listed = await listedNow(trial, operation, before)
    const missing = lostBetween(operation, before, listed)
    // A list that is cut short, or hides what is closed, shows it if it is asked for.
    const asked = await trial.each(
      contactIds.filter((id) => missing.has(id)),
      (contactId) => shownIfAsked(trial, operation, contactId),
    )
    const after = [...listed, ...asked.flat()]
    return [listed, listed.length > 0 ? lostBetween(operation, before, after) : new Map()]
  }
  return eventually(trial.session, look, ([, lost]) => !contactIds.some((id) => lost.has(id)))
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
