import { asText, sameValue } from '../../engine/data/records.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import { put } from '../checks/updates/send-update.ts'
import { UPDATE_FIELDS, UPDATE_TEXTS } from '../checks/updates/update-body.ts'
import { updatableContact, updateBody } from '../checks/updates/learn-updates.ts'
import { isKept } from '../checks/updates/kept.ts'
import { changesOfOwnRecords } from '../checks/after-updates/own-records.ts'
import { updatesThatLeaveOut } from '../checks/updates/left-out.ts'
import { updateOfNobody } from '../checks/updates/update-of-nobody.ts'
import { updateEveryField } from '../checks/updates/update-every-field.ts'
import { EMPTIED, updatesWithTexts } from '../checks/updates/update-texts.ts'
import { observation } from './observation.ts'
import { describeExchange } from './shape.ts'

/** Of a field whose values the target writes in its own way. */
const OTHER_NOTATION = 'in another notation'

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
  observation('updateContact', 'emptied-text', 'what becomes of a text that an update empties', emptiedText, WRITES),
  observation(
    'updateContact',
    'notation',
    'whether an updated number and e-mail address are shown as they were sent',
    notation,
    WRITES,
  ),
  observation('updateContact', 'merge-or-replace', 'whether fields left out are kept', mergeOrReplace, WRITES),
  observation(
    'updateContact',
    'own-records',
    "what else changes in an updated contact's own tickets and schedules",
    changesOfOwnRecords,
    WRITES,
  ),
]

async function unknownContact(trial: Trial): Promise<string> {
  return describeExchange((await updateOfNobody(trial)).exchange)
}

async function malformedBody(trial: Trial): Promise<string> {
  const { value } = await updatableContact(trial)
  return describeExchange((await put(trial, value, Buffer.from('{"name": '))).exchange)
}

/** Leaves one stored value out at a time where one value alone is refused; a target that replaces would lose it. */
async function requiredFields(trial: Trial): Promise<string[] | string> {
  const { value } = await updatableContact(trial)
  const body = await updateBody(trial, value)
  if (!(await isKeptWhenLeftOut(trial))) trial.notExercised('Needs a target that keeps what an update leaves out.')
  try {
    if ((await put(trial, value, { name: body.name })).success) return 'none: the name alone is accepted'
    const required: string[] = []
    for (const field of UPDATE_FIELDS) {
      if (body[field] === undefined) continue
      const rest = Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))
      if (!(await put(trial, value, rest)).success) required.push(field)
    }
    return required
  } finally {
    await put(trial, value, body)
  }
}

async function mergeOrReplace(trial: Trial): Promise<string> {
  if (!(await isKeptWhenLeftOut(trial))) return 'fields left out are lost'
  const { nameAlone } = await updatesThatLeaveOut(trial)
  const { value } = await updatableContact(trial)
  const seen = nameAlone?.seen?.value
  const isLost = UPDATE_FIELDS.some((field) => field !== 'name' && seen && !isKept(field, value, seen))
  return isLost ? 'some fields left out are kept, others are lost' : 'fields left out are kept'
}

async function emptiedText(trial: Trial): Promise<string> {
  const { accepted, sent, stored, after } = (await updatesWithTexts(trial)).get(EMPTIED) ?? {}
  if (!sent || !stored) return trial.notExercised('Needs a contact with a text that an update can change.')
  if (!accepted || !after) return 'refused'
  const emptied = UPDATE_TEXTS.filter((field) => sent[field] === '' && stored[field])
  return [...new Set(emptied.map((field) => described(after.value[field], stored[field])))].toSorted().join(' or ')
}

/** A value that the target writes in its own way stays so when it is put back. */
async function notation(trial: Trial): Promise<Record<string, string>> {
  const { trips } = await updateEveryField(trial)
  const shown = (['number', 'email'] as const).flatMap((field) => {
    const { sent, after } = trips.get(field) ?? {}
    if (!sent || !after || !isKept(field, sent, after.value)) return []
    return [[field, sameValue(sent[field], asText(after.value[field])) ? 'as sent' : OTHER_NOTATION] as const]
  })
  if (shown.length === 0) trial.notExercised('Needs an updated number or e-mail address that is read back.')
  return Object.fromEntries(shown)
}

function described(value: unknown, before: unknown): string {
  if (value === undefined) return 'left out'
  return value === '' ? 'stored as an empty text' : value === before ? 'kept as it was' : `shown as ${typeof value}`
}

async function isKeptWhenLeftOut(trial: Trial): Promise<boolean> {
  const { isKept } = await updatesThatLeaveOut(trial)
  return (
    isKept ??
    trial.notExercised(
      'Needs a contact with a name that can be put back as it was, and other texts, one of which may be left out of an update.',
    )
  )
}
