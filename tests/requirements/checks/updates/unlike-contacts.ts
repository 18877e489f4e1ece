import { grouped } from '../../../engine/data/grouped.ts'
import { idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { traitsOf, updatableContact, updatableContacts } from './learn-updates.ts'
import { canBePutBack, storedValue, UPDATE_TEXTS, type UpdateField } from './update-body.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { firstUpdatable } from './fresh-values.ts'
import { embeddedContacts } from '../after-updates/shown-elsewhere.ts'
import { unlike } from '../unlike.ts'

type Contact = Located<Schemas['Contact']>

const UNLIKE_CONTACTS = 3
const NAMESAKE = 'has a namesake'

/**
 * A contact that lacks what those show that are updated anyway: the email, if any lacks that, and as little else as may be,
 * since what an update takes away shows only where it is. All that it shows can be put back; none where there is none, or its
 * updates are refused.
 */
export function lackingContact(trial: Trial): Promise<Contact | undefined> {
  return trial.session.remember('contact that lacks something', async () => {
    const known = [...(await updatableContacts(trial)), await contrastingContact(trial)]
    const shown = UPDATE_TEXTS.filter((field) => known.some(({ value }) => storedValue(value, field)))
    const lacks = ({ value }: Contact): UpdateField[] => shown.filter((field) => !storedValue(value, field))
    const poverty = (contact: Contact): number =>
      (lacks(contact).includes('email') ? UPDATE_TEXTS.length : 0) - lacks(contact).length
    const candidates = (await trial.list('listContacts')).records
      .filter(({ value }) => idOf(value) !== undefined && known.every((one) => idOf(one.value) !== idOf(value)))
      .filter((contact) => lacks(contact).length > 0 && isWellFormed(contact.value))
      .toSorted((a, b) => poverty(b) - poverty(a))
    return firstUpdatable(trial, candidates.slice(0, 1))
  })
}

/**
 * Contacts that differ, in as many ways as may be, from those that such updates go to anyway: in channel and flags, in what
 * embeds them, and in the half of the list that they are in. One has a namesake, where there is any: careless code finds both by
 * the name.
 */
export async function unlikeContacts(trial: Trial): Promise<readonly Contact[]> {
  const { records } = await trial.list('listContacts')
  const embedded = await embeddedContacts(trial)
  const lacking = await lackingContact(trial)
  const known = [await updatableContact(trial), await contrastingContact(trial), ...(lacking ? [lacking] : [])]
  const ids = new Set(known.map(({ value }) => idOf(value)))
  const byName = new Map(grouped(records, ({ value }) => value.name))
  const traits = new Map(
    records.map((contact, at) => {
      const id = idOf(contact.value)
      const places = (embedded.get(id ?? '') ?? []).map(({ operation }) => operation)
      const half = `in half ${2 * at < records.length}`
      const isShared = contact.value.name && byName.get(contact.value.name)!.length > 1
      return [id, [...traitsOf(contact), `embedded by ${places.join()}`, half, ...(isShared ? [NAMESAKE] : [])]]
    }),
  )
  const told = new Set([...ids].flatMap((id) => traits.get(id) ?? []))
  const candidates = records.filter(({ value }) => idOf(value) !== undefined && !ids.has(idOf(value)))
  const newTraits = ({ value }: Contact): string[] => traits.get(idOf(value))!.filter((trait) => !told.has(trait))
  const chosen = unlike(candidates, newTraits, UNLIKE_CONTACTS)
  const isTelling = (contact: Contact): boolean => newTraits(contact).includes(NAMESAKE)
  const namesake = chosen.some(isTelling) ? undefined : candidates.find(isTelling)
  const updatable: Contact[] = []
  for (const contact of [...chosen, ...(namesake ? [namesake] : [])]) {
    const now = await firstUpdatable(trial, [contact])
    if (now) updatable.push(now)
  }
  return updatable
}

function isWellFormed(contact: Schemas['Contact']): boolean {
  const stored = UPDATE_TEXTS.map((field) => [field, storedValue(contact, field)] as const)
  return stored.every(([field, value]) => !value || canBePutBack(field, value))
}
