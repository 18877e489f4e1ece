import { idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { beginChange, put } from './send-update.ts'
import { storedBody, UPDATE_TEXTS, type UpdateBody } from './update-body.ts'
import { updateBody } from './learn-updates.ts'
import { settleIfKept } from '../../restoration/restore-contact.ts'
import { isMisread } from './kept.ts'
import { readBack } from './read-back.ts'

/** Sends the stored values of a contact back that an update has changed without being told to. */
export async function putBack(trial: Trial, contact: Schemas['Contact']): Promise<void> {
  beginChange(trial, contact, {})
  await put(trial, contact, await updateBody(trial, contact, storedBody(contact)))
}

/**
 * Sends the stored values of a contact back, and looks whether it shows them.
 * @param shown what it may still show.
 */
export async function putBackAndLook(
  trial: Trial,
  { value }: Located<Schemas['Contact']>,
  shown: UpdateBody,
): Promise<void> {
  const stored = storedBody(value)
  await put(trial, value, await updateBody(trial, value, stored))
  const seen = await readBack(trial, idOf(value)!, stored, shown)
  settleIfKept(trial, seen?.value)
  // Nobody else would write it so, and one of several servers may.
  for (const field of seen ? UPDATE_TEXTS.filter((one) => isMisread(stored[one], seen.value[one])) : [])
    trial.fail({
      message: `a contact was put back, and its ${field} has other letters since`,
      expected: stored[field],
      received: seen!.value[field],
      exchange: seen!.exchange,
      pointer: `${seen!.pointer}/${field}`,
      once: true,
    })
}
