import type { Exchange } from '../../engine/exchange.ts'
import { idOf, sameValue, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { put, storedBody, updatableContact, updateBody, UPDATE_TEXTS, type UpdateBody } from '../calls.ts'
import { settleIfKept } from '../restoration.ts'
import { freshValues, TIED } from './fresh-values.ts'
import { readBack } from './round-trip.ts'

/** What became of an update that leaves a field out. */
interface LeftOut {
  /** Whether the field was kept; undefined where that can't be seen. */
  readonly isKept: boolean | undefined
  readonly update?: NameChange
}

/** Leaves one text out of an update, once a look: one which is known, and sent again. */
export function updateWithoutAText(trial: Trial): Promise<LeftOut> {
  return trial.session.remember('what is left out', async () => {
    const contact = await updatableContact(trial)
    const { name } = await freshValues(trial, contact)
    const whole = await updateBody(trial, contact.value)
    const texts = UPDATE_TEXTS.filter((field) => field !== 'name' && !TIED.includes(field))
    const left = texts.findLast((field) => whole[field] !== undefined && whole[field] !== '')
    const body = Object.fromEntries(Object.entries(whole).filter(([field]) => field !== left))
    const stored = storedBody(contact.value)
    const missing = texts.filter((field) => body[field] === undefined && stored[field])
    const update =
      name === undefined || missing.length === 0 ? undefined : await nameChange(trial, contact, { ...body, name })
    if (!update) return { isKept: undefined }
    const seen = update.seen?.value
    if (seen?.name !== name) return { isKept: undefined, update }
    return { isKept: missing.every((field) => sameValue(seen?.[field], contact.value[field])), update }
  })
}

/**
 * What became of a body that holds a name alone, once a look: undefined where it is refused, or not tried, as a target
 * that does not keep what is left out would lose what it does not show.
 */
export function updateOfNameAlone(trial: Trial): Promise<NameChange | undefined> {
  return trial.session.remember('update of the name alone', async () => {
    if (!(await updateWithoutAText(trial)).isKept) return undefined
    const contact = await updatableContact(trial)
    const { name } = await freshValues(trial, contact)
    return name === undefined ? undefined : nameChange(trial, contact, { name })
  })
}

interface NameChange {
  /** The name that was sent. */
  readonly name: string | undefined
  readonly exchange: Exchange
  readonly seen: Located<Schemas['Contact']> | undefined
}

/** Sends a body with a new name, looks at the contact, and sends the stored values again. */
async function nameChange(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  body: UpdateBody,
): Promise<NameChange | undefined> {
  const { success, exchange } = await put(trial, contact.value, body)
  if (!success) return undefined
  const stored = storedBody(contact.value)
  const seen = await readBack(trial, idOf(contact.value)!, body, { ...body, name: stored.name })
  await put(trial, contact.value, await updateBody(trial, contact.value, stored))
  settleIfKept(trial, (await readBack(trial, idOf(contact.value)!, stored, body))?.value)
  return { name: body.name, exchange, seen }
}
