import { parseJson } from '../../../engine/http/answer.ts'
import type { Change } from '../../../engine/judging/changes.ts'
import type { Call } from '../../../engine/http/client.ts'
import type { Company } from '../../../engine/http/credentials.ts'
import { idInPath, isSuccess, type Exchange } from '../../../engine/http/exchange.ts'
import { idOf, sameValue, type Schemas } from '../../../engine/data/records.ts'
import type { Run } from '../../../engine/judging/run.ts'
import type { Probe } from '../../../engine/judging/session.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { TRANSIENT_STATUS } from '../../../engine/trouble/kinds-of-trouble.ts'
import { type UpdateBody, type UpdateField, WHOLE, storedBody } from './update-body.ts'

/** What says nothing of the update itself: the token has expired, or the target has no time. */
export const REFUSAL_OF_THE_MOMENT: ReadonlySet<number> = new Set([401, 403, ...TRANSIENT_STATUS])

/** With these, a target may say that a contact is locked for a moment, as after an update. */
export const LOCKED: ReadonlySet<number> = new Set([409, 423])
export const LOCKED_MS = 1100
/** A target that refuses with them for other reasons is not waited for each time. */
const WAITS_IN_VAIN = 3

interface Locks {
  /** When contacts were updated last, as dates in milliseconds: others are not locked. */
  readonly updated: Map<string, number>
  isKnown: boolean
  inVain: number
}

const locksOf = new WeakMap<Run, Locks>()

/**
 * Sends an update of a contact that is listed, again where the contact may have been locked. What it may change, or lose
 * where the target replaces, is journaled first, and put back at the latest when the run ends.
 * @param options `mayWait`: false where a refusal is what is hoped for; `query`, `headers`: what is sent besides the body.
 * @throws NotExercised where the contact shows a token, which would be stored with what is sent back.
 * @returns `lockedSince` where it was refused at first, and may have been for the update before: when that was sent.
 */
export async function put(
  trial: Trial,
  contact: Schemas['Contact'],
  body: unknown,
  owner: Company = trial.session.caller,
  { mayWait = true, ...beside }: Pick<Call, 'query' | 'headers'> & { readonly mayWait?: boolean } = {},
): Promise<Probe & { readonly lockedSince?: number | undefined }> {
  const path = { contactId: idOf(contact)! }
  const record = { path, owner }
  if (trial.session.run.credentials.areIn(JSON.stringify([contact, body])))
    trial.notExercised(`Needs contacts that show no token; ${path.contactId} shows one, which an update could store.`)
  beginChange(trial, contact, body, owner)
  const send = () =>
    trial.session.attempt('updateContact', { ...beside, path, body }).catch((error: Error) => {
      // It may have been stored all the same.
      trial.session.changes.confirm(record, true)
      throw error
    })
  const locks = locksOf.get(trial.session.run) ?? { updated: new Map(), isKnown: false, inVain: 0 }
  locksOf.set(trial.session.run, locks)
  let probe = await send()
  const lockedSince = LOCKED.has(probe.status ?? 0) ? locks.updated.get(path.contactId) : undefined
  if (mayWait && lockedSince !== undefined && (locks.isKnown || locks.inVain < WAITS_IN_VAIN)) {
    await trial.session.pause(LOCKED_MS)
    probe = await send()
    // What is refused for another reason by then is locked no more either.
    if (LOCKED.has(probe.status ?? 0)) locks.inVain++
    else if (probe.status !== undefined) locks.isKnown = true
  }
  if (probe.success) locks.updated.set(path.contactId, probe.exchange.startedAt.getTime())
  const { changes } = trial.session
  if (probe.success && isSentBack(changes.find(record), body)) changes.sentBack(record)
  // A server's error, too, may come after the update was stored.
  else if (probe.success || probe.exchange.failure || (probe.status ?? 0) >= 500) changes.confirm(record, true)
  return { ...probe, lockedSince }
}

/** Whether a body holds what was stored of every field that another value was sent for. */
function isSentBack(change: Change | undefined, body: unknown): boolean {
  const values = body as UpdateBody
  return Object.entries(change?.sent ?? {}).every(
    ([field, sent]) => sent.length === 0 || sameValue(values[field as UpdateField], change!.stored[field]),
  )
}

/** Journals what an update of a contact may change or lose. */
export function beginChange(
  trial: Trial,
  contact: Schemas['Contact'],
  body: unknown,
  owner: Company = trial.session.caller,
): void {
  const stored = storedBody(contact)
  const values = body as UpdateBody
  const changed = WHOLE.filter(
    (field) =>
      stored[field] !== undefined &&
      !sameValue(values[field], stored[field]) &&
      (field !== 'companyId' || values[field] !== undefined),
  )
  const sent = Object.fromEntries(changed.map((field) => [field, field in values ? [values[field]] : []]))
  trial.session.changes.begin({ path: { contactId: idOf(contact)! }, owner, stored, sent })
}

/** Every update that the run sent, by either company, accepted or not. */
export function updatesSent({ session }: Trial): readonly Exchange[] {
  return session.evidence.exchanges.filter(({ operation }) => operation === 'updateContact')
}

/** Ids of the contacts that the run has tried to update, with success or not. */
export function triedIds(trial: Trial): ReadonlySet<string> {
  return new Set(updatesSent(trial).map(idInPath))
}

/** Ids of the contacts that the target was told to update, with success. */
export function updatedIds(trial: Trial): ReadonlySet<string> {
  return new Set(updatesSent(trial).filter(isSuccess).map(idInPath))
}

/** The body of an update. Null where none was sent, or what is none: an observation may have tried that. */
export function bodyOf(request: Exchange['request']): UpdateBody | null {
  const parsed = parseJson(Buffer.from(request.body ?? ''))
  return 'body' in parsed ? (parsed.body as UpdateBody | null) : null
}
