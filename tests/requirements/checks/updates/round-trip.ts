import { idInPath, isSuccess, type Exchange } from '../../../engine/http/exchange.ts'
import { asBoolean, idOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Run } from '../../../engine/judging/run.ts'
import type { Probe } from '../../../engine/judging/session.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { isTransient } from '../../../engine/trouble/kinds-of-trouble.ts'
import { bodyOf, put, REFUSAL_OF_THE_MOMENT, updatesSent } from './send-update.ts'
import { storedBody, UPDATE_BOOLEANS, type UpdateBody, type UpdateField } from './update-body.ts'
import { learnUpdates, updateBody } from './learn-updates.ts'
import { isOf } from '../../restoration/as-it-was.ts'
import { restore, settleIfKept } from '../../restoration/restore-contact.ts'
import { isKept } from './kept.ts'
import { asSeenLast } from '../after-updates/as-it-is-now.ts'
import { TIED } from './fresh-values.ts'
import { findContact, goneOnceUpdated, readBack } from './read-back.ts'

type Contact = Schemas['Contact']

/** A lock that is gone sooner is none. */
const SHORTEST_LOCK_MS = 300

/** How often an update is sent again that somebody else may have overwritten. */
const TIMES_SENT_AGAIN = 2

/** Targets that have carried out what they refused: what each further refusal did is looked at before the next update. */
const carriesOutRefusals = new WeakSet<Run>()

/** The answers to updates that were to put contacts back, by the contact's id: they are refusals, or it is not listed since. */
const lost = new WeakMap<Run, Map<string, Exchange>>()
const CONTACTS_LOST = 2
/** Runs in which that was tried again in vain. */
const refusedForGood = new WeakSet<Run>()

/** An update and what was read back: after it, and after the stored values were sent back. */
export interface RoundTrip {
  readonly contactId: string
  readonly stored: UpdateBody
  /** What was sent; `sent` is what the contact should then show. */
  readonly body: UpdateBody
  readonly sent: UpdateBody
  readonly exchange: Exchange
  /** False where the target refused the values. */
  readonly accepted: boolean
  /** A refusal of the update, which was accepted when the same was sent again at once. */
  readonly refusedOnce?: Exchange
  /** The contact, and its field with the value that was sent, though the update was refused. */
  readonly carriedOut?: { readonly contact: Located<Contact>; readonly field: keyof UpdateBody }
  /** False where it then refused the stored values: the contact is not as it was. */
  readonly putBack: boolean
  /** The update that put it back changed other fields, and the contact was not listed then. */
  readonly isUnseen?: boolean
  /** Undefined where the contact is not listed any more. */
  readonly after: Located<Contact> | undefined
  readonly restored: Located<Contact> | undefined
}

/** What the contact should have shown, and did: after the update and, where it was put back, after that. */
export function readBacksOf(
  trip: RoundTrip,
): readonly (readonly [expected: UpdateBody, seen: Located<Contact> | undefined])[] {
  return [[trip.sent, trip.after], ...(trip.putBack && !trip.isUnseen ? [[trip.stored, trip.restored] as const] : [])]
}

/** Whether a contact shows a text that was sent, and not as it was sent: nobody else would write it so. */
export function isSpoilt(field: keyof UpdateBody, sent: UpdateBody, contact: Contact): boolean {
  return typeof sent[field] === 'string' && !isKept(field, sent, contact) && isOf(field, sent[field], contact)
}

/** Whether the contact showed a field as the update sent it. */
export function isReadBack(trip: RoundTrip | undefined, field: keyof UpdateBody): boolean {
  return trip?.after !== undefined && isKept(field, trip.sent, trip.after.value)
}

/** Whether the contact showed a field as the update sent it, and then again as it was before. */
export function isTakenBack(trip: RoundTrip | undefined, field: keyof UpdateBody): boolean {
  return isReadBack(trip, field) && trip?.restored !== undefined && isKept(field, trip.stored, trip.restored.value)
}

/** Some values of a contact that are changed, and what is done while they are; it is given what was read back. */
export interface Step {
  readonly changes: UpdateBody
  /** That a refusal is what is hoped for, so that it isn't asked for again. */
  readonly refusable?: true
  readonly meanwhile?: (after: Located<Contact> | undefined) => Promise<void>
}

/** Sends a contact's stored values with some of them changed, reads them back, and puts the contact back as it was. */
export async function roundTrip(
  trial: Trial,
  contact: Located<Contact>,
  changes: UpdateBody,
  meanwhile?: Step['meanwhile'],
): Promise<RoundTrip> {
  const [trip] = await roundTrips(trial, contact, [{ changes, ...(meanwhile && { meanwhile }) }])
  return trip!
}

/** Several round trips of one contact: the update that changes some values puts back those that were changed before. */
export async function roundTrips(
  trial: Trial,
  contact: Located<Contact>,
  steps: readonly Step[],
): Promise<readonly RoundTrip[]> {
  const refusal = await refusalToPutBack(trial, contact)
  const journey = new Journey(trial, await asSeenLast(trial, contact))
  for (const step of steps) await (refusal ? journey.giveUp(step, refusal) : journey.take(step))
  return journey.end()
}

/**
 * The refusal to take a contact back, where a target goes on refusing that for several: then no other one is changed. What is
 * wrong with one alone may be that contact's.
 */
async function refusalToPutBack(trial: Trial, { value }: Located<Contact>): Promise<Exchange | undefined> {
  const { run, changes } = trial.session
  const refusals = lost.get(run)
  if (!refusals || refusals.size < CONTACTS_LOST || refusals.has(idOf(value)!)) return undefined
  if (!refusedForGood.has(run)) {
    const gone = await goneOnceUpdated(trial)
    for (const [contactId] of refusals) {
      const change = changes.open.find(({ path }) => path['contactId'] === contactId)
      const isBack = !change || (await restore(trial, change).catch((error: Error) => error)) === undefined
      if (isBack && !gone.has(contactId)) refusals.delete(contactId)
    }
  }
  if (refusals.size < CONTACTS_LOST) return undefined
  refusedForGood.add(run)
  return [...refusals.values()][0]
}

/** One contact's round trips, while they are made. */
class Journey {
  readonly #trial: Trial
  readonly #contact: Contact
  readonly #contactId: string
  readonly #stored: UpdateBody
  readonly #trips: RoundTrip[] = []
  /** What the contact was last changed to and not put back from. */
  #shown: UpdateBody = {}
  /** Refused updates, of which it is not yet known whether they were carried out all the same. */
  #refused: RoundTrip[] = []

  constructor(trial: Trial, { value }: Located<Contact>) {
    this.#trial = trial
    this.#contact = value
    this.#contactId = idOf(value)!
    this.#stored = storedBody(value)
  }

  async take(step: Step): Promise<void> {
    const probe = await this.#tryStored(step.changes)
    if (probe && !probe.success) await this.giveUp(step, probe.exchange)
    else await this.#update(step)
  }

  /** Looks at what was refused, and puts the contact back. */
  async end(): Promise<readonly RoundTrip[]> {
    await this.#lookAtRefused()
    await this.#putBack()
    return this.#trips
  }

  /**
   * What is not among the values that every update sends along may be refused when it is put back, and is tried first; so is
   * a channel, or a connection, that updates of the contact were refused with.
   */
  async #tryStored(changes: UpdateBody): Promise<Probe | undefined> {
    const needed = await updateBody(this.#trial, this.#contact)
    const updates = updatesSent(this.#trial).filter((one) => idInPath(one) === this.#contactId)
    const isDoubtful = (field: UpdateField): boolean => {
      const back = updates.filter(({ request }) => sameValue(bodyOf(request)?.[field], this.#stored[field]))
      return !(field in needed) || (TIED.includes(field) && back.length > 0 && !back.some(isSuccess))
    }
    const fields = (Object.keys(changes) as UpdateField[]).filter((field) => field in this.#stored)
    // Where nothing is accepted, all updates are looked at that are refused.
    const { form } = await learnUpdates(this.#trial)
    return form && fields.some(isDoubtful) ? this.#send(this.#storedOf({ ...this.#shown, ...changes })) : undefined
  }

  /** Leaves a change out that could not be put back. */
  async giveUp({ changes }: Step, exchange: Exchange): Promise<void> {
    await this.end()
    this.#trips.push({ ...(await this.#unchanged(changes, changes)), exchange, accepted: false })
  }

  async #update({ changes, refusable, meanwhile }: Step): Promise<void> {
    const values = { ...this.#storedOf(this.#shown), ...changes }
    const unchanged = await this.#unchanged(changes, values)
    const first = await this.#send(values, false)
    const again = isRefused(first) && !refusable ? await this.#send(values) : first
    const { exchange, success: accepted } = again
    const trip = { ...unchanged, exchange, accepted }
    if (!accepted) {
      this.#refused.push(trip)
      // Several refusals in a row are looked at together.
      const isTrusted = refusable && !this.#isChanged && !carriesOutRefusals.has(this.#trial.session.run)
      return isTrusted ? undefined : this.#lookAtRefused()
    }
    const after = await this.#readBack(values, trip.sent)
    if (this.#isChanged) this.#close(true, after, after === undefined)
    const isFault = !first.success && !wasLocked(first, again)
    // What the refused may have stored is overwritten.
    this.#trips.push(...this.#refused.splice(0), { ...trip, ...(isFault && { refusedOnce: first.exchange }), after })
    this.#shown = changes
    await meanwhile?.(after)
  }

  async #lookAtRefused(): Promise<void> {
    const refused = this.#refused.splice(0)
    if (refused.length === 0) return
    const names = refused.map(({ sent }) => sent.name)
    const isAnswered = refused.some(({ exchange }) => !exchange.failure)
    const seen = isAnswered
      ? await findContact(this.#trial, this.#contactId, [this.#stored.name, ...names, this.#shown.name])
      : undefined
    const undo: UpdateBody[] = []
    const looked = refused.map((trip): RoundTrip => {
      const stood = seen && this.#fieldThatStood(trip, seen.value)
      if (stood) {
        this.#trial.session.changes.confirm({ path: { contactId: this.#contactId }, owner: this.#trial.session.caller })
        carriesOutRefusals.add(this.#trial.session.run)
      }
      // What was never answered may have been stored all the same.
      if (stood || trip.exchange.failure) undo.push(this.#storedOf(this.#changedBy(trip)))
      else settleIfKept(this.#trial, seen?.value)
      const isRefusal = stood && !wasInterrupted(this.#trial, trip.exchange)
      return { ...trip, ...(isRefusal && { carriedOut: { contact: seen, field: stood } }) }
    })
    await this.#putBack()
    this.#trips.push(...looked)
    for (const values of undo) await this.#send(values)
  }

  /** A field that shows the value of a refused update, and not the stored one. */
  #fieldThatStood(trip: RoundTrip, seen: Contact): keyof UpdateBody | undefined {
    const { sent } = trip
    // Where a flag is off that this update leaves on, an earlier one has turned off what it did not send.
    const isReset = UPDATE_BOOLEANS.some((flag) => sent[flag] === true && asBoolean(seen[flag]) === false)
    const fields = Object.keys(this.#changedBy(trip)) as (keyof UpdateBody)[]
    return fields.find(
      (field) => isKept(field, sent, seen) && !isKept(field, this.#stored, seen) && !(isReset && sent[field] === false),
    )
  }

  #changedBy({ sent }: RoundTrip): UpdateBody {
    return Object.fromEntries(
      Object.entries(sent).filter(([field, value]) => value !== this.#stored[field as keyof UpdateBody]),
    )
  }

  async #putBack(): Promise<void> {
    if (!this.#isChanged) return
    const values = this.#storedOf(this.#shown)
    const { success, exchange } = await this.#send(values)
    const restored = success ? await this.#readBack(values, this.#stored) : undefined
    if (!restored && exchange.response) this.#noteLost(exchange)
    this.#close(success, restored)
  }

  #noteLost(exchange: Exchange): void {
    const { run } = this.#trial.session
    lost.set(run, new Map(lost.get(run)).set(this.#contactId, exchange))
  }

  #close(putBack: boolean, restored: Located<Contact> | undefined, isUnseen = false): void {
    this.#trips.push({ ...this.#trips.pop()!, putBack, restored, isUnseen })
    settleIfKept(this.#trial, restored?.value)
    this.#shown = {}
  }

  get #isChanged(): boolean {
    return Object.keys(this.#shown).length > 0
  }

  /** What is known of a round trip before its update is answered. */
  async #unchanged(changes: UpdateBody, values: UpdateBody): Promise<Omit<RoundTrip, 'exchange' | 'accepted'>> {
    return {
      contactId: this.#contactId,
      stored: this.#stored,
      body: await updateBody(this.#trial, this.#contact, values),
      sent: { ...this.#stored, ...changes },
      putBack: true,
      after: undefined,
      restored: undefined,
    }
  }

  #storedOf(changes: UpdateBody): UpdateBody {
    return Object.fromEntries(Object.keys(changes).map((field) => [field, this.#stored[field as keyof UpdateBody]]))
  }

  async #send(values: UpdateBody, mayWait = true): ReturnType<typeof put> {
    const body = await updateBody(this.#trial, this.#contact, values)
    return put(this.#trial, this.#contact, body, this.#trial.session.caller, { mayWait })
  }

  /** Where a value is neither the one sent nor the one before, somebody else may have written it: it is sent again. */
  async #readBack(values: UpdateBody, hoped: UpdateBody): Promise<Located<Contact> | undefined> {
    const before = { ...this.#stored, ...this.#shown }
    const fields = Object.keys(values) as (keyof UpdateBody)[]
    for (let time = 0; ; time++) {
      const seen = await readBack(this.#trial, this.#contactId, hoped, before)
      const isAnothers =
        seen &&
        fields.some((field) => ![hoped, before].some((one) => isKept(field, one, seen.value))) &&
        !fields.some((field) => isSpoilt(field, hoped, seen.value))
      if (!isAnothers || time === TIMES_SENT_AGAIN) return seen
      await this.#send(values)
    }
  }
}

/** Whether the same update was sent before and met an outage: it may have been stored then. */
function wasInterrupted(trial: Trial, { request }: Exchange): boolean {
  return trial.session.evidence.exchanges.some(
    (one) =>
      one.request.target === request.target &&
      one.request.body === request.body &&
      (one.failure !== undefined || isTransient(one)),
  )
}

/** Whether a refusal, and what was accepted after a while, look like a lock that the update before had left. */
function wasLocked({ lockedSince = Infinity }: Awaited<ReturnType<typeof put>>, again: Probe): boolean {
  return again.exchange.startedAt.getTime() - lockedSince >= SHORTEST_LOCK_MS
}

/** Whether the target was there, and refused the update itself. */
function isRefused({ success, status }: Probe): boolean {
  return !success && status !== undefined && !REFUSAL_OF_THE_MOMENT.has(status)
}
