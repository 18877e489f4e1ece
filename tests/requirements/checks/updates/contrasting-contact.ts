import { asBoolean, idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { canBePutBack, storedValue, UPDATE_BOOLEANS, UPDATE_TEXTS, type UpdateField } from './update-body.ts'
import { updatableContact } from './learn-updates.ts'
import { firstUpdatable } from './fresh-values.ts'
import { sharedValues } from './shared-values.ts'

/**
 * The contact that is most unlike the updatable one: a group where that is none (or the reverse), with the flags set that
 * few contacts have. It shows the same texts, and its updates are accepted; where there is none, the updatable contact.
 */
export function contrastingContact(trial: Trial): Promise<Located<Schemas['Contact']>> {
  return trial.session.remember('contrasting contact', async () => {
    const contact = await updatableContact(trial)
    const shared = await sharedValues(trial)
    const canChange = (field: UpdateField, { value }: Located<Schemas['Contact']>): boolean =>
      storedValue(value, field) !== '' && canBePutBack(field, storedValue(value, field), shared)
    const texts = UPDATE_TEXTS.filter((field) => canChange(field, contact))
    const isOther = ({ isGroup }: Schemas['Contact']): boolean =>
      asBoolean(isGroup) === !asBoolean(contact.value.isGroup)
    const { records } = await trial.list('listContacts')
    const counts = UPDATE_BOOLEANS.map((flag) => records.filter(({ value }) => asBoolean(value[flag])).length)
    // What careless code takes away, a contact must have: a flag that few have set before one that most have.
    const contrast = ({ value }: Located<Schemas['Contact']>): number =>
      UPDATE_BOOLEANS.reduce(
        (sum, flag, index) => sum + (asBoolean(value[flag]) ? 1 / counts[index]! : 0),
        isOther(value) ? UPDATE_BOOLEANS.length : 0,
      )
    const contrasting = records
      .filter(({ value }) => idOf(value) !== undefined && idOf(value) !== idOf(contact.value))
      .filter((one) => texts.every((field) => canChange(field, one)))
      .toSorted((a, b) => contrast(b) - contrast(a))
    return (await firstUpdatable(trial, contrasting.slice(0, 1))) ?? contact
  })
}
