import type { Change, ChangedRecord } from '../engine/changes.ts'
import { isTransient } from '../engine/kinds-of-trouble.ts'
import type { OperationId } from '../engine/contract.ts'
import { COMPANIES, type Company } from '../engine/credentials.ts'
import { recordsOf } from '../engine/listing.ts'
import { orElse } from '../engine/or-else.ts'
import { RunEnded } from '../engine/clock.ts'
import { CACHED_MS } from '../engine/time.ts'
import { preflight, PreflightError } from '../engine/preflight.ts'
import { type AnyRecord, asBoolean, askable, idOf, sameValue, type Schemas } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Run } from '../engine/run.ts'
import type { Probe, Session } from '../engine/session.ts'
import { NotExercised, Trial } from '../engine/trial.ts'
import { Unanswered } from '../engine/unanswered.ts'
import { FORMS, inForm, storedValue, type BodyField } from './update-body.ts'
import { LOCKED } from './send-update.ts'
import { eventually } from './checks/eventually.ts'
import { isKept } from './checks/kept.ts'
import { goneOnceUpdated, GONE_THAT_TELL } from './checks/read-back.ts'
import { untilItShows } from './checks/until-it-shows.ts'
import { changeOthers, doubtfulFlags, isListed, lookLater, noteSideEffects, type Later } from './checks/side-effects.ts'
import { SECTION } from './operations.ts'

type Contact = Schemas['Contact']

const RESTORATION: Requirement = {
  id: 'restoration',
  level: 'observed',
  title: 'What the run changed is put back.',
  source: SECTION.updateContact,
  operations: ['updateContact'],
  check: () => Promise.resolve(),
}

/** Somebody who was sent bad tokens may turn everybody away for some seconds: that is waited for once. */
class NotAnswered extends Unanswered {}

/** Operations by which a contact is put back, and seen to be. */
const NEEDED: readonly OperationId[] = ['listContacts', 'updateContact']

/** So often what was changed by what was put back is put back. */
const ROUNDS = 3
const AGAIN = new Error('it was changed again when it, or others, had been put back')

const LONGEST_SHOWN = 200

/** What others add meanwhile pushes a contact past the last page that is read otherwise. */
const PAGES_BEYOND = 25

/** So many letters at the beginning of another text are no accident. */
const LETTERS_THAT_TELL = 5

/** Where so many contacts are not as they were, to put one back takes another away: nothing is gained by going on. */
const HOPELESS = 20

/** Hooks and queues are seldom slower. */
const LATER_MS = 1000

/** Runs in which a contact stayed locked as long as it was waited for: the next is not waited for. */
const lockedForGood = new WeakSet<Run>()

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

/**
 * Puts one contact back, which counts only when it is seen as it was. A contact that is gone can't be, and need not.
 * @returns what is left, in a sentence.
 * @throws NotAnswered where it can't be seen.
 */
export async function restore(trial: Trial, change: Change): Promise<string | undefined> {
  const before = await lookUp(trial, change).catch(unlessNotAnswered)
  const seen = before instanceof NotAnswered ? undefined : before
  if (seen && !change.isPending && isAsItWas(change, seen)) return settle(trial, change)
  const bodies = bodiesFor(change, seen)
  const wasLetIn = await isLetIn(trial, change, seen ? bodies : bodies.slice(0, 1), seen !== undefined)
  if (before === undefined && !wasLetIn)
    return change.isEarlier && !(await isOfItsCompany(trial, change))
      ? `${nameOf(change)} is not listed: give the tokens that the run had or, if it was deleted, remove the journal`
      : settle(trial, change)
  if (before instanceof NotAnswered && !wasLetIn) throw before
  const untilItIsBack = (): Promise<Contact | NotAnswered | undefined> =>
    untilItShows(
      trial.session,
      () => lookUp(trial, change),
      (seen) => isAsItWas(change, seen),
    ).catch(unlessNotAnswered)
  const first = await (wasLetIn ? untilItIsBack() : lookUp(trial, change).catch(unlessNotAnswered))
  // Of a target that takes one field at a time, what was accepted is a part: the rest is sent field by field.
  const now = first instanceof NotAnswered ? undefined : first
  const fields = now && wasLetIn ? leftFields(change, now) : []
  const crossed = now && crossedValues(change, fields, now)
  if (crossed) await sendForms(trial.session, change, bodiesFor({ ...change, stored: crossed }, undefined))
  const uncrossed = crossed && (await untilItIsBack())
  // Flags that are merely refused may look like crossed ones.
  const isBack = uncrossed && !(uncrossed instanceof NotAnswered) && isAsItWas(change, uncrossed)
  const left = isBack ? [] : fields
  for (const field of left) await sendOnceUnlocked(trial.session, change, { [field]: change.stored[field] })
  const after = left.length > 0 ? await untilItIsBack() : (uncrossed ?? first)
  if (after instanceof NotAnswered)
    throw new NotAnswered('listContacts', `${after.message}, though what it held was sent back and accepted`)
  if (!after) return `${nameOf(change)} is not listed any more`
  // What was tried in order to put it back counts too.
  const tried = trial.session.changes.find(change) ?? change
  return isAsItWas(tried, after) ? settle(trial, change) : whatIsLeft(tried, after)
}

/**
 * What has to be sent to a target that stores, or shows, some fields in each other's place: with what was stored, they show
 * each other's values, and with those, what was stored.
 */
function crossedValues({ stored }: Change, fields: readonly BodyField[], seen: Contact): Change['stored'] | undefined {
  const shown = inForm(seen, fields)
  const valuesOf = (values: AnyRecord): string =>
    JSON.stringify(fields.map((field) => String(values[field])).toSorted())
  return fields.length > 1 && valuesOf(shown) === valuesOf(stored) ? { ...stored, ...shown } : undefined
}

function unlessItCannotBeTold(error: Error): undefined {
  if (!(error instanceof Unanswered || error instanceof NotExercised || error instanceof RunEnded)) throw error
}

function unlessNotAnswered(error: Error): NotAnswered {
  if (error instanceof NotAnswered) return error
  throw error
}

/** Takes a contact out of what is to be put back, where it is seen as it was. */
export function settleIfKept(trial: Trial, contact: Contact | undefined, owner: Company = trial.session.caller): void {
  const contactId = idOf(contact)
  const change = contactId === undefined ? undefined : trial.session.changes.find({ path: { contactId }, owner })
  if (contact && change && !change.isPending && !change.isSideEffect && isAsItWas(change, contact))
    settle(trial, change)
}

function settle(trial: Trial, change: Change): undefined {
  trial.session.changes.settle(change)
}

function isAsItWas(change: Change, seen: Contact): boolean {
  return leftFields(change, seen).length === 0
}

/**
 * The fields that are not as they were, and by the run: what others have changed meanwhile is theirs. What has been sent
 * back, the target may have cut short, or stored in other letters: that is no change of others'.
 */
function leftFields(change: Change, contact: Contact): BodyField[] {
  const { stored, sent, isPending, isSideEffect } = change
  return (Object.keys(sent) as BodyField[]).filter((field) => {
    if (isKept(field, stored, contact)) return false
    if (isSideEffect) return true
    const isSentBack = isPending === false && isOf(field, stored[field], contact)
    return (
      isTakenAway(change, field, contact) || isSentBack || sent[field]!.some((value) => isOf(field, value, contact))
    )
  })
}

/** Whether a text is gone, or a flag is off that was on and that an update has left out which was not refused. */
function isTakenAway({ stored, sent, isLikely }: Change, field: BodyField, contact: Contact): boolean {
  const shown: unknown = contact[field]
  const isLeftOut = isLikely && sent[field]?.length === 0
  const isTurnedOff = isLeftOut && asBoolean(stored[field]) === true && asBoolean(shown) === false
  return isTurnedOff || shown === undefined || shown === null || shown === ''
}

/** Whether a contact shows a value that was sent, or what became of it. */
export function isOf(field: BodyField, value: unknown, contact: Contact): boolean {
  if (isKept(field, { [field]: value }, contact)) return true
  // Letters beyond ASCII may have become question marks, and the end may be cut off. Others may write what begins alike.
  return [/[^\p{L}\p{N}]/gu, /[^a-z0-9]/gi].some((besides) => {
    const texts = [value, contact[field]].map((text) => String(text).replace(besides, ''))
    const [short, long] = texts.toSorted((a, b) => a.length - b.length) as [string, string]
    return short !== '' && long.startsWith(short) && (short === long || short.length >= LETTERS_THAT_TELL)
  })
}

/**
 * Sends what was stored until the target lets one form of it in. A contact may be locked for some seconds, which are waited
 * for with the whole of it: a form that holds less could be the first that comes when the lock is gone.
 */
async function isLetIn(
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
async function sendOnceUnlocked(session: Session, change: Change, body: object): Promise<Probe> {
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
async function sendForms(session: Session, change: Change, bodies: readonly object[]): Promise<Probe> {
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

/** What was stored, in every form in which an update may be accepted; what others have changed meanwhile stays as it is. */
function bodiesFor(change: Change, seen: Contact | undefined): object[] {
  const stored = Object.fromEntries(
    Object.entries(change.stored).map(([field, value]) => {
      // What the run has sent, a target may show in another form.
      const isOwn = !seen || (change.sent[field]?.length ?? 0) > 0 || isTakenAway(change, field as BodyField, seen)
      return [field, (isOwn ? undefined : storedValue(seen, field as BodyField)) ?? value]
    }),
  )
  return FORMS.map((form) => inForm(stored, form)).filter((body) => Object.keys(body).length > 0)
}

/**
 * A contact as its owner sees it now, or who owned it before it was moved.
 * @throws NotAnswered where no list can be looked through.
 */
async function lookUp(trial: Trial, change: Change): Promise<Contact | undefined> {
  for (const caller of ownersOf(trial.session, change)) {
    const contact = await lookUpAs(trial.session.as(caller), change)
    if (contact) return contact
  }
  return undefined
}

/**
 * The companies that a contact may belong to now: its own, and the main one, to which an update may have moved it, unless that has
 * shown a contact of its own by the same id before, as where ids are counted by company.
 */
function ownersOf(session: Session, { owner, path, stored, sent }: Change): ReadonlySet<Company> {
  const names = [stored['name'], ...(sent['name'] ?? [])]
  const isAnothers =
    owner !== 'main' &&
    session.evidence.answers.some(
      (answer) =>
        answer.exchange.operation === 'listContacts' &&
        answer.exchange.request.caller === 'main' &&
        recordsOf(session, 'listContacts', answer).some(
          ({ value }) => idOf(value) === path['contactId'] && !names.includes(value.name),
        ),
    )
  return new Set(isAnothers ? [owner] : [owner, 'main'])
}

/** Whether a token is of the company that a contact belonged to, as other contacts show. */
async function isOfItsCompany({ session }: Trial, { owner, stored }: Change): Promise<boolean> {
  const probe = await session.as(owner).attempt('listContacts')
  return recordsOf(session, 'listContacts', probe).some(
    ({ value: { companyId } }) => companyId !== undefined && sameValue(companyId, stored['companyId']),
  )
}

/** Looks for it by the names that it had and may have, then page by page, then in the plain list: any of these may hang. */
async function lookUpAs(session: Session, change: Change): Promise<Contact | undefined> {
  const { path, stored, sent } = change
  let isAnswered = false
  // A part of the whole list that can't be read may hold it.
  let isUnread = false
  let shownLess: Contact | undefined
  const isIt = (contact: Contact): boolean => idOf(contact) === path['contactId']
  const pageOf = async (query: Record<string, string>): Promise<Contact[] | undefined> => {
    const probe = await session.attempt('listContacts', { query }).catch((error: Error) => {
      if (!(error instanceof Unanswered)) throw error
      isUnread ||= !('searchParam' in query)
      return undefined
    })
    if (!probe?.success) return undefined
    isAnswered = true
    return recordsOf(session, 'listContacts', probe).map(({ value }) => value)
  }
  const walk = async (search: Record<string, string>): Promise<Contact | undefined> => {
    const seen = new Set<string | undefined>()
    // The first page may be number 0, and is then walked past where it is repeated.
    for (let number = 0; number <= session.settings.maxPages + PAGES_BEYOND; number++) {
      const page = await pageOf({ ...search, pageNumber: String(number) })
      const found = page?.find(isIt)
      if (found || (number > 0 && !page) || (number > 1 && page?.every((contact) => seen.has(idOf(contact)))))
        return found
      for (const contact of page ?? []) seen.add(idOf(contact))
    }
    return undefined
  }
  for (const name of new Set([stored['name'], sent['name']?.at(-1)])) {
    if (typeof name !== 'string' || askable(name) === undefined) continue
    const first = (await pageOf({ searchParam: name })) ?? []
    const found = first.find(isIt) ?? (first.length > 0 ? await walk({ searchParam: name }) : undefined)
    // A search may show less of it than the list does, or what it showed before.
    if (found && Object.keys(stored).every((field) => field in found) && isAsItWas(change, found)) return found
    shownLess ??= found
  }
  const found = (await walk({})) ?? (await pageOf({}))?.find(isIt) ?? shownLess
  if (!found && (isUnread || !isAnswered))
    throw new NotAnswered('listContacts', 'the list of contacts is not answered in a way that can be read')
  return found
}

function notKnown(change: Change, { message }: Error): string {
  const stored = Object.keys(change.sent).map((field) => `${field} was ${shown(change.stored[field])}`)
  return `${nameOf(change)}: ${message.replace(/\.$/, '')}; ${stored.join('; ')}`
}

/** A value as it is told; the journal has all of it. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'left out'
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

function whatIsLeft(change: Change, contact: Contact): string {
  const differences = leftFields(change, contact).map(
    (field) => `${field} is ${shown(contact[field])} and was ${shown(change.stored[field])}`,
  )
  return `${nameOf(change)}: ${differences.join('; ')}`
}

function nameOf({ path, owner }: ChangedRecord): string {
  return `contact ${path['contactId']}${owner === 'other' ? " of the second company's" : ''}`
}
