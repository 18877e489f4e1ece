import { idInPath, isSuccess, type Exchange } from '../../../engine/http/exchange.ts'
import { COMPANIES, type Company } from '../../../engine/http/credentials.ts'
import { grouped } from '../../../engine/data/grouped.ts'
import { orElse } from '../../../engine/or-else.ts'
import { idOf, idsOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { beginChange, bodyOf, put, updatesSent } from '../updates/send-update.ts'
import { storedBody, UPDATE_FIELDS, type UpdateBody, type UpdateField } from '../updates/update-body.ts'
import { updatableContact } from '../updates/learn-updates.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { similarTo } from '../../unknown-value.ts'
import { settleIfKept } from '../../restoration/restore-contact.ts'
import { editedByOthers } from './edited-by-others.ts'
import { freshValues, TIED } from '../updates/fresh-values.ts'
import { judgeLeftAlone } from './left-alone.ts'
import { updatesThatLeaveOut } from '../updates/left-out.ts'
import { othersList } from '../tokens/other-company.ts'
import { findContact, readBack, walkAgain } from '../updates/read-back.ts'
import { type RoundTrip } from '../updates/round-trip.ts'
import { judgeTakenFromTags } from './taken-from-tags.ts'
import { contactsOf, EMBEDDING } from '../after-updates/shown-elsewhere.ts'
import { noteSideEffect, textsMadeUp } from './side-effects.ts'
import { updateEveryField } from '../updates/update-every-field.ts'
import { otherContacts, otherLists, touchedContacts } from './watched-lists.ts'
import { updatesOfParts } from '../updates/updates-of-parts.ts'

type Contact = Schemas['Contact']

/** Fewer contacts that change in the same way may have been changed by somebody else. */
const MOST = 3

/** A text as long as this shows whose it is in whatever field, and as a part of another text. */
const UNMISTAKABLE = 10

/**
 * Another contact that takes on a text that was sent has been changed by the update, since nobody else could have sent
 * it. Other changes may be anybody's, unless most contacts change in the same way at once.
 */
export async function judgeOthers(trial: Trial): Promise<void> {
  const {
    trips,
    seen: { walks, ofTheOther },
    until,
  } = await updateEveryField(trial)
  const sent = textsSent(trial, [
    ...new Set(trips.values()),
    ...(await updatesOfParts(trial)),
    ...(await updatesWithNewNames(trial)),
  ])
  // Be it of stored values, which the target may write in another notation.
  const updates = everyUpdate(trial)
  const updated = new Set(updates.map(({ contactId }) => contactId))
  const untouched = walks.map((walk) => walk.filter(({ value }) => !updated.has(idOf(value) ?? '')))
  judgeWalks(trial, untouched, 'main')
  judgeWalks(trial, ofTheOther, 'other')
  for (const caller of COMPANIES) await judgeTexts(trial, sent, caller)
  await judgeListedOnce(trial, walks, updated)
  await judgeIdInBody(trial)
  const changed = updates.filter(({ number, mayBeStored }) => mayBeStored && number <= until)
  const changedIds = new Set(changed.map(({ contactId }) => contactId))
  const lists = [
    ...(await otherLists(trial, updates)),
    await otherContacts(trial, whose('main'), { walks, updated: changedIds }),
    // On live data, others touch contacts all the time.
    ...(trial.session.dataset ? [touchedContacts(trial, whose('main'), { walks, updated: changedIds })] : []),
    ...(ofTheOther.length > 0
      ? [await otherContacts(trial.as('other'), whose('other'), { walks: ofTheOther, updated: changedIds })]
      : []),
  ]
  await judgeLeftAlone(trial, lists, trips.values(), changedIds)
  if (trial.findings.length === 0) await judgeTakenFromTags(trial)
  if (!trial.examined['other contacts']) trial.notExercised('Needs an update that is accepted, and a second contact.')
}

/**
 * An update of the second company's contact changes no other: those on a page that was shown before and since are compared, and
 * no contact, be it of the main company, takes on a text that was sent.
 */
export async function judgeOthersOfSecond(
  trial: Trial,
  pages: readonly (readonly Located<Contact>[])[],
  trip: RoundTrip,
): Promise<void> {
  const others = pages.map((page) => page.filter(({ value }) => idOf(value) !== trip.contactId))
  judgeWalks(trial, others, 'other')
  for (const caller of COMPANIES) await judgeTexts(trial, textsSent(trial, [trip]), caller)
}

/** What is told of a contact that an update has nothing to do with. */
function whose(caller: Company): string {
  return caller === 'main' ? 'another contact' : "the other company's contacts"
}

/** What is counted as examined. */
function nounOf(caller: Company): string {
  return caller === 'main' ? 'other contacts' : whose(caller)
}

/** Judges a list before any update against the same list after some. */
function judgeWalks(
  trial: Trial,
  [before = [], ...later]: readonly (readonly Located<Contact>[])[],
  caller: Company,
): void {
  const known = new Map(before.map((contact) => [idOf(contact.value), contact]))
  trial.count(
    nounOf(caller),
    later.reduce((sum, walk) => sum + walk.length, 0),
  )
  const isEdited = editedByOthers(trial, before)
  for (const walk of later) {
    // On a list that moves, one contact may be met on many pages.
    const met = new Map(walk.map((contact) => [idOf(contact.value), contact])).values()
    const pairs = [...met].map(({ value, exchange }): Pair => ({ was: known.get(idOf(value)), value, exchange }))
    // The same answer that came before is the same value.
    const moved = pairs.filter(({ was, value }) => was?.value !== value && !(was && isEdited(was.value, value)))
    for (const field of trial.session.contract.comparableFields('Contact') as (keyof Contact)[]) {
      if (field === 'updatedAt') continue
      for (const changed of changedAlike(pairs, moved, field))
        for (const { was, value, exchange } of changed) report(trial, was?.value, field, value, exchange, caller)
    }
  }
}

/** So often a contact is met twice that is not on its way from one page to another. */
const TIMES_TWICE = 2

/** An updated contact is in the list once, as it was before any update. */
async function judgeListedOnce(
  trial: Trial,
  walks: readonly (readonly Located<Contact>[])[],
  updated: ReadonlySet<string>,
): Promise<void> {
  const twice = (contacts: readonly Located<Contact>[] = []): readonly Located<Contact>[] =>
    grouped(contacts, ({ value }) => idOf(value) ?? '').flatMap(([id, [, again]]) =>
      again && updated.has(id) ? [again] : [],
    )
  const known = idsOf((await trial.list('listContacts')).repeated)
  let found = twice(walks.at(-1)).filter(({ value }) => !known.has(idOf(value)))
  for (let time = 0; time < TIMES_TWICE && found.length > 0; time++) {
    const still = twice((await walkAgain(trial)).contacts)
    found = found.filter(({ value }) => still.some((one) => idOf(one.value) === idOf(value)))
  }
  for (const { value, exchange, pointer } of found)
    trial.fail({
      message: 'an updated contact is listed twice',
      expected: `the contact ${idOf(value)} once, as before`,
      received: 'the same contact again, each time',
      exchange,
      pointer,
      // The list of the next pass is one of after the update.
      once: true,
    })
}

/** Every contact that a company was shown: in its list, and since the first update wherever one is embedded. */
function everyContact(
  trial: Trial,
  caller: Company,
): readonly { readonly record: Contact; readonly exchange: Exchange }[] {
  const first = updatesSent(trial)[0]?.number ?? Infinity
  const embedding = EMBEDDING.flatMap((operation) =>
    everyRecord(trial, operation, caller).filter(({ exchange }) => exchange.number > first),
  )
  const embedded = embedding.flatMap(({ record, exchange }) => {
    const { contact, contacts } = record as { readonly contact?: Contact; readonly contacts?: unknown }
    return [...(contact ? [contact] : []), ...contactsOf({ contacts })].map((one) => ({ record: one, exchange }))
  })
  return [...everyRecord(trial, 'listContacts', caller), ...embedded].filter(({ record }) => idOf(record) !== undefined)
}

/** Judges every answer with contacts that a company was given, and notes the contacts that took on a text. */
async function judgeTexts(trial: Trial, sent: readonly SentText[], caller: Company): Promise<void> {
  const shown = everyContact(trial, caller)
  const known = new Map(shown.toReversed().map((first) => [idOf(first.record), first.record]))
  const reported = new Set<string>()
  trial.count('contacts shown', shown.length)
  for (const { record } of shown) {
    const texts = UPDATE_FIELDS.map((name) => String(record[name])).join('\n')
    for (const { contactIds, field, text, exchange } of sent) {
      if (!texts.includes(text)) continue
      const shows = (contact: Contact, name: UpdateField): boolean =>
        contact[name] === text || (text.length >= UNMISTAKABLE && String(contact[name]).includes(text))
      if (contactIds.has(idOf(record)!)) continue
      const first = known.get(idOf(record))!
      const was = first === record ? undefined : first
      const taken = [field, ...UPDATE_FIELDS].find((name) => shows(record, name) && !(was && shows(was, name)))
      // Where every update goes to every contact, each shows dozens of texts, and in every answer.
      const place = `${idOf(record)} ${taken}`
      if (taken === undefined || reported.has(place)) continue
      reported.add(place)
      report(trial, was, taken, record, exchange, caller)
    }
  }
}

/** Which contact is updated the path says, whatever the body names, be it a contact of the other company. */
async function judgeIdInBody(trial: Trial): Promise<void> {
  const contact = await updatableContact(trial)
  const contactId = idOf(contact.value)!
  const { records, byId } = await trial.list('listContacts')
  const own = records.find(({ value }) => value.name && idOf(value) && idOf(value) !== contactId)
  const strangers = (await orElse(othersList(trial, 'listContacts'), undefined)) ?? []
  const stranger = strangers.find(({ value }) => value.name && idOf(value) && !byId.has(idOf(value)!))
  const named = { main: own, other: stranger }
  // Beside other fields of the one contact, the other's id may be refused.
  if ((!own && !stranger) || !(await updatesThatLeaveOut(trial)).nameAlone) return
  const { name } = await freshValues(trial, contact)
  if (name === undefined || !(await keepsItsId(trial, contact, { name }))) return
  for (const owner of COMPANIES) {
    const value = named[owner]?.value
    if (!value) continue
    beginChange(trial, value, { ...storedBody(value), name }, owner)
    await put(trial, contact.value, { name, id: value.id })
    trial.count(nounOf(owner))
    const seen = await findContact(trial.as(owner), idOf(value)!, [value.name])
    if (seen && seen.value.name === name) report(trial, value, 'name', seen.value, seen.exchange, owner)
    else settleIfKept(trial, seen?.value)
  }
  await put(trial, contact.value, { name: contact.value.name })
  settleIfKept(trial, (await findContact(trial, contactId, [contact.value.name]))?.value)
}

/** Whether a contact stays under its id where an update's body names one that nobody has: only then may another's be named. */
async function keepsItsId(trial: Trial, { value }: Located<Contact>, body: UpdateBody): Promise<boolean> {
  const contactId = idOf(value)!
  const stray = similarTo(contactId, trial.random)
  const { success, exchange } = await put(trial, value, { ...body, id: stray })
  if (!success || (await readBack(trial, contactId, body, { name: value.name }))?.value.name === body.name) return true
  const moved = await findContact(trial, stray, [body.name, value.name])
  if (!moved) {
    trial.fail({
      message: 'an update whose body named an id, besides that of its path, was accepted, and not stored',
      expected: `a refusal, or the name "${body.name}" of the contact ${contactId}, as the path says`,
      received: `the name "${value.name}"`,
      exchange,
    })
    return false
  }
  trial.fail({
    message: 'an update gave a contact the id that its body named',
    expected: `the contact ${contactId}, as the path says`,
    received: `the contact ${stray}`,
    exchange,
    once: true,
  })
  const back = { ...storedBody(value), id: value.id }
  await trial.session.attempt('updateContact', { path: { contactId: stray }, body: back })
  settleIfKept(trial, (await findContact(trial, contactId, [value.name]))?.value)
  return false
}

/** A text of an update that no other contact can hold by chance, and the contacts to which it was sent. */
interface SentText {
  readonly contactIds: ReadonlySet<string>
  readonly field: UpdateField
  readonly text: string
  readonly exchange: Exchange
}

function textsSent(trial: Trial, updates: readonly Pick<RoundTrip, 'sent' | 'stored' | 'exchange'>[]): SentText[] {
  const all = everyUpdate(trial)
  return updates.flatMap(({ sent, stored, exchange }) =>
    UPDATE_FIELDS.flatMap((field) => {
      const text = sent[field]
      if (typeof text !== 'string' || text === stored[field] || TIED.includes(field)) return []
      // In whatever field, and in small letters too: a word may come again in another pass.
      const isSent = ({ body }: SentUpdate): boolean =>
        Object.values(body ?? {}).some((value) => String(value).toLowerCase().includes(text.toLowerCase()))
      const contactIds = new Set(all.filter(isSent).map(({ contactId }) => contactId))
      return [{ contactIds, field, text, exchange }]
    }),
  )
}

/** Updates of the names of whatever contacts, be it of one with a namesake, with names that nobody had, nor gave, before. */
async function updatesWithNewNames(trial: Trial): Promise<readonly Pick<RoundTrip, 'sent' | 'stored' | 'exchange'>[]> {
  const { byId } = await trial.list('listContacts')
  const madeUp = textsMadeUp(trial).get('name')!
  const named = updatesSent(trial).flatMap((exchange) => {
    const [name, contact] = [bodyOf(exchange.request)?.name, byId.get(idInPath(exchange))]
    const isTelling = contact && typeof name === 'string' && name.length >= UNMISTAKABLE && madeUp.has(name)
    return isTelling ? [{ sent: { name }, stored: storedBody(contact.value), exchange }] : []
  })
  return grouped(named, ({ sent: { name } }) => name).map(([, [first]]) => first!)
}

interface SentUpdate {
  /** Of its exchange. */
  readonly number: number
  readonly contactId: string
  readonly body: UpdateBody | null
  readonly mayBeStored: boolean
}

/** Every update that was sent, by either company, accepted or not. */
function everyUpdate(trial: Trial): readonly SentUpdate[] {
  return updatesSent(trial).map((exchange) => ({
    number: exchange.number,
    contactId: idInPath(exchange),
    body: bodyOf(exchange.request),
    mayBeStored: isSuccess(exchange) || exchange.failure !== undefined,
  }))
}

/** A contact before any update, undefined where it was not there, and later. */
interface Pair {
  readonly was: Located<Contact> | undefined
  readonly value: Contact
  readonly exchange: Exchange
}

/** What contacts may have in common with the updated one, by which an update may reach them. */
const IN_COMMON = ['chatappId', 'channel', 'isGroup', 'name'] as const

/**
 * Contacts that have all come to the same value of a field, where these are more than half of those that could, or all
 * of those that could and have something in common.
 */
function changedAlike(pairs: readonly Pair[], moved: readonly Pair[], field: keyof Contact): (readonly Pair[])[] {
  const valueOf = (contact: Contact, name = field): string => JSON.stringify(contact[name] ?? null)
  const changed = moved.filter(({ was, value }) => was && !sameValue(was.value[field], value[field]))
  return grouped(changed, ({ value }) => valueOf(value)).flatMap(([key, alike]) => {
    if (alike.length < MOST) return []
    const others = pairs.flatMap(({ was }) => (was && valueOf(was.value) !== key ? [was.value] : []))
    const isWhole = IN_COMMON.some((name) => {
      const common = new Set(alike.map(({ was }) => valueOf(was!.value, name)))
      return common.size === 1 && others.filter((one) => common.has(valueOf(one, name))).length === alike.length
    })
    return isWhole || alike.length * 2 > others.length ? [alike] : []
  })
}

function report(
  trial: Trial,
  was: Contact | undefined,
  field: keyof Contact,
  now: Contact,
  exchange: Exchange,
  caller: Company = 'main',
): void {
  const updated = UPDATE_FIELDS.find((one) => one === field)
  if (was && updated) noteSideEffect(trial.as(caller), was, updated, now)
  trial.fail({
    message: was ? `an update changed ${field} of ${whose(caller)} too` : 'an update created a contact',
    expected: was ? was[field] : 'no contact that was not there before',
    received: now[field],
    record: idOf(now),
    exchange,
    once: true,
  })
}
