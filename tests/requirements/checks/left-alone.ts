import type { Company } from '../../engine/credentials.ts'
import { recordsOf } from '../../engine/listing.ts'
import { orElse } from '../../engine/or-else.ts'
import { asText, idOf, sameValue, type ListOperation, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { PLURAL, STATUSES } from '../operations.ts'
import { freshValues } from './fresh-values.ts'
import { putBack } from './put-back.ts'
import { walkAgain } from './read-back.ts'
import { roundTrip } from './round-trip.ts'

/** So often a list that has changed is looked at again: one that changes by itself goes on changing, be it behind a cache. */
const LOOKS = 40
const WALKS = 10
const SECONDS = 4

/** A list that shows less of what was loaded may stand still while the rest of it changes. */
const SHARE_SHOWN = 0.8

/** So many of the updated contacts are updated once more, to see what that changes. */
const UPDATED_AGAIN = 12
const TIMES = 3

/** Changes to fewer records may be somebody else's, who was there for a moment: they have to show at further updates too. */
const MANY = 3

/** What stays as it was of a contact's own tickets and schedules: that they are closed or cancelled with it is open. */
const OWN_FIELDS: readonly string[] = ['contactId', 'companyId', 'createdAt']

type Kind = Exclude<ListOperation, 'listContacts'>
type Shown = Readonly<Record<string, unknown>>
type Records = readonly Located<Shown>[]

/** What an update of a contact has nothing to do with, by kind. */
const FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  listTickets: ['contactId', 'userId', 'queueId', 'status', 'unreadMessages', 'lastMessage', 'companyId', 'createdAt'],
  listSchedules: ['contactId', 'ticketId', 'userId', 'status', 'sendAt', 'sentAt', 'flow', 'companyId', 'createdAt'],
  listTags: ['name', 'color', 'kanban', 'companyId', 'createdAt'],
  listCampaigns: ['name', 'isActive', 'releaseDate', 'acceptEntriesUntil', 'groups', 'companyId', 'createdAt'],
}

/** What a target lists besides contacts, as it was before any update; asked for before the first. */
export function listedBeforeUpdates(trial: Trial): Promise<ReadonlyMap<Kind, Records>> {
  return trial.session.remember('listed before updates', async () => {
    const kinds = trial.session.dataset ? (Object.keys(FIELDS) as Kind[]) : []
    const lists = await trial.each(kinds, async (operation) => {
      const reading = await orElse(trial.session.ask(operation), undefined)
      return [operation, reading ? recordsOf(trial.session, operation, reading) : []] as const
    })
    return new Map(lists)
  })
}

/**
 * On data that nobody else changes, tickets, schedules, tags and campaigns are after all updates what they were before.
 * A list that changes while nothing is updated tells nothing.
 * @param updated ids of the contacts that were updated.
 */
export async function judgeLeftAlone(trial: Trial, updated: ReadonlySet<string>): Promise<void> {
  const before = [...(await listedBeforeUpdates(trial))]
  await trial.each(before, ([operation, records]) => judgeList(trial, operation, records, updated))
}

async function judgeList(trial: Trial, operation: Kind, before: Records, updated: ReadonlySet<string>): Promise<void> {
  // What changes by itself may be among what a short list doesn't show.
  const { companyId, ...dataset } = trial.session.dataset!
  const loaded = dataset[PLURAL[operation] as 'tickets']?.filter((record) => record.companyId === companyId) ?? []
  if (before.length === 0 || (operation !== 'listSchedules' && before.length < loaded.length * SHARE_SHOWN)) return
  const look = async (): Promise<Records> => recordsOf(trial.session, operation, await trial.session.attempt(operation))
  const after = await look()
  trial.count('other records', after.length)
  const changes = changesBetween(operation, before, after, updated)
  if (after.length === 0 || changes.length === 0) return
  const ids = new Set(after.map(({ value }) => idOf(value)))
  for (let looks = 0; looks < LOOKS; looks++) {
    await trial.session.pause((SECONDS * 1000) / LOOKS)
    const now = await look()
    if (now.some(({ value }) => !ids.has(idOf(value)))) return
    if (changesBetween(operation, after, now, new Set()).length > 0) return
  }
  for (const change of changes) report(trial, change, PLURAL[operation], after, isMany(changes))
}

/** @param after the list that shows the change. */
function report(trial: Trial, { was, field, now }: Change, of: string, after: Records, once: boolean): void {
  trial.fail({
    message: `an update ${field === undefined ? 'deleted' : `changed ${field} of`} ${of}`,
    expected: field === undefined ? 'the record as before' : was.value[field],
    received: field === undefined ? 'none of this id in the list' : now?.value[field],
    record: idOf(was.value),
    exchange: (now ?? after[0]!).exchange,
    ...(now && field !== undefined && { pointer: `${now.pointer}/${field}` }),
    once,
  })
}

function isMany(changes: readonly Change[]): boolean {
  return new Set(changes.map(({ was }) => idOf(was.value))).size >= MANY
}

interface Change {
  readonly was: Located<Shown>
  /** Undefined where the record is gone. */
  readonly field?: string
  readonly now?: Located<Shown>
}

function changesBetween(operation: Kind, before: Records, after: Records, updated: ReadonlySet<string>): Change[] {
  const known = new Map(after.map((record) => [idOf(record.value), record]))
  // A list may hide what is closed or cancelled.
  const hides =
    operation !== 'listTickets' || STATUSES.some((one) => after.every(({ value }) => value['status'] !== one))
  return before.flatMap((was): Change[] => {
    if (idOf(was.value) === undefined) return []
    const now = known.get(idOf(was.value))
    const isOwn = updated.has(asText(was.value['contactId']) ?? '')
    if (!now && isOwn && hides) return []
    return changesOf(was, now, isOwn ? OWN_FIELDS : FIELDS[operation])
  })
}

/**
 * On data that nobody else changes, a contact that is gone from a company's list after all updates, or shows other values,
 * was deleted or changed by one.
 * @param walks the list, before any update first and after the last one at the end.
 * @param updated ids of the contacts that were updated until then, which may be hidden or changed where they can't be put
 *   back.
 */
export async function judgeContactsLeftAlone(
  trial: Trial,
  caller: Company,
  walks: readonly Contacts[],
  updated: ReadonlySet<string>,
): Promise<void> {
  const [first = [], ...later] = walks
  const before = first.filter(({ value }) => idOf(value) !== undefined && !updated.has(idOf(value)!))
  const seen = later.flatMap((walk) => changesToContacts(trial, before, walk))
  if (!trial.session.dataset || seen.length === 0) return
  const owner = caller === 'main' ? trial : trial.as(caller)
  if (!(await owner.list('listContacts')).complete || hasMovedBeforeUpdates(owner)) return
  const after = await contactsStandingStill(owner)
  if (!after) return
  // Later updates may have been of just these.
  const isSeen = ({ was, field }: Change): boolean => seen.some((one) => one.was === was && one.field === field)
  const lasting = changesToContacts(trial, before, after).filter(isSeen)
  const ids = new Set(seen.map(({ was }) => idOf(was.value)))
  const affected = before.filter(({ value }) => ids.has(idOf(value)))
  const isEvident = caller === 'main' && isMany(lasting)
  const once = isEvident || (await areChangedAgain(trial, owner, affected, updated))
  // Of the other company's contacts too few are seen to know that nobody changes them.
  if (!once && caller === 'other') return
  for (const change of once && lasting.length === 0 ? seen : lasting)
    report(trial, change, `${whose(caller)}${change.field === undefined ? '' : ' too'}`, after, once)
}

/** What is told of a contact that an update has nothing to do with. */
export function whose(caller: Company): string {
  return caller === 'main' ? 'another contact' : "the other company's contacts"
}

/** The whole list of contacts, where it stays as it is for some seconds. */
async function contactsStandingStill(owner: Trial): Promise<Contacts | undefined> {
  const { contacts, isWhole } = await walkAgain(owner)
  if (contacts.length === 0 || !isWhole) return undefined
  for (let walk = 0; walk < WALKS; walk++) {
    await owner.session.pause((SECONDS * 1000) / WALKS)
    const now = (await walkAgain(owner)).contacts
    if (now.length !== contacts.length || changesToContacts(owner, now, contacts).length > 0) return undefined
  }
  return contacts
}

/**
 * Whether contacts that are put back, and then stay so for some seconds, change as soon as one of the others is updated
 * again, each time.
 */
async function areChangedAgain(
  trial: Trial,
  owner: Trial,
  affected: Contacts,
  updated: ReadonlySet<string>,
): Promise<boolean> {
  const ids = new Set(affected.map(({ value }) => idOf(value)))
  const asTheyWere = async (): Promise<Contacts | undefined> => {
    for (const { value } of affected) await putBack(owner, value)
    return (await contactsStandingStill(owner))?.filter(({ value }) => ids.has(idOf(value)))
  }
  const changedBy = async (contact: Located<Schemas['Contact']>, known: Contacts): Promise<Set<string>> => {
    const seen: Change[] = []
    const look = async (): Promise<void> =>
      void seen.push(...changesToContacts(owner, known, (await walkAgain(owner)).contacts))
    await roundTrip(trial, contact, await freshValues(trial, contact), look)
    if (seen.length === 0) await look()
    return new Set(seen.map(({ was, field }) => `${idOf(was.value)} ${field}`))
  }
  let known = await asTheyWere()
  const contacts = (await trial.list('listContacts')).records.filter(({ value }) => updated.has(idOf(value) ?? ''))
  for (const contact of contacts.slice(0, UPDATED_AGAIN)) {
    if (!known) return false
    const first = await changedBy(contact, known)
    if (first.size === 0) continue
    let common: readonly string[] = [...first]
    // What somebody else changes at that moment does not change at that moment again and again.
    for (let times = 1; times < TIMES && common.length > 0; times++) {
      known = await asTheyWere()
      if (!known) return false
      const again = await changedBy(contact, known)
      common = common.filter((one) => again.has(one))
    }
    return common.length > 0
  }
  return false
}

/** Whether a page of the whole list lost a contact while nothing was updated yet: somebody else deletes some all the time. */
function hasMovedBeforeUpdates(trial: Trial): boolean {
  const { exchanges, answers } = trial.session.evidence
  const first = exchanges.find(({ operation }) => operation === 'updateContact')?.number ?? Infinity
  const shown = new Map<string, ReadonlySet<string | undefined>>()
  return answers
    .filter(({ exchange: { operation, request, number }, usable }) => {
      const names = [...new URL(request.url).searchParams.keys()]
      const isWhole = operation === 'listContacts' && names.every((name) => name === 'pageNumber')
      return isWhole && usable && number < first && request.caller === trial.session.caller
    })
    .some((reading) => {
      const { url } = reading.exchange.request
      const ids = new Set(recordsOf(trial.session, 'listContacts', reading).map(({ value }) => idOf(value)))
      const before = shown.get(url) ?? ids
      shown.set(url, ids)
      return [...before].some((id) => !ids.has(id))
    })
}

type Contacts = readonly Located<Schemas['Contact']>[]

/** What a record that was there shows otherwise now, in some fields; itself, where it is gone. */
function changesOf(was: Located<object>, now: Located<object> | undefined, fields: readonly string[]): Change[] {
  const [before, after] = [was, now] as Located<Shown>[]
  if (!after) return [{ was: before! }]
  return fields
    .filter((field) => field in before!.value && !sameValue(before!.value[field], after.value[field]))
    .map((field) => ({ was: before!, field, now: after }))
}

/** What contacts that were there show otherwise in a later list, but for the time of their update. */
function changesToContacts({ session }: Trial, before: Contacts, after: Contacts): Change[] {
  const known = new Map(after.map((contact) => [idOf(contact.value), contact]))
  const fields = session.contract.comparableFields('Contact').filter((field) => field !== 'updatedAt')
  return before.flatMap((was) => changesOf(was, known.get(idOf(was.value)), fields))
}
