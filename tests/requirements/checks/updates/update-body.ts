import { type AnyRecord, asBoolean, asText, type Schemas } from '../../../engine/data/records.ts'
import { normalised } from './kept.ts'

/** The fields of an update's body, without companyId, which is always sent as it is. */
export const UPDATE_TEXTS = [
  'name',
  'number',
  'email',
  'profilePicUrl',
  'utmCampaign',
  'utmContent',
  'utmMedium',
  'utmSource',
  'utmTerms',
  'channel',
  'chatappId',
] as const
export const UPDATE_BOOLEANS = ['isGroup', 'isAdmin', 'isOpen', 'isBotEnabled', 'active'] as const
/** What a contact may have for itself alone, the address first: fewer targets refuse one of another. */
export const OF_ONE_CONTACT = ['email', 'number'] as const satisfies readonly UpdateField[]
const FLAGS: ReadonlySet<string> = new Set(UPDATE_BOOLEANS)

export function isFlag(field: BodyField): boolean {
  return FLAGS.has(field)
}

/** The type of a field's values, as typeof says it. */
export function typeOf(field: BodyField): 'boolean' | 'string' {
  return isFlag(field) ? 'boolean' : 'string'
}

export type UpdateBody = Schemas['ContactUpdate']
export type UpdateField = (typeof UPDATE_TEXTS)[number] | (typeof UPDATE_BOOLEANS)[number]
export type BodyField = UpdateField | 'companyId'

/** In the order of the document. */
export const UPDATE_FIELDS: readonly UpdateField[] = [
  'name',
  'number',
  'email',
  'profilePicUrl',
  'isGroup',
  'isAdmin',
  'isOpen',
  'isBotEnabled',
  'utmCampaign',
  'utmContent',
  'utmMedium',
  'utmSource',
  'utmTerms',
  'active',
  'channel',
  'chatappId',
]
/** Every field that a body may have. */
export const WHOLE: readonly BodyField[] = [...UPDATE_FIELDS, 'companyId']

/**
 * The stored fields that a plain update sends back, the most of them first: a target that replaces would lose the others.
 * Which fields it needs and which it refuses is open; that it accepts none of these is not.
 */
export const FORMS: readonly (readonly BodyField[])[] = [
  WHOLE,
  UPDATE_FIELDS,
  ...[['channel', 'chatappId'], ['number'], ['isGroup', 'isAdmin'], ['profilePicUrl'], ['email']].flatMap((refused) =>
    [WHOLE, UPDATE_FIELDS].map((form) => form.filter((field) => !refused.includes(field))),
  ),
  UPDATE_TEXTS,
  ['name', 'number', 'email'],
  ['name', 'number'],
  ...UPDATE_FIELDS.map((field) => [field]),
]

/** Those of a contact's stored values that a form of an update has. */
export function inForm(stored: AnyRecord, form: readonly string[]): UpdateBody {
  return Object.fromEntries(form.flatMap((field) => (field in stored ? [[field, stored[field]]] : [])))
}

/** The stored values that an update's body can hold, each as the type that the document gives it. */
export function storedBody(contact: Schemas['Contact']): UpdateBody {
  const stored = WHOLE.map((field) => [field, storedValue(contact, field)] as const)
  return Object.fromEntries(stored.filter(([, value]) => value !== undefined))
}

/** A stored value as an update's body can hold it; undefined where the contact shows none. */
export function storedValue(contact: Schemas['Contact'], field: BodyField): string | boolean | undefined {
  if (typeOf(field) === 'boolean') return asBoolean(contact[field])
  return contact[field] === '' ? '' : asText(contact[field])
}

/** Whether a text has signs that a target may refuse in new texts, and have in those of an import: one without is not put in its place. */
export function hasMarkup(text: unknown): boolean {
  return typeof text === 'string' && /[<>&"'`]/.test(text)
}

/** Fields that a target may let no two contacts have alike. */
export const UNIQUE = ['number', 'email'] as const

/** What two values of such a field are compared by. */
export function uniqueForm(field: (typeof UNIQUE)[number], text: string): string {
  return field === 'number' ? text.replace(/\D/g, '') : text.toLowerCase()
}

/**
 * Whether a target takes a stored value back once it is another: what it checks of new values, and would change of them,
 * old ones may not be like, and then a contact can't be put back as it was.
 * @param shared what several contacts have alike, which a target may refuse where it is new.
 */
export function canBePutBack(
  field: BodyField,
  stored: string | boolean | undefined,
  shared: ReadonlySet<string> = new Set(),
): boolean {
  if (typeof stored !== 'string') return stored !== undefined
  if (UNIQUE.some((one) => one === field && shared.has(uniqueForm(one, stored)))) return false
  if (field === 'email') return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(stored) && stored === stored.toLowerCase()
  if (field === 'profilePicUrl') return /^https?:/.test(stored) && URL.canParse(stored)
  if (field === 'number') return /^\+?\d{8,}$/.test(stored)
  return stored !== '' && stored === normalised(stored)
}
