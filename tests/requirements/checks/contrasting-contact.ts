import { asBoolean, idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { storedBody, updatableContact, UPDATE_BOOLEANS, UPDATE_TEXTS } from '../calls.ts'
import { canBeUpdated } from './fresh-values.ts'

const MORE_THAN_FLAGS = 10

/**
 * A contact that shows all the texts of the one that can be updated, and as many flags as can be that are others, such as
 * a group; its stored values can be sent back. Or else that contact itself.
 */
export function contrastingContact(trial: Trial): Promise<Located<Schemas['Contact']>> {
  return trial.session.remember('contrasting contact', async () => {
    const contact = await updatableContact(trial)
    const texts = UPDATE_TEXTS.filter((field) => storedBody(contact.value)[field])
    const isOther = (value: Schemas['Contact'], flag: (typeof UPDATE_BOOLEANS)[number]): boolean =>
      asBoolean(value[flag]) === !asBoolean(contact.value[flag])
    // A group before all.
    const contrast = ({ value }: Located<Schemas['Contact']>): number =>
      UPDATE_BOOLEANS.filter((flag) => isOther(value, flag)).length + (isOther(value, 'isGroup') ? MORE_THAN_FLAGS : 0)
    const [most] = (await trial.list('listContacts')).records
      .filter(({ value }) => idOf(value) !== undefined && texts.every((field) => storedBody(value)[field]))
      .toSorted((a, b) => contrast(b) - contrast(a))
    return most && contrast(most) > 0 && (await canBeUpdated(trial, most.value)) ? most : contact
  })
}
