import type { Change } from '../../engine/judging/changes.ts'
import { RunEnded } from '../../engine/time/clock.ts'
import type { OperationId } from '../../engine/contract.ts'
import { COMPANIES } from '../../engine/http/credentials.ts'
import { orElse } from '../../engine/or-else.ts'
import { PreflightError, preflight } from '../../engine/judging/preflight.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import type { Session } from '../../engine/judging/session.ts'
import { CACHED_MS } from '../../engine/time/time.ts'
import { NotExercised, Trial } from '../../engine/judging/trial.ts'
import { Unanswered } from '../../engine/trouble/unanswered.ts'
import { eventually } from '../checks/eventually.ts'
import {
  type Later,
  changeOthers,
  doubtfulFlags,
  isListed,
  lookLater,
  noteSideEffects,
} from '../checks/side-effects/side-effects.ts'
import { GONE_THAT_TELL, goneOnceUpdated } from '../checks/updates/read-back.ts'
import { SECTION } from '../operations.ts'
import { NotAnswered } from './look-up.ts'
import { restore } from './restore-contact.ts'
import { nameOf, notKnown } from './what-is-left.ts'

const RESTORATION: Requirement = {
  id: 'restoration',
  level: 'observed',
  title: 'What the run changed is put back.',
  source: SECTION.updateContact,
  operations: ['updateContact'],
  check: () => Promise.resolve(),
}

/** Operations by which a contact is put back, and seen to be. */
const NEEDED: readonly OperationId[] = ['listContacts', 'updateContact']

/** So often what was changed by what was put back is put back. */
const ROUNDS = 3
const AGAIN = new Error('it was changed again when it, or others, had been put back')

/** Where so many contacts are not as they were, to put one back takes another away: nothing is gained by going on. */
const HOPELESS = 20

/** Hooks and queues are seldom slower. */
const LATER_MS = 1000

/**
 * Puts back every contact that is not known to be as it was.
 * @returns a sentence on each that could not be, or is not known to be.
 */
export async function restoreAll(session: Session): Promise<string[]> {
  const trial = new Trial(session, RESTORATION)
  const left = new Map<string, string>()
  let fewest = Infinity
  // Where updates change others, what is put back may change the next one.
  for (let round = 0; ; round++) {
    await noteSideEffects(trial).catch(unlessItCannotBeTold)
    const open = session.changes.open.filter((change) => !left.has(nameOf(change)))
    const isOver = !changeOthers(session.run) || !open.some(({ isSideEffect }) => isSideEffect)
    const isLast = round === ROUNDS || (open.length >= HOPELESS && open.length >= fewest)
    fewest = Math.min(fewest, open.length)
    if (!isOver && isLast) for (const change of open) left.set(nameOf(change), notKnown(change, AGAIN))
    else for (const [name, sentence] of await restoreEach(trial, open)) left.set(name, sentence)
    if (isOver || isLast) break
  }
  for (const { flags, ...contact } of doubtfulFlags(trial))
    if (!left.has(nameOf(contact)))
      left.set(nameOf(contact), `${nameOf(contact)}: ${flags}, maybe by updates of others`)
  return [...left.values()]
}

/**
 * Puts everything back at the end of a run, and looks at it once more a moment later.
 * @returns a sentence on each contact that is not as it was, or is not known to be.
 */
export async function leaveAsItWas(session: Session): Promise<string[]> {
  const trial = new Trial(session, RESTORATION)
  const look = (ms: number): Promise<Later | undefined> => lookLater(trial, ms).catch(unlessItCannotBeTold)
  const left = await restoreAll(session)
  if (left.length >= HOPELESS) return left
  const later = await look(LATER_MS)
  const gone = later?.areMissed ? await orElse(goneByUpdates(trial), []) : []
  if (!later?.isChanged) return [...left, ...gone]
  const leftThen = [...(await restoreAll(session)), ...gone]
  // A list that was kept for a while may be one of before.
  if (!(await look(LATER_MS))?.isChanged || !(await look(CACHED_MS))?.isChanged) return leftThen
  await noteSideEffects(trial).catch(unlessItCannotBeTold)
  const untold = session.changes.open.filter((one) => !leftThen.some((sentence) => sentence.startsWith(nameOf(one))))
  return [...leftThen, ...untold.map((change) => notKnown(change, AGAIN))]
}

/** @returns a sentence on each contact that is gone, where several are that were updated, and none that was not. */
async function goneByUpdates(trial: Trial): Promise<string[]> {
  const gone = await trial.each(COMPANIES, async (owner): Promise<readonly string[]> => {
    const ids = isListed(trial, owner) ? [...(await goneOnceUpdated(trial.as(owner)))] : []
    return ids.map((contactId) => nameOf({ path: { contactId }, owner }))
  })
  const names = gone.flat()
  const sentence = 'is not listed any more; of all contacts, those are gone that were updated'
  return names.length >= GONE_THAT_TELL ? names.map((name) => `${name} ${sentence}`) : []
}

/** @returns what is left, by the contact's name. */
async function restoreEach(trial: Trial, changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
  const { session } = trial
  const left = new Map<string, string>()
  let isPatient = true
  // What updates of others change is put back after those.
  const ordered = changes.toSorted((a, b) => Number(a.isSideEffect ?? false) - Number(b.isSideEffect ?? false))
  for (const change of ordered) {
    const restored = await eventually(
      session,
      () => restore(trial, change).catch((error: Error) => error),
      (seen) => !(seen instanceof NotAnswered),
      isPatient ? undefined : 0,
    ).catch((error: Error) => error)
    if (restored instanceof NotAnswered) isPatient = false
    if (typeof restored === 'string') left.set(nameOf(change), restored)
    else if (restored instanceof Error && change.isLikely) left.set(nameOf(change), notKnown(change, restored))
    // What was refused was not to change anything: where nobody is answered any more, nothing tells that it did.
    else if (!(restored instanceof RunEnded)) trial.session.changes.settle(change)
  }
  return left
}

/**
 * Puts back what a run that was killed left changed, by its journal.
 * @returns how many contacts.
 * @throws PreflightError where some can't be; SettingError where the journal is another target's, or can't be read.
 */
export async function finishEarlierRun(session: Session): Promise<number> {
  session.changes.resume()
  const { length } = session.changes.open
  if (length === 0) return 0
  const { operations } = session.settings
  if (operations && NEEDED.some((one) => !operations.includes(one)))
    throw new PreflightError(
      `A run that was killed left ${length} contact(s) changed, and OPERATIONS leaves out what puts them back (${NEEDED.join(', ')}): run npm run restore first.`,
    )
  await preflight(session)
  if ((await restoreAll(session)).length > 0)
    throw new PreflightError(
      `A run that was killed left ${length} contact(s) changed, which can't be put back; npm run restore tells more.`,
    )
  // What was listed before may show what has been put back.
  session.run.forget()
  return length
}

/** What is said where something could not be put back. */
export function leftChanged(left: readonly string[]): string {
  return [
    'Contacts of the target are NOT as they were before the run, or not known to be:',
    ...left.map((sentence) => `  ${sentence}`),
    'journal.json in the folder of reports has all values, unmasked; npm run restore tries again to put them back.',
  ].join('\n')
}

function unlessItCannotBeTold(error: Error): undefined {
  if (!(error instanceof Unanswered || error instanceof NotExercised || error instanceof RunEnded)) throw error
}
