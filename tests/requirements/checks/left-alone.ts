import { recordsOf } from '../../engine/listing.ts'
import { orElse } from '../../engine/or-else.ts'
import { asText, idOf, sameValue, type ListOperation, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { PLURAL, STATUSES } from '../operations.ts'
import { walkAgain } from './round-trip.ts'

/** So often a list that has changed is looked at again: one that changes by itself goes on changing, be it behind a cache. */
const LOOKS = 40
const WALKS = 10
const SECONDS = 4

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
      once: true,
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
    if (!now) return isOwn && hides ? [] : [{ was }]
    return (isOwn ? OWN_FIELDS : FIELDS[operation])
      .filter((field) => field in was.value && !sameValue(was.value[field], now.value[field]))
      .map((field) => ({ was, field, now }))
  })
}

/**
 * On data that nobody else changes, a contact that is gone from the whole list after all updates was deleted by one.
 * @param updated ids of the contacts that were updated, which may be hidden where they can't be put back.
 */
export async function judgeDeleted(
  trial: Trial,
  walks: readonly (readonly Located<Schemas['Contact']>[])[],
  updated: ReadonlySet<string>,
): Promise<void> {
  if (!trial.session.dataset || !(await trial.list('listContacts')).complete) return
  const goneFrom = (contacts: readonly Located<Schemas['Contact']>[]): Located<Schemas['Contact']>[] => {
    const ids = idsOf(contacts)
    return walks[0]!.filter(({ value }) => idOf(value) && !updated.has(idOf(value)!) && !ids.has(idOf(value)))
  }
  if (goneFrom(walks.at(-1)!).length === 0) return
  const { contacts: after, isWhole } = await walkAgain(trial)
  if (after.length === 0 || !isWhole) return
  for (let walk = 0; walk < WALKS; walk++) {
    await trial.session.pause((SECONDS * 1000) / WALKS)
    if (!sameIds((await walkAgain(trial)).contacts, after)) return
  }
  const gone = goneFrom(after)
  for (const { value } of gone)
    trial.fail({
      message: 'an update deleted another contact',
      expected: 'the contact as before',
      received: 'no such contact in the list',
      record: idOf(value),
      exchange: after[0]!.exchange,
      once: true,
    })
}

function sameIds(
  some: readonly Located<Schemas['Contact']>[],
  others: readonly Located<Schemas['Contact']>[],
): boolean {
  return [...idsOf(some)].toSorted().join() === [...idsOf(others)].toSorted().join()
}

function idsOf(contacts: readonly Located<Schemas['Contact']>[]): Set<string | undefined> {
  return new Set(contacts.map(({ value }) => idOf(value)))
}
