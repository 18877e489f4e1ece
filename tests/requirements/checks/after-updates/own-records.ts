import { asText, idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL } from '../../operations.ts'
import { updatedIds } from '../updates/send-update.ts'
import { updateEveryField } from '../updates/update-every-field.ts'
import {
  changesOf,
  fieldsOf,
  listedBeforeUpdates,
  listedWhileUpdated,
  type Change,
} from '../side-effects/watched-lists.ts'

/** Lists of records that are a contact's own. */
const OWN = ['listTickets', 'listSchedules'] as const

/**
 * What became of the tickets and schedules of contacts that were updated: that they are closed or cancelled with it is open.
 * @returns in words, each once; not exercised where others change such records at the same time.
 */
export async function changesOfOwnRecords(trial: Trial): Promise<readonly string[] | string> {
  const before = await listedBeforeUpdates(trial)
  await updateEveryField(trial)
  const after = await listedWhileUpdated(trial)
  const updated = updatedIds(trial)
  const isOwn = ({ value }: Change['was']): boolean => updated.has(asText(value['contactId']) ?? '')
  const lists = OWN.flatMap((operation) => {
    const [were, are] = [before.get(operation) ?? [], after.get(operation) ?? []]
    const known = new Map(are.map((record) => [idOf(record.value), record]))
    const changes = were.flatMap((was) => changesOf(was, known.get(idOf(was.value)), fieldsOf(trial, operation)))
    return are.length > 0 && were.some(isOwn) ? [{ of: PLURAL[operation], changes }] : []
  })
  if (lists.length === 0) trial.notExercised('Needs a contact that can be updated and has tickets or schedules.')
  if (lists.some(({ changes }) => !changes.every(({ was }) => isOwn(was))))
    trial.notExercised('Needs tickets and schedules that nobody else changes.')
  const seen = lists.flatMap(({ of, changes }) =>
    changes.map(({ field }) => (field === undefined ? `${of} are gone from their list` : `${field} of ${of}`)),
  )
  return seen.length > 0 ? [...new Set(seen)].toSorted() : 'nothing that was seen'
}
