import { idOf } from '../../engine/records.ts'
import type { Requirement } from '../../engine/requirement.ts'
import type { Trial } from '../../engine/trial.ts'
import { put, storedBody, updatableContact, UPDATE_FIELDS } from '../calls.ts'
import { updateWithoutAText } from '../checks/left-out.ts'
import { similarTo } from '../unknown-value.ts'
import { observation } from './observation.ts'
import { describeExchange } from './shape.ts'

const WRITES = { phase: 'write' as const }

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

async function unknownContact(trial: Trial): Promise<string> {
  const { value } = await updatableContact(trial)
  const contactId = similarTo(idOf(value)!, trial.random)
  const { exchange } = await trial.session.attempt('updateContact', { path: { contactId }, body: storedBody(value) })
  return describeExchange(exchange)
}

async function malformedBody(trial: Trial): Promise<string> {
  const { value } = await updatableContact(trial)
  return describeExchange((await put(trial, value, Buffer.from('{"name": '))).exchange)
}

/** Leaves one stored value out at a time where one value alone is refused; a target that replaces would lose it. */
async function requiredFields(trial: Trial): Promise<string[] | string> {
  const { value } = await updatableContact(trial)
  const stored = storedBody(value)
  if (!(await isKeptWhenLeftOut(trial))) trial.notExercised('Needs a target that keeps what an update leaves out.')
  try {
    if ((await put(trial, value, { name: stored.name })).success) return 'none but name, if any'
    const required: string[] = []
    for (const field of UPDATE_FIELDS) {
      if (stored[field] === undefined) continue
      const rest = Object.fromEntries(Object.entries(stored).filter(([name]) => name !== field))
      if (!(await put(trial, value, rest)).success) required.push(field)
    }
    return required
  } finally {
    await put(trial, value, stored)
  }
}

async function mergeOrReplace(trial: Trial): Promise<string> {
  return (await isKeptWhenLeftOut(trial)) ? 'fields left out are kept' : 'fields left out are lost'
}

async function isKeptWhenLeftOut(trial: Trial): Promise<boolean> {
  const { isKept } = await updateWithoutAText(trial)
  return (
    isKept ??
    trial.notExercised('Needs a contact with a name and other texts, one of which may be left out of an update.')
  )
}
