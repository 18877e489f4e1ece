import { COMPANIES, type Company } from '../../engine/credentials.ts'
import { isSuccess } from '../../engine/exchange.ts'
import { idOf, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { storedBody, storedValue, UPDATE_FIELDS, updatedContact, type UpdateField } from '../calls.ts'
import { everyRecord } from '../consistency.ts'
import { isKept } from './kept.ts'
import { walkAgain } from './read-back.ts'

/** One contact may be changed by somebody else at the same time. */
const CONTACTS_THAT_TELL = 2

/** A contact as its company saw it first, and last. */
interface Seen {
  readonly owner: Company
  readonly contactId: string
  readonly first: Schemas['Contact']
  last: Schemas['Contact']
}

interface SideEffect extends Seen {
  readonly field: UpdateField
}

/**
 * Notes as changes of the run's what its updates changed without naming it: a field that is another on several contacts
 * that were updated, and on none that was not.
 */
export async function noteSideEffects(trial: Trial): Promise<void> {
  const { evidence } = trial.session
  const updated = new Set(
    evidence.exchanges
      .filter((exchange) => exchange.operation === 'updateContact' && isSuccess(exchange))
      .map(updatedContact),
  )
  if (updated.size === 0 || sideEffects(trial, updated).length === 0) return
  // Not each that was updated has been looked at since.
  for (const owner of COMPANIES) if (isListed(trial, owner)) await walkAgain(trial.as(owner))
  for (const { field, owner, first, last } of sideEffects(trial, updated))
    noteSideEffect(trial.as(owner), first, field, last)
}

/**
 * Notes that an update has changed a contact without naming it: it is put back when the run ends, and no update follows
 * that could change it once more.
 * @param owner a trial of the contact's company.
 */
export function noteSideEffect(
  { session: { changes, caller } }: Trial,
  was: Schemas['Contact'],
  field: UpdateField,
  now: Schemas['Contact'],
): void {
  const path = { contactId: idOf(was)! }
  changes.begin({ path, owner: caller, stored: storedBody(was), isSideEffect: true, sent: { [field]: [now[field]] } })
  changes.confirm(path)
}

function isListed(trial: Trial, owner: Company): boolean {
  return everyRecord(trial, 'listContacts', owner).length > 0
}

/** What is another on contacts that were updated, field by field. */
function sideEffects(trial: Trial, updated: ReadonlySet<string>): readonly SideEffect[] {
  const contacts = COMPANIES.flatMap((owner) => seenOf(trial, owner))
  return UPDATE_FIELDS.flatMap((field) => {
    const changed = contacts.filter((seen) => isAnother(field, seen)).map((seen) => ({ field, ...seen }))
    const isOfTheRun = changed.length >= CONTACTS_THAT_TELL && changed.every(({ contactId }) => updated.has(contactId))
    return isOfTheRun ? changed : []
  })
}

function seenOf(trial: Trial, owner: Company): Seen[] {
  const contacts = new Map<string, Seen>()
  for (const { record } of everyRecord(trial, 'listContacts', owner)) {
    const contact = record as Schemas['Contact']
    const contactId = idOf(contact)
    if (contactId === undefined) continue
    const seen = contacts.get(contactId)
    if (seen) seen.last = contact
    else contacts.set(contactId, { owner, contactId, first: contact, last: contact })
  }
  return [...contacts.values()]
}

/** Whether a contact shows another value than at first, and not the same in another notation. */
function isAnother(field: UpdateField, { first, last }: Seen): boolean {
  // A long list that is answered again as it was has the same records.
  if (first === last) return false
  const stored = storedValue(first, field)
  return stored !== undefined && last[field] !== undefined && !isKept(field, { [field]: stored }, last)
}
