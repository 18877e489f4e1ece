import type { Change } from '../../engine/judging/changes.ts'
import { isTransient } from '../../engine/trouble/kinds-of-trouble.ts'
import type { Run } from '../../engine/judging/run.ts'
import type { Probe, Session } from '../../engine/judging/session.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import { eventually } from '../checks/eventually.ts'
import { LOCKED } from '../checks/updates/send-update.ts'
import { isAsItWas } from './as-it-was.ts'
import { lookUp, NotAnswered, ownersOf, unlessNotAnswered } from './look-up.ts'

/** Runs in which a contact stayed locked as long as it was waited for: the next is not waited for. */
const lockedForGood = new WeakSet<Run>()

/**
 * Sends what was stored until the target accepts one form of it. A contact may be locked for some seconds, which are waited
 * for with the whole of it: a form that holds less could be the first that comes when the lock is gone.
 */
export async function isAccepted(
  trial: Trial,
  change: Change,
  [whole, ...others]: readonly object[],
  mayDetour: boolean,
): Promise<boolean> {
  if (!whole) return false
  const { session } = trial
  const first = await sendOnceUnlocked(session, change, whole)
  if (first.success || !isAnswered(first)) return first.success
  const probe = others.length > 0 ? await sendForms(session, change, others) : first
  if (probe.success || !mayDetour || !change.isLikely || (probe.status ?? 500) >= 500) return probe.success
  // It may have shown later what an update had changed; where nothing is changed, a detour would change it.
  const now = await lookUp(trial, change).catch(unlessNotAnswered)
  if (!now || now instanceof NotAnswered || isAsItWas(change, now)) return false
  return (await sendByDetour(session, change, [whole, ...others])).success
}

/** Sends a form, again where a contact is locked for some seconds. */
export async function sendOnceUnlocked(session: Session, change: Change, body: object): Promise<Probe> {
  const patienceMs = lockedForGood.has(session.run) ? 0 : undefined
  const probe = await eventually(
    session,
    () => sendForms(session, change, [body]),
    (now) => !isLocked(now),
    patienceMs,
  )
  if (isLocked(probe)) lockedForGood.add(session.run)
  return probe
}

/** A target in trouble, or that does not answer, is so whatever is sent. */
function isAnswered({ status, exchange }: Probe): boolean {
  return status !== undefined && !isTransient(exchange)
}

function isLocked({ status }: Probe): boolean {
  return LOCKED.has(status ?? 0)
}

/** Sends one form after another until one is accepted; gives the last answer. */
export async function sendForms(session: Session, change: Change, bodies: readonly object[]): Promise<Probe> {
  let last: Probe | undefined
  for (const body of bodies) {
    const probes: Probe[] = []
    for (const caller of ownersOf(session, change)) {
      const probe = await session.as(caller).attempt('updateContact', { path: change.path, body })
      if (probe.success || !isAnswered(probe)) return probe
      probes.push(probe)
    }
    last = probes.find(isLocked) ?? probes.at(-1)
  }
  return last!
}

/** Where a flag that is on again forbids every update but the one that turns it off: that one first, then what was stored. */
async function sendByDetour(session: Session, change: Change, bodies: readonly object[]): Promise<Probe> {
  const { stored, sent, path, owner } = change
  let last: Probe | undefined
  const flags = Object.keys(sent).filter((field) => typeof stored[field] === 'boolean')
  // Each flag in one form before any in the next: time may be short.
  const turns = bodies.flatMap((body) => flags.filter((flag) => flag in body).map((flag) => ({ flag, body })))
  for (const { flag, body } of turns) {
    if (!(await sendForms(session, change, [{ ...body, [flag]: !stored[flag] }])).success) continue
    session.changes.begin({ path, owner, stored, sent: { [flag]: [!stored[flag]] } })
    // What was accepted may count only some time later.
    last = await eventually(
      session,
      () => sendForms(session, change, bodies),
      ({ success }) => success,
    )
    if (last.success) return last
  }
  // What was refused may have been stored all the same.
  return last ?? sendForms(session, change, bodies.slice(0, 1))
}
