import { recordsOf } from '../../engine/listing.ts'
import { orElse } from '../../engine/or-else.ts'
import { asText, idOf, sameValue, type ListOperation, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { PLURAL, STATUSES } from '../operations.ts'
import { walkAgain } from './read-back.ts'

/** So often a list that has changed is looked at again: one that changes by itself goes on changing, be it behind a cache. */
const LOOKS = 40
const WALKS = 10
const SECONDS = 4

/** Fewer changes may be somebody else's, who was there for a moment: they have to show at further updates too. */
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
  if (before.length === 0 || (operation !== 'listSchedules' && before.length < loaded.length / 2)) return
  const look = async (): Promise<Records> => recordsOf(trial.session, operation, await trial.session.attempt(operation))
  const after = await look()
  trial.count('other records', after.length)
  const changes = changesBetween(operation, before, after, updated)
  if (after.length === 0 || changes.length === 0) return
  for (let looks = 0; looks < LOOKS; looks++) {
    await trial.session.pause((SECONDS * 1000) / LOOKS)
    if (changesBetween(operation, after, await look(), new Set()).length > 0) return
  }
  for (const { was, field, now } of changes)
    trial.fail({
      message: `an update ${field === undefined ? 'deleted' : `changed ${field} of`} ${PLURAL[operation]}`,
      expected: field === undefined ? 'the record as before' : was.value[field],
      received: field === undefined ? 'none of this id in the list' : now?.value[field],
      record: idOf(was.value),
      exchange: (now ?? after[0]!).exchange,
      ...(now && field !== undefined && { pointer: `${now.pointer}/${field}` }),
      once: changes.length >= MANY,
    })
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
 * On data that nobody else changes, a contact that is gone from the whole list after all updates, or shows other values,
 * was deleted or changed by one.
 * @param updated ids of the contacts that were updated, which may be hidden or changed where they can't be put back.
 */
export async function judgeContactsLeftAlone(
  trial: Trial,
  walks: readonly Contacts[],
  updated: ReadonlySet<string>,
): Promise<void> {
  if (!trial.session.dataset || !(await trial.list('listContacts')).complete) return
  const before = walks[0]!.filter(({ value }) => idOf(value) !== undefined && !updated.has(idOf(value)!))
  const fields = trial.session.contract.comparableFields('Contact').filter((field) => field !== 'updatedAt')
  const changesTo = (contacts: Contacts): Change[] => {
    const known = new Map(contacts.map((contact) => [idOf(contact.value), contact]))
    return before.flatMap((was) => changesOf(was, known.get(idOf(was.value)), fields))
  }
  if (changesTo(walks.at(-1)!).length === 0 || hasMovedBeforeUpdates(trial)) return
  const { contacts: after, isWhole } = await walkAgain(trial)
  if (after.length === 0 || !isWhole) return
  for (let walk = 0; walk < WALKS; walk++) {
    await trial.session.pause((SECONDS * 1000) / WALKS)
    if (!sameContacts((await walkAgain(trial)).contacts, after, fields)) return
  }
  const changes = changesTo(after)
  for (const { was, field, now } of changes)
    trial.fail({
      message: `an update ${field === undefined ? 'deleted another contact' : `changed ${field} of another contact too`}`,
      expected: field === undefined ? 'the contact as before' : was.value[field],
      received: field === undefined ? 'no such contact in the list' : now!.value[field],
      record: idOf(was.value),
      exchange: (now ?? after[0]!).exchange,
      once: changes.length >= MANY,
    })
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

function sameContacts(some: Contacts, others: Contacts, fields: readonly string[]): boolean {
  const known = new Map(others.map((contact) => [idOf(contact.value), contact]))
  return (
    some.length === others.length &&
    some.every((one) => changesOf(one, known.get(idOf(one.value)), fields).length === 0)
  )
}
