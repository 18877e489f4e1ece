import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatableContact, updateBody } from './learn-updates.ts'
import { put } from './send-update.ts'
import { freshValues } from './fresh-values.ts'
import { failNotReadBack } from './not-read-back.ts'
import { findContact, readBack } from './read-back.ts'
import { hasWaitedInVain } from './until-it-shows.ts'

/** So often one contact's name is updated, where an update has not shown. */
const TIMES = 18
/** One or two may have met somebody else, who saved the contact as it was at that very moment. */
const LOST_THAT_TELL = 3
/** Behind a cache that outlasts the wait, at least as many updates look lost as are seen to be stored. */
const KEPT_FOR_EACH_LOST = 2

/** What somebody else brings back before it is seen, they bring back as often in so many times as long. */
const TIMES_AS_LONG = 3
const SHORTEST_MS = 300

/**
 * An update that is accepted is stored, each time. Where one was not seen to be, a name is changed again and again: several
 * that never show, while those that do stay, were lost.
 */
export async function judgeStoredEachTime(trial: Trial): Promise<void> {
  if (!hasWaitedInVain(trial.session)) return
  const contact = await updatableContact(trial)
  const stored = contact.value.name
  const { name: fresh } = await freshValues(trial, contact)
  if (!stored || !fresh) return
  const { run } = trial.session
  const contactId = idOf(contact.value)!
  const update = async (name: string): ReturnType<typeof put> =>
    put(trial, contact.value, await updateBody(trial, contact.value, { name }))
  let [lost, kept, shown] = [0, 0, stored]
  // So many are too many to be told from a cache any more.
  for (let time = 0; time < TIMES && lost <= TIMES / (1 + KEPT_FOR_EACH_LOST); time++) {
    const name = shown === stored ? fresh : stored
    const since = run.now
    const { success, exchange } = await update(name)
    if (!success) break
    const seen = await readBack(trial, contactId, { name }, { name: shown })
    trial.count('updates')
    if (seen?.value.name === name) {
      shown = name
      kept++
      await trial.session.pause(Math.max(SHORTEST_MS, (run.now - since) * TIMES_AS_LONG))
      if ((await findContact(trial, contactId, [name]))?.value.name !== name) break
    } else if (seen?.value.name === shown) {
      lost++
      if (lost < LOST_THAT_TELL || kept < lost * KEPT_FOR_EACH_LOST) continue
      failNotReadBack(trial, {
        message: `${lost} of ${lost + kept} updates of a name were accepted and not stored`,
        contactId,
        field: 'name',
        sent: { name },
        seen,
        exchange,
        once: true,
      })
      break
    } else break
  }
  for (let time = 0; time <= LOST_THAT_TELL && shown !== stored; time++) {
    await update(stored)
    shown = (await readBack(trial, contactId, { name: stored }, { name: shown }))?.value.name ?? stored
  }
}
