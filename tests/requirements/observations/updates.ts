import { idOf } from '../../engine/records.ts'
import type { Requirement } from '../../engine/requirement.ts'
import type { Trial } from '../../engine/trial.ts'
import { storedBody, updatableContact, UPDATE_FIELDS } from '../calls.ts'
import { freshValues } from '../checks/fresh-values.ts'
import { updateOfNameAlone } from '../checks/round-trip.ts'
import { likeOf } from '../unknown-value.ts'
import { observation } from './observation.ts'
import { describeExchange } from './shape.ts'

const WRITES = { turn: 'writes' as const }

/** What an update does where the document is silent. */
export const updateObservations: readonly Requirement[] = [
  observation('updateContact', 'unknown-id', 'what an update of an unknown contact gets', unknownContact, WRITES),
  observation('updateContact', 'malformed-body', 'what a malformed body gets', malformedBody, WRITES),
  observation(
    'updateContact',
    'required-fields',
    'body fields without which an update is refused',
    requiredFields,
    WRITES,
  ),
  observation('updateContact', 'merge-or-replace', 'whether fields left out are kept', mergeOrReplace, WRITES),
]

async function put(trial: Trial, body: unknown): Promise<Awaited<ReturnType<typeof trial.session.attempt>>> {
  const contactId = idOf((await updatableContact(trial)).value)!
  return trial.session.attempt('updateContact', { path: { contactId }, body })
}

async function unknownContact(trial: Trial): Promise<string> {
  const { value } = await updatableContact(trial)
  const contactId = likeOf(idOf(value)!, trial.random)
  const { exchange } = await trial.session.attempt('updateContact', { path: { contactId }, body: storedBody(value) })
  return describeExchange(exchange)
}

async function malformedBody(trial: Trial): Promise<string> {
  const contactId = idOf((await updatableContact(trial)).value)!
  const body = Buffer.from('{"name": ')
  return describeExchange((await trial.session.attempt('updateContact', { path: { contactId }, body })).exchange)
}

/** Leaves one stored value out at a time where one value alone is refused; the contact stays as it is, or is put back. */
async function requiredFields(trial: Trial): Promise<string[] | string> {
  const stored = storedBody((await updatableContact(trial)).value)
  if (!(await put(trial, stored)).success)
    trial.notExercised('It takes an update that is let in; stored values were refused.')
  const change = trial.session.changing(async () => void (await put(trial, stored)))
  try {
    if ((await put(trial, { name: stored.name })).success) return 'none but name, if any'
    const required: string[] = []
    for (const field of UPDATE_FIELDS) {
      if (stored[field] === undefined) continue
      const rest = Object.fromEntries(Object.entries(stored).filter(([name]) => name !== field))
      if (!(await put(trial, rest)).success) required.push(field)
    }
    return required
  } finally {
    await change.undo()
  }
}

/** What becomes of the other fields when the name alone is sent tells. */
async function mergeOrReplace(trial: Trial): Promise<string> {
  const contact = await updatableContact(trial)
  const stored = storedBody(contact.value)
  const others = UPDATE_FIELDS.filter((field) => field !== 'name' && typeof stored[field] === 'string')
  const { name } = await freshValues(trial, contact)
  if (name === undefined || others.length === 0)
    return trial.notExercised('It takes a contact with a name and other texts.')
  const update = await updateOfNameAlone(trial, contact, name)
  if (!update?.seen) return trial.notExercised('It takes an update of the name alone that is let in; it was refused.')
  const kept = others.every((field) => update.seen!.value[field] === stored[field])
  return kept ? 'fields left out are kept' : 'fields left out are lost'
}
