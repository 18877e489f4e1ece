import { asBoolean, asText, sameValue, type Schemas } from '../../engine/records.ts'
import type { UpdateBody } from '../calls.ts'

/**
 * Whether a contact shows the value sent, whatever its type; a phone number's notation and an e-mail address's letter
 * case are open.
 */
export function isKept(field: keyof UpdateBody, sent: UpdateBody, contact: Schemas['Contact']): boolean {
  const [wanted, got] = [sent[field], contact[field]]
  if (typeof wanted === 'boolean') return asBoolean(got) === wanted
  if (typeof wanted !== 'string' || asText(got) === undefined) return sameValue(wanted, got)
  if (field === 'number') return sameNumber(wanted, asText(got)!)
  if (field === 'email') return wanted.toLowerCase() === asText(got)!.toLowerCase()
  return sameValue(wanted, asText(got))
}

/** Whether two phone numbers are one: country code, notation and a digit that carriers put in are open. */
export function sameNumber(one: string, other: string): boolean {
  const [a, b] = [one, other].map((number) => number.replace(/\D/g, '').slice(-8))
  return a === b
}
