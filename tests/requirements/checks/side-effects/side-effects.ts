import type { ChangedRecord } from '../../../engine/judging/changes.ts'
import { COMPANIES, type Company } from '../../../engine/http/credentials.ts'
import { idOf, type Schemas } from '../../../engine/data/records.ts'
import type { Run } from '../../../engine/judging/run.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { bodyOf, updatedIds, updatesSent } from '../updates/send-update.ts'
import {
  storedBody,
  storedValue,
  UPDATE_BOOLEANS,
  UPDATE_FIELDS,
  UPDATE_TEXTS,
  type UpdateField,
} from '../updates/update-body.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { isKept, isMisread } from '../updates/kept.ts'
import { walkAgain } from '../updates/read-back.ts'

/** One contact may be changed by somebody else at the same time. */
const CONTACTS_THAT_TELL = 2

/** Fields that updates have been seen to change in contacts that they did not name. */
const changedElsewhere = new WeakMap<Run, Set<UpdateField>>()

/** Fields that updates have been seen, and confirmed, to leave as nobody sent them in contacts that they named. */
const storedOtherwise = new WeakMap<Run, Set<UpdateField>>()

/** The texts that updates have sent, by field, and after how many exchanges. */
const textsSent = new WeakMap<
  Run,
  { readonly length: number; readonly byField: ReadonlyMap<UpdateField, ReadonlySet<unknown>> }
>()

/** Notes that updates leave a field as nobody sent it: what another updated contact shows in its place is their doing too. */
export function noteStoredOtherwise(run: Run, field: UpdateField): void {
  note(storedOtherwise, run, field)
}

function note(known: WeakMap<Run, Set<UpdateField>>, run: Run, field: UpdateField): void {
  known.set(run, new Set(known.get(run)).add(field))
}

/** Whether updates have been seen to change contacts that they did not name. */
export function changeOthers(run: Run): boolean {
  return changedElsewhere.has(run)
}

/** A contact as its company saw it first, and last. */
interface Seen {
  readonly owner: Company
  readonly contactId: string
  readonly first: Schemas['Contact']
  last: Schemas['Contact']
  /** The number of the exchange that showed it last. */
  lastSeen: number
}

function recordOf({ contactId, owner }: Seen): ChangedRecord {
  return { path: { contactId }, owner }
}

interface SideEffect extends Seen {
  readonly field: UpdateField
}

/**
 * Notes as changes of the run's what its updates changed without naming it: a field that is another on several contacts
 * that were updated, and on none of the company's that was not, or whose letters were misread; where a field has been
 * seen to be changed in other contacts, a text of the run's in it; and what contacts show again after they were put back.
 */
export async function noteSideEffects(trial: Trial): Promise<void> {
  const updated = updatedIds(trial)
  if (updated.size === 0) return
  if (!changeOthers(trial.session.run) && sideEffects(trial, updated).length === 0) return
  // Not each that was updated has been looked at since.
  await lookAgain(trial)
  for (const { field, owner, first, last } of sideEffects(trial, updated)) begin(trial.as(owner), first, field, last)
}

/** What a look at all contacts has shown of those that were updated. */
export interface Later {
  /** That there is something which updates changed without naming it. */
  readonly isChanged: boolean
  /** That some were not listed. */
  readonly areMissed: boolean
}

/** Looks at all contacts some time after the last update: what that changes may take as long, as in a queue or behind a hook. */
export async function lookLater(trial: Trial, ms: number): Promise<Later> {
  const updated = updatedIds(trial)
  if (updated.size === 0) return { isChanged: false, areMissed: false }
  await trial.session.pause(ms)
  const { length } = trial.session.evidence.exchanges
  await lookAgain(trial)
  const seen = seenByEach(trial)
  return {
    // One that is gone shows nothing any more.
    isChanged: sideEffects(trial, updated, seen).some(({ lastSeen }) => lastSeen > length),
    areMissed: seen.flat().some(({ contactId, lastSeen }) => updated.has(contactId) && lastSeen <= length),
  }
}

async function lookAgain(trial: Trial): Promise<void> {
  for (const owner of COMPANIES) if (isListed(trial, owner)) await walkAgain(trial.as(owner))
}

/**
 * Contacts whose flags are others than at first, where updates have been seen to change these flags elsewhere: whose doing
 * it is, a flag does not show.
 * @returns each with its flag, in words.
 */
export function doubtfulFlags(trial: Trial): readonly (ChangedRecord & { readonly flags: string })[] {
  const known = changedElsewhere.get(trial.session.run) ?? new Set()
  const flags = UPDATE_BOOLEANS.filter((flag) => known.has(flag))
  return seenByEach(trial)
    .flat()
    .flatMap((seen) => {
      const { first, last } = seen
      const changed = flags.filter((flag) => isAnother(flag, seen))
      const words = changed.map((flag) => `${flag} is ${String(last[flag])} and was ${String(first[flag])}`)
      return changed.length > 0 ? [{ ...recordOf(seen), flags: words.join('; ') }] : []
    })
}

/**
 * Notes that an update has changed a contact without naming it: it is put back when the run ends, and no update follows
 * that could change it once more.
 * @param owner a trial of the contact's company.
 */
export function noteSideEffect(
  owner: Trial,
  was: Schemas['Contact'],
  field: UpdateField,
  now: Schemas['Contact'],
): void {
  const { run } = owner.session
  // With a text that is the run's came whatever else it sent beside it.
  const beside = UPDATE_FIELDS.filter((one) => isSent(owner, one, now) && isAnother(one, { first: was, last: now }))
  for (const one of new Set([field, ...(UPDATE_TEXTS.some((text) => text === field) ? beside : [])])) {
    note(changedElsewhere, run, one)
    begin(owner, was, one, now)
  }
}

function begin(
  { session: { changes, caller } }: Trial,
  was: Schemas['Contact'],
  field: UpdateField,
  now: Schemas['Contact'],
): void {
  const record = { path: { contactId: idOf(was)! }, owner: caller }
  changes.begin({ ...record, stored: storedBody(was), isSideEffect: true, sent: { [field]: [now[field]] } })
  changes.confirm(record)
}

/** Whether a company has been shown contacts. */
export function isListed(trial: Trial, owner: Company): boolean {
  return everyRecord(trial, 'listContacts', owner).length > 0
}

/** What is another on contacts that were updated, company by company and field by field. */
function sideEffects(
  trial: Trial,
  updated: ReadonlySet<string>,
  seen: readonly (readonly Seen[])[] = seenByEach(trial),
): readonly SideEffect[] {
  const isPutBack = (one: Seen): boolean => updated.has(one.contactId) && !trial.session.changes.find(recordOf(one))
  const resurface = doTextsResurface(trial, seen.flat().filter(isPutBack))
  return seen.flatMap((contacts) =>
    UPDATE_FIELDS.flatMap((field) => {
      const changed = contacts.filter((seen) => isAnother(field, seen)).map((seen) => ({ field, ...seen }))
      const isOfTheRun =
        changed.length >= CONTACTS_THAT_TELL && changed.every(({ contactId }) => updated.has(contactId))
      if (isOfTheRun) return changed
      const misread = changed.filter(
        ({ contactId, first, last }) => updated.has(contactId) && isMisread(storedValue(first, field), last[field]),
      )
      if (misread.length > 0) return misread
      if (resurface) return changed.filter((one) => isPutBack(one) && isSent(trial, field, one.last))
      if (storedOtherwise.get(trial.session.run)?.has(field))
        return changed.filter(({ contactId }) => updated.has(contactId))
      if (!changedElsewhere.get(trial.session.run)?.has(field)) return []
      const sent = textsSentFor(trial, field)
      return changed.filter(({ last }) => sent.has(last[field]))
    }),
  )
}

/** Whether contacts that were put back show a text that the run has made up: something undoes the last update of them. */
function doTextsResurface(trial: Trial, contacts: readonly Seen[]): boolean {
  const changed = contacts.flatMap((one) =>
    UPDATE_TEXTS.filter((field) => isAnother(field, one)).map((field) => [field, one.last[field]] as const),
  )
  if (changed.length === 0) return false
  const madeUp = textsMadeUp(trial)
  return changed.some(([field, text]) => madeUp.get(field)!.has(String(text)))
}

/** Whether the run has sent what a contact shows; each flag may be. */
function isSent(trial: Trial, field: UpdateField, contact: Schemas['Contact']): boolean {
  return typeof contact[field] === 'boolean' || textsSentFor(trial, field).has(contact[field])
}

/** The texts that updates have sent for a field; found out again after each exchange. */
function textsSentFor(trial: Trial, field: UpdateField): ReadonlySet<unknown> {
  const { run, evidence } = trial.session
  const { length } = evidence.exchanges
  let known = textsSent.get(run)
  if (known?.length !== length) {
    const bodies = updatesSent(trial).map(({ request }) => bodyOf(request))
    const textsOf = (one: UpdateField) => bodies.map((body) => body?.[one]).filter((value) => typeof value === 'string')
    known = { length, byField: new Map(UPDATE_FIELDS.map((one) => [one, new Set<unknown>(textsOf(one))])) }
    textsSent.set(run, known)
  }
  return known.byField.get(field)!
}

/** The texts that updates have sent, by field, and that no contact showed before: nobody else could have written them. */
export function textsMadeUp(trial: Trial): ReadonlyMap<UpdateField, ReadonlySet<string>> {
  const records = everyRecord(trial, 'listContacts')
  const bodies = updatesSent(trial).map(({ request, number }) => ({ body: bodyOf(request), number }))
  return new Map(
    UPDATE_TEXTS.map((field) => {
      const shownSince = new Map<unknown, number>()
      for (const { record, exchange } of records)
        if (!shownSince.has(record[field])) shownSince.set(record[field], exchange.number)
      const sent = bodies.flatMap(({ body, number }) => {
        const text = body?.[field]
        return typeof text === 'string' && number < (shownSince.get(text) ?? Infinity) ? [text] : []
      })
      return [field, new Set(sent)]
    }),
  )
}

/** The contacts that each company has been shown, company by company. */
function seenByEach(trial: Trial): readonly (readonly Seen[])[] {
  return COMPANIES.map((owner) => seenOf(trial, owner))
}

function seenOf(trial: Trial, owner: Company): Seen[] {
  const contacts = new Map<string, Seen>()
  for (const { record } of everyRecord(trial, 'listContacts', owner)) {
    const first = record as Schemas['Contact']
    const contactId = idOf(first)
    if (contactId !== undefined && !contacts.has(contactId))
      contacts.set(contactId, { owner, contactId, first, last: first, lastSeen: 0 })
  }
  // A list may be answered once more as it was before.
  for (const { record, exchange } of everyRecord(
    trial,
    'listContacts',
    owner,
    trial.session.evidence.answers.toReversed(),
  )) {
    const seen = contacts.get(idOf(record) ?? '')
    if (seen?.lastSeen === 0) Object.assign(seen, { last: record, lastSeen: exchange.number })
  }
  return [...contacts.values()]
}

/** Whether a contact shows another value than at first, and not the same in another notation. */
function isAnother(field: UpdateField, { first, last }: Pick<Seen, 'first' | 'last'>): boolean {
  // A long list that is answered again as it was has the same records.
  if (first === last) return false
  const stored = storedValue(first, field)
  return stored !== undefined && last[field] !== undefined && !isKept(field, { [field]: stored }, last)
}
