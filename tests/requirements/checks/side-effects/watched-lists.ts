import { recordsOf } from '../../../engine/data/listing.ts'
import { orElse } from '../../../engine/or-else.ts'
import {
  type AnyRecord,
  asText,
  idOf,
  idsOf,
  sameValue,
  type ListOperation,
  type Located,
  type Schemas,
} from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatesSent } from '../updates/send-update.ts'
import { LISTS, PLURAL, STATUSES } from '../../operations.ts'
import { editedByOthers } from './edited-by-others.ts'
import { walkAgain } from '../updates/read-back.ts'
import { contactsOf } from '../after-updates/shown-elsewhere.ts'

/** A list that shows less of what was loaded may stand still while the rest of it changes. */
const SHARE_SHOWN = 0.8

/** What stays as it was of a contact's own tickets and schedules: that they are closed or cancelled with it is open. */
const OWN_FIELDS: readonly string[] = ['contactId', 'companyId', 'createdAt', 'flow', 'sendAt']

type Kind = Exclude<ListOperation, 'listContacts'>
type Contacts = readonly Located<Schemas['Contact']>[]
export type Records = readonly Located<AnyRecord>[]

/** What an update of a contact may show in: when a record was updated last, and the contact where it is embedded. */
const MAY_CHANGE: readonly string[] = ['updatedAt', 'contact', 'contacts']

/** A list, and what updates of contacts have nothing to do with in it. */
export interface WatchedList {
  /** What its records are, in words. */
  readonly of: string
  /** Whose contacts they are, which can be put back; undefined for other records. */
  readonly owner?: Trial
  /** As it was before any update. */
  readonly before: Records
  /** What was shown otherwise while contacts were updated, and after. */
  readonly changes: readonly Change[]
  readonly look: () => Promise<Records>
  readonly changesBetween: (before: Records, after: Records) => readonly Change[]
  /** Whether two looks at it show the same, of whatever an update may have to do with as well. */
  readonly isSame: (before: Records, after: Records) => boolean
  /** Whether a list that stands still for some seconds is one that nobody changes. */
  readonly tellsByStandingStill: boolean
  /** Whether it may be left to that alone: of the other company too little is seen to know that nobody changes it. */
  readonly tellsAlone: boolean
  /** How often it is looked at in these seconds. */
  readonly looks: number
}

/** What a record that was there shows otherwise later. */
export interface Change {
  readonly was: Records[number]
  /** Undefined where the record is gone, or was not there. */
  readonly field?: string
  /** Undefined where the record is gone. */
  readonly now?: Records[number]
}

/** The documented fields of a kind of record that an update has nothing to do with. */
export function fieldsOf({ session: { contract } }: Trial, operation: ListOperation): readonly string[] {
  return contract.comparableFields(contract.operation(operation).schema).filter((field) => !MAY_CHANGE.includes(field))
}

/** What a target lists besides contacts, as it was before any update; asked for before the first. */
export function listedBeforeUpdates(trial: Trial): Promise<ReadonlyMap<Kind, Records>> {
  return trial.session.remember('listed before updates', async () => {
    const { operations } = trial.session.settings
    const kinds = LISTS.filter((kind) => kind !== 'listContacts').filter((kind) => operations?.includes(kind) !== false)
    const lists = await trial.each(kinds, async (operation) => {
      const reading = await orElse(trial.session.ask(operation), undefined)
      return [operation, reading ? recordsOf(trial.session, operation, reading) : []] as const
    })
    return new Map(lists)
  })
}

/** The same after updates, once per pass: while a contact is changed, if updates of parts ask for it, or else when it is put back. */
export function listedWhileUpdated(trial: Trial): Promise<ReadonlyMap<Kind, Records>> {
  return trial.session.remember('listed while updated', async () => {
    const before = [...(await listedBeforeUpdates(trial))].filter(([, records]) => records.length > 0)
    return new Map(
      await trial.each(
        before,
        async ([operation, records]) =>
          [operation, await listedNow(trial, operation, records, listedSinceUpdate(trial, operation))] as const,
      ),
    )
  })
}

/** What a list showed that was asked for after the last update. */
function listedSinceUpdate(trial: Trial, operation: Kind): Records | undefined {
  const last = updatesSent(trial).at(-1)?.number ?? Infinity
  const shown = trial.session.evidence.answers.findLast(
    ({ exchange: { operation: asked, request, number }, usable }) =>
      usable &&
      asked === operation &&
      number > last &&
      request.caller === trial.session.caller &&
      !request.url.includes('?'),
  )
  return shown && recordsOf(trial.session, operation, shown)
}

/** A list as it is now; its later pages too, where the first one lacks what it had: an update may move what is its own. */
export async function listedNow(trial: Trial, operation: Kind, before: Records, listed?: Records): Promise<Records> {
  const first = listed ?? recordsOf(trial.session, operation, await trial.session.attempt(operation))
  const ids = idsOf(first)
  if (operation !== 'listSchedules' || before.every(({ value }) => ids.has(idOf(value)))) return first
  const { pages } = await trial.list(operation)
  const later = await trial.each(pages, async ({ number }) => {
    const query = { pageNumber: String(number) }
    return recordsOf(trial.session, operation, await trial.session.attempt(operation, { query }))
  })
  return [first, ...later].flat()
}

/**
 * Tickets, schedules, tags and campaigns.
 * @param updates what became of the own tickets and schedules of a contact that was updated by then is open.
 */
export async function otherLists(
  trial: Trial,
  updates: readonly { readonly contactId: string; readonly number: number }[],
): Promise<readonly WatchedList[]> {
  const before = [...(await listedBeforeUpdates(trial))].filter(([, records]) => records.length > 0)
  const listed = await listedWhileUpdated(trial)
  return trial.each(before, async ([operation, records]): Promise<WatchedList> => {
    const fields = fieldsOf(trial, operation)
    const after = listed.get(operation)!
    const looked = after[0]?.exchange.number ?? Infinity
    const updated = new Set(updates.filter(({ number }) => number < looked).map(({ contactId }) => contactId))
    const changesBetween: WatchedList['changesBetween'] = (was, now) =>
      changesOfOthers(operation, was, now, updated, fields)
    trial.count('other records', after.length)
    return {
      of: PLURAL[operation],
      before: records,
      changes: after.length > 0 ? changesBetween(records, after) : [],
      look: () => listedNow(trial, operation, records),
      changesBetween,
      isSame: (was, now) => isSame(was, now, fields),
      tellsByStandingStill: isShown(trial, operation, records.length),
      tellsAlone: true,
      looks: 40,
    }
  })
}

/** Whether a list shows as much of what was loaded that what changes by itself cannot be among the rest. */
function isShown({ session }: Trial, operation: Kind, shown: number): boolean {
  if (!session.dataset || operation === 'listSchedules') return session.dataset !== undefined
  const { companyId, ...dataset } = session.dataset
  const loaded = dataset[PLURAL[operation] as 'tickets']?.filter((record) => record.companyId === companyId) ?? []
  return shown >= loaded.length * SHARE_SHOWN
}

function changesOfOthers(
  operation: Kind,
  before: Records,
  after: Records,
  updated: ReadonlySet<string>,
  fields: readonly string[],
): Change[] {
  const known = new Map(after.map((record) => [idOf(record.value), record]))
  // A list may hide what is closed or cancelled.
  const hides =
    operation !== 'listTickets' || STATUSES.some((one) => after.every(({ value }) => value['status'] !== one))
  const linked = new Set(before.flatMap(({ value }) => contactsOf(value).map((one) => idOf(one) ?? '')))
  // Beside records that name their contacts, one that names none may be of any.
  const namesContacts = before.some(({ value }) => asText(value['contactId']) !== undefined)
  const changed = before.flatMap((was): Change[] => {
    if (idOf(was.value) === undefined) return []
    const now = known.get(idOf(was.value))
    const contactId = asText(was.value['contactId'])
    const isOwn = contactId === undefined ? namesContacts : updated.has(contactId)
    if (!now && isOwn && hides) return []
    const links =
      now && operation === 'listTags' && areLinksChanged(was, now, linked, updated) ? [{ was, field: LINKS, now }] : []
    return [...changesOf(was, now, isOwn ? OWN_FIELDS : fields), ...links]
  })
  return [...changed, ...createdForOthers(operation, before, after, updated)]
}

/** Records that were not there; a list that is cut short shows others when their order changes, and not more. */
function createdForOthers(
  operation: Kind,
  before: Records,
  after: Records,
  updated: ReadonlySet<string>,
): readonly Change[] {
  if (operation === 'listSchedules' || after.length <= before.length) return []
  const ids = idsOf(before)
  return after.flatMap((now): Change[] => {
    const [id, contactId] = [idOf(now.value), asText(now.value['contactId'])]
    const mayBeOwn = operation === 'listTickets' && (contactId === undefined || updated.has(contactId))
    return id === undefined || ids.has(id) || mayBeOwn ? [] : [{ was: now, now }]
  })
}

/** A tag's contacts. */
const LINKS = 'contacts'

/**
 * Whether a tag has lost a contact that was not updated, or gained one that was, and that other tags had before: tags may show
 * active contacts alone. One that shows only some of its contacts, be it the last that were updated, shows as many as before.
 */
function areLinksChanged(
  was: Records[number],
  now: Records[number],
  linked: ReadonlySet<string>,
  updated: ReadonlySet<string>,
): boolean {
  if (!(LINKS in was.value && LINKS in now.value)) return false
  const [before, after] = [was, now].map(({ value }) => new Set(contactsOf(value).map((one) => idOf(one) ?? '')))
  const isLost = [...before!].some((id) => !after!.has(id) && !updated.has(id))
  const isGained = [...after!].some((id) => !before!.has(id) && updated.has(id) && linked.has(id))
  return (isLost && after!.size < before!.size) || (isGained && after!.size > before!.size)
}

/** What a record shows in a field: of a tag's contacts, who they are. */
export function shownIn(record: Records[number]['value'], field: string): unknown {
  return field === LINKS ? contactsOf(record).map(idOf).toSorted() : record[field]
}

/** The list of a company's contacts before any update and later, and the ids of those that were updated until then. */
interface Walked {
  readonly walks: readonly Contacts[]
  readonly updated: ReadonlySet<string>
}

/** A company's list of contacts; those that were updated may be hidden or changed where they can't be put back. */
export async function otherContacts(owner: Trial, of: string, walked: Walked): Promise<WatchedList> {
  const list = contactsIn(owner, of, walked, fieldsOf(owner, 'listContacts'))
  return {
    ...list,
    tellsByStandingStill:
      list.changes.length > 0 &&
      owner.session.dataset !== undefined &&
      (await owner.list('listContacts')).complete &&
      !hasMovedBeforeUpdates(owner),
    tellsAlone: owner.session.caller === 'main',
  }
}

/** When a company's contacts were updated last: many may be touched at once by others too, and then stand still. */
export function touchedContacts(owner: Trial, of: string, walked: Walked): WatchedList {
  const list = contactsIn(owner, of, walked, ['updatedAt'])
  const touched = list.changes.filter(({ field }) => field !== undefined)
  return { ...list, changes: isMany(touched) ? touched : [], tellsByStandingStill: false, tellsAlone: false }
}

function contactsIn(
  owner: Trial,
  of: string,
  { walks: [first = [], ...later], updated }: Walked,
  fields: readonly string[],
): Omit<WatchedList, 'tellsByStandingStill' | 'tellsAlone'> {
  const isOther = ({ value }: Records[number]): boolean => idOf(value) !== undefined && !updated.has(idOf(value)!)
  const changesBetween = (was: Records, now: Records): readonly Change[] => {
    const known = new Map(now.map((contact) => [idOf(contact.value), contact]))
    const isEdited = editedByOthers(owner, was)
    const changed = was.filter(isOther).flatMap((contact) => {
      const seen = known.get(idOf(contact.value))
      const changes = changesOf(contact, seen, fields)
      return changes.length > 0
        ? [{ changes, isTheirs: seen !== undefined && isEdited(contact.value, seen.value) }]
        : []
    })
    // One alone is told by further updates.
    const areTheirs = changed.filter(({ isTheirs }) => isTheirs).length >= MANY
    return changed.flatMap(({ changes, isTheirs }) => (isTheirs && areTheirs ? [] : changes))
  }
  const before = first as Records
  return {
    of,
    owner,
    before,
    changes: later.flatMap((walk) => changesBetween(before, walk)),
    look: async () => {
      const { contacts, isWhole } = await walkAgain(owner)
      return isWhole ? contacts : []
    },
    changesBetween,
    isSame: (was, now) => isSame(was, now, fields),
    looks: 10,
  }
}

/** Changes to fewer records may be somebody else's, who was there for a moment: they have to show at further updates too. */
const MANY = 3

export function isMany(changes: readonly Change[]): boolean {
  return new Set(changes.map(({ was }) => idOf(was.value))).size >= MANY
}

/** Whether a page of the whole list lost a contact while nothing was updated yet: somebody else deletes some all the time. */
function hasMovedBeforeUpdates(trial: Trial): boolean {
  const first = updatesSent(trial)[0]?.number ?? Infinity
  const shown = new Map<string, ReadonlySet<string | undefined>>()
  return trial.session.evidence.answers
    .filter(({ exchange: { operation, request, number }, usable }) => {
      const names = [...new URL(request.url).searchParams.keys()]
      const isWhole = operation === 'listContacts' && names.every((name) => name === 'pageNumber')
      return isWhole && usable && number < first && request.caller === trial.session.caller
    })
    .some((reading) => {
      const { url } = reading.exchange.request
      const ids = idsOf(recordsOf(trial.session, 'listContacts', reading))
      const before = shown.get(url) ?? ids
      shown.set(url, ids)
      return [...before].some((id) => !ids.has(id))
    })
}

function isSame(before: Records, after: Records, fields: readonly string[]): boolean {
  const known = new Map(before.map((record) => [idOf(record.value), record]))
  const isKnown = (record: Records[number]): boolean => {
    const was = known.get(idOf(record.value))
    return was !== undefined && changesOf(was, record, [...fields, LINKS]).length === 0
  }
  return before.length === after.length && after.every(isKnown)
}

/** What a record shows otherwise in some fields; itself, where it is gone. */
export function changesOf(was: Records[number], now: Records[number] | undefined, fields: readonly string[]): Change[] {
  if (!now) return [{ was }]
  return fields
    .filter((field) => field in was.value && !sameValue(shownIn(was.value, field), shownIn(now.value, field)))
    .filter((field) => !isRead(field, was.value[field], now.value[field]))
    .map((field) => ({ was, field, now }))
}

/** Whether messages are no longer unread: to list a ticket may be to read it. */
function isRead(field: string, was: unknown, now: unknown): boolean {
  return field === 'unreadMessages' && Number(now) < Number(was)
}
