import { asBoolean, asText, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { UpdateBody } from './update-body.ts'

/**
 * Whether a contact shows the value sent, whatever its type; a phone number's notation, an e-mail address's letter case,
 * what signs a picture's address, blanks around and between words, how marks are composed with their letters, and whether an empty text is shown are open.
 */
export function isKept(field: keyof UpdateBody, sent: UpdateBody, contact: Schemas['Contact']): boolean {
  const [wanted, got] = [sent[field], contact[field]]
  if (wanted === got || (isEmpty(wanted) && isEmpty(got))) return true
  if (typeof wanted === 'boolean') return asBoolean(got) === wanted
  const [one, other] = [asText(wanted), asText(got)]
  if (one === undefined || other === undefined) return sameValue(wanted, got)
  if (field === 'number') return sameNumber(one, other)
  const [text, otherText] = [one, other].map(normalised)
  if (field === 'email') return text!.toLowerCase() === otherText!.toLowerCase()
  return text === otherText || (field === 'profilePicUrl' && isSigned(text!, otherText!))
}

/**
 * Whether an address is shown with more in its query, such as the signature that gives access to a picture for a time, or with
 * another one than it was shown with before: it may be signed whenever it is shown.
 */
export function isSigned(address: string, shown: string): boolean {
  const isLonger = shown.startsWith(address) && /^[?&]\w/.test(shown.slice(address.length))
  return address !== '' && (isLonger || withoutSignature(address) === withoutSignature(shown))
}

/** Whether a text is shown with its letters beyond ASCII read byte by byte, or what became of that the same way. */
export function isMisread(text: unknown, shown: unknown): boolean {
  if (typeof shown !== 'string' || shown === text) return false
  const read = Buffer.from(shown, 'latin1').toString()
  return read === text || (read !== shown && isMisread(text, read))
}

/** An address without what in its query is as long as what signs it, or tells when: it may be signed once more as it is. */
function withoutSignature(address: string): string {
  return address.replaceAll(/[?&][\w-]+=[^&#]{8,}/g, '')
}

/** The values that a contact shows as they were sent: what it does not show, it need not show elsewhere. */
export function kept(values: UpdateBody, { value }: Located<Schemas['Contact']>): UpdateBody {
  const fields = Object.keys(values) as (keyof UpdateBody)[]
  return Object.fromEntries(
    fields.filter((field) => isKept(field, values, value)).map((field) => [field, values[field]]),
  )
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === null || value === undefined
}

/** A text as a target may store it. */
export function normalised(text: string): string {
  // A single blank stays what it is, of which a long text has very many.
  return text
    .normalize('NFC')
    .trim()
    .replaceAll(/\s{2,}|[^\S ]/g, ' ')
}

/** What careless code makes of a value that is not there. */
export const ABSENT_IN_WORDS: ReadonlySet<string> = new Set([
  'undefined',
  'null',
  'None',
  'NaN',
  'nil',
  '[object Object]',
])

/** The last digits of a phone number, which every notation has. */
const OWN_DIGITS = 8
/** A country code, and the digit that carriers put in. */
const MOST_ADDED = 4

/**
 * Whether a phone number is shown as another notation of the one that was sent: with signs between its digits, its country
 * code put before it, or a digit that carriers put in, or without that one.
 */
export function sameNumber(sent: string, shown: string): boolean {
  const [digits, shownDigits] = [sent, shown].map((number) => number.replace(/\D/g, '').replace(/^0+/, ''))
  const [head, shownHead] = [digits!, shownDigits!].map((all) => all.slice(0, -OWN_DIGITS))
  if (digits!.slice(-OWN_DIGITS) !== shownDigits!.slice(-OWN_DIGITS)) return false
  const added = shownHead!.length - head!.length
  if (added >= 0) return added <= MOST_ADDED && isPartOf(head!, shownHead!)
  return added === -1 && shownHead!.startsWith(head![0]!) && isPartOf(shownHead!, head!)
}

/** Whether a text is what is left of another one when some characters are taken out. */
function isPartOf(short: string, long: string): boolean {
  let at = 0
  for (const character of long) if (character === short[at]) at++
  return at === short.length
}
