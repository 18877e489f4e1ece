import type { Change, ChangedRecord } from '../../engine/judging/changes.ts'
import type { Schemas } from '../../engine/data/records.ts'
import { leftFields } from './as-it-was.ts'

type Contact = Schemas['Contact']

const LONGEST_SHOWN = 200

/** What is said of a contact that could not be put back, or not be seen, with why and with the values it had. */
export function notKnown(change: Change, { message }: Error): string {
  const stored = Object.keys(change.sent).map((field) => `${field} was ${shown(change.stored[field])}`)
  return `${nameOf(change)}: ${message.replace(/\.$/, '')}; ${stored.join('; ')}`
}

/** A value as it is told; the journal has all of it. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'left out'
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

/** What is said of a contact that is seen, and is not as it was: each field with both values. */
export function whatIsLeft(change: Change, contact: Contact): string {
  const differences = leftFields(change, contact).map(
    (field) => `${field} is ${shown(contact[field])} and was ${shown(change.stored[field])}`,
  )
  return `${nameOf(change)}: ${differences.join('; ')}`
}

/** A contact as it is named in such sentences. */
export function nameOf({ path, owner }: ChangedRecord): string {
  return `contact ${path['contactId']}${owner === 'other' ? " of the second company's" : ''}`
}
