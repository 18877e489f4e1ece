import { endOf, idInPath, isSuccess } from '../engine/exchange.ts'
import { DAY_MS } from '../engine/instants.ts'
import { askable, idOf, sameValue, type Located, type Schemas } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Trial } from '../engine/trial.ts'
import { bodyOf, put, updatesSent } from './send-update.ts'
import {
  inForm,
  storedBody,
  storedValue,
  UPDATE_BOOLEANS,
  UPDATE_FIELDS,
  UPDATE_TEXTS,
  type UpdateBody,
  type UpdateField,
} from './update-body.ts'
import { learnUpdates, updatableContact, updateBody } from './learn-updates.ts'
import { eventually, hasShownLate } from './checks/eventually.ts'
import { judgeOthers } from './checks/other-contacts.ts'
import { judgeSentAsItWas } from './checks/sent-as-it-was.ts'
import { isKept, normalised } from './checks/kept.ts'
import { judgeLeftOut, updatesThatLeaveOut } from './checks/left-out.ts'
import { judgeReadAsBefore } from './checks/read-as-before.ts'
import { judgeLasting } from './checks/lasting.ts'
import { failNotReadBack } from './checks/not-read-back.ts'
import { findContact, hasLostNone, walkAgain } from './checks/read-back.ts'
import { readBacksOf, roundTrips, type RoundTrip } from './checks/round-trip.ts'
import { judgeShownByAll } from './checks/shown-by-all.ts'
import { contactsOf, EMBEDDING, shownFields, staleFields, type Embedding } from './checks/shown-elsewhere.ts'
import { judgeNotSent, judgeSentAlone, updatesOfParts } from './checks/updates-of-parts.ts'
import { FOUND_BY, searchFor, type FoundBy } from './checks/found-when-updated.ts'
import { takenFields } from './checks/taken-fields.ts'
import { mayHide, updateEveryField } from './checks/update-every-field.ts'
import { judgeText, TEXTS, updatesWithTexts } from './checks/update-texts.ts'
import { updateOfFlags } from './checks/update-of-flags.ts'
import { judgeUpdateAfterAnother } from './checks/update-after-another.ts'
import { contactOfAnother, judgeValueOfAnother, OWN } from './checks/value-of-another.ts'
import { judgeUpdateOfNobody } from './checks/update-of-nobody.ts'
import { everyRecord } from './consistency.ts'
import { implied } from './implied.ts'
import { PLURAL, SEARCHED } from './operations.ts'
import { freshText, freshValues, TIED } from './checks/fresh-values.ts'
import { similarTo } from './unknown-value.ts'

/** What embeds a contact, in words. */
const PLACE: Readonly<Record<Embedding, string>> = {
  listSchedules: 'a schedule',
  listTags: 'a listed tag',
  getTag: 'a fetched tag',
}

/** An update of a contact can be read back, and changes that contact alone. */
export const updates: readonly Requirement[] = [
  ...UPDATE_TEXTS.map((field) =>
    update(field, `An updated ${field} is read back as it was sent.`, (trial) => judgeField(trial, field)),
  ),
  ...UPDATE_BOOLEANS.map((field) =>
    update(field, `An updated ${field} is read back as it was sent, true and false.`, (trial) =>
      judgeField(trial, field),
    ),
  ),
  ...TEXTS.map((kind) => update(`text-${kind.name}`, kind.title, (trial) => judgeText(trial, kind))),
  update(
    'wrong-type',
    'A value of another type than its field has is refused, or stored as one of the right type, and one that another contact has is refused, or stored; what is refused stores nothing, and is no success.',
    judgeWrongType,
  ),
  update(
    'same-contact',
    'An updated contact keeps its id, its creation and whatever the update does not change, in every list.',
    judgeSameContact,
  ),
  ...EMBEDDING.map((operation) => ({
    ...update(`embedded-by-${operation}`, `An updated contact shows so where ${PLACE[operation]} embeds it.`, (trial) =>
      judgeEmbedded(trial, operation),
    ),
    operations: ['updateContact', 'listContacts', operation] as const,
  })),
  update(
    'found',
    'A contact, and what is its own, is found by its updated name, and by its e-mail address and number where a search looks at these, and not by those that it has no more.',
    judgeFound,
  ),
  update(
    'lasts',
    'What an update has stored is there still when another contact has been updated, and in every answer once it had time to show.',
    judgeLasts,
  ),
  update('no-other', 'An update changes, creates and deletes nothing but what it names.', judgeOthers),
  update(
    'unknown-id',
    'An update of an id that no contact has is no success and creates no contact.',
    judgeUpdateOfNobody,
  ),
  {
    ...update('reading', 'Lists are filtered and searched after updates as they were before.', judgeReadAsBefore),
    operations: ['updateContact', ...SEARCHED],
  },
]

function update(name: string, title: string, check: Requirement['check']): Requirement {
  const operations = ['updateContact', 'listContacts'] as const
  return implied('updateContact', `update.${name}`, title, check, { operations, phase: 'write' })
}

async function judgeField(trial: Trial, field: UpdateField): Promise<void> {
  const trip = (await updateEveryField(trial)).trips.get(field)
  if (!trip || sameValue(trip.sent[field], trip.stored[field])) return trial.notExercised(await missing(trial, field))
  if (!trip.accepted)
    return trial.notExercised(
      `Needs an update of ${field} that is accepted; the target refused ${JSON.stringify(trip.sent[field])}.`,
    )
  await judgeReadBacks(trial, field, trip)
  const ofAnother = await updateOfFlags(trial, field)
  if (ofAnother?.accepted) await judgeReadBacks(trial, field, ofAnother)
  if (field === 'name') await judgeNameAlone(trial)
  await judgeSentAlone(trial, field)
  if (!trip.putBack)
    trial.notExercised(
      'Needs an update back to the stored values; the target refused them, and the contact is not as it was.',
    )
}

async function judgeLasts(trial: Trial): Promise<void> {
  const { lasting } = await updateEveryField(trial)
  if (!lasting)
    return trial.notExercised('Needs two contacts whose updates are accepted, one of several texts at once.')
  judgeLasting(trial, lasting)
  if (trial.findings.length > 0) return
  // Where all show at once, in places that embed the contact too, one answer tells as much as several.
  await updatesOfParts(trial)
  if (hasShownLate(trial.session)) await judgeShownByAll(trial)
}

async function judgeReadBacks(trial: Trial, field: UpdateField, trip: RoundTrip): Promise<void> {
  const explicit = await showsFalse(trial, field)
  const readBacks = readBacksOf(trip)
  // What is stored so the second time is the contact's value now, with which an update may not show it again.
  const isCutEachTime =
    readBacks.length > 1 && readBacks.every(([sent, seen]) => isCutShort(sent[field], seen?.value[field]))
  for (const [sent, seen] of readBacks) {
    if (!seen && sent === trip.sent && (await mayHide(trial, trip)))
      trial.notExercised(`Needs a list that goes on showing a contact whose ${field} is ${sent[field]}.`)
    // A target that shows no false value leaves it out: an optional field may be absent.
    if (sent[field] === false && seen?.value[field] === undefined && !explicit) continue
    trial.count('values')
    if (seen && isKept(field, sent, seen.value)) continue
    failNotReadBack(trial, {
      ...trip,
      message: `${field} was accepted and then not read back as it was sent`,
      field,
      sent,
      seen,
      once: isCutEachTime,
    })
  }
}

/** Whether only a part of a text is shown. */
function isCutShort(sent: unknown, shown: unknown): boolean {
  const isText = typeof sent === 'string' && typeof shown === 'string'
  return isText && shown !== '' && shown.length < sent.length && sent.includes(shown)
}

async function judgeEmbedded(trial: Trial, operation: Embedding): Promise<void> {
  const ofParts = (await updatesOfParts(trial)).flatMap(({ embedded = [] }) => embedded)
  for (const one of [...(await updateEveryField(trial)).embedded, ...ofParts]) {
    if (one.operation !== operation) continue
    const { now, before, tag } = one
    if (!now) {
      const { exchange, pointer, value } = tag!
      trial.count('fields')
      trial.fail({
        message: `an update took its contact from ${PLACE[operation].replace(/^a /, 'the ')} that embedded it`,
        expected: `the contact ${idOf(before)}`,
        received: `${contactsOf(value).length} other contact(s)`,
        exchange,
        pointer: `${pointer}/contacts`,
      })
      continue
    }
    const shown = { ...one, now }
    trial.count('fields', shownFields(shown).length)
    const { exchange, pointer, value } = now
    for (const field of staleFields(shown))
      trial.fail({
        message: `an updated ${field} is shown by the list of contacts, and ${PLACE[operation]} still embeds the old one`,
        expected: one.changed[field],
        received: value[field],
        exchange,
        pointer: `${pointer}/${field}`,
      })
    for (const field of takenFields(trial, one))
      trial.fail({
        message: `an update took ${field} from the contact that ${PLACE[operation]} embeds`,
        expected: one.changed[field] ?? before[field],
        received: value,
        exchange,
        pointer,
      })
  }
  if (trial.examined['fields']) return
  const bare = operation === 'listSchedules' ? 0 : tagsShownBare(trial, operation)
  if (bare >= BARE_TAGS) trial.count('tags with contacts, shown without', bare)
  else
    trial.notExercised(
      `Needs a contact that ${PLACE[operation]} embeds, before an update that is accepted and while it shows.`,
    )
}

/** A tag's contacts are optional: as many tags that have some leave no doubt that a place never shows any. */
const BARE_TAGS = 3

/** The tags whose contacts one of two operations shows, and the other never, of no tag at all. */
function tagsShownBare(trial: Trial, operation: 'listTags' | 'getTag'): number {
  const here = everyRecord(trial, operation, 'main').map(({ record }) => record)
  if (here.some((tag) => 'contacts' in tag)) return 0
  const there = everyRecord(trial, operation === 'getTag' ? 'listTags' : 'getTag', 'main')
  const bearing = new Set(there.flatMap(({ record }) => (contactsOf(record).length > 0 ? (idOf(record) ?? []) : [])))
  return new Set(here.map(idOf).filter((id) => id !== undefined && bearing.has(id))).size
}

/** A search that finds contacts by a field has to follow the update. */
async function judgeFound(trial: Trial): Promise<void> {
  const {
    trips,
    seen: { found },
  } = await updateEveryField(trial)
  for (const [what, isFound] of found) {
    const kind = what === 'listSchedules' || what === 'listTickets' ? PLURAL[what] : 'contacts'
    const field = what === 'email' || what === 'number' ? what : 'name'
    const { contactId, sent, exchange } = trips.get(field)!
    trial.count('searches')
    if (!isFound)
      trial.fail({
        message: `a search finds ${kind} by the ${field} of a contact, and those of an updated one not by its new ${field}`,
        expected: `${kind === 'contacts' ? 'the' : `${kind} of the`} contact ${contactId} for "${sent[field]}"`,
        received: 'none of them',
        exchange,
      })
  }
  for (const { foundBy, sent, exchange } of await updatesOfParts(trial)) {
    if (!foundBy) continue
    trial.count('searches')
    const { field, isFound } = foundBy
    if (!isFound)
      trial.fail({
        message: `a search does not find a contact by its new ${field}, where an update changed that without the name`,
        expected: `the contact for "${sent[field]}"`,
        received: 'not that contact',
        exchange,
      })
  }
  if (found.get('name'))
    for (const { isFound, sent, exchange } of (await updatesWithTexts(trial)).values())
      if (isFound === false)
        trial.fail({
          message:
            'a search does not find a contact by its new name with letters beyond ASCII, as it finds others by theirs',
          expected: `the contact for "${sent.name}"`,
          received: 'not that contact',
          exchange,
        })
  const lookedAt = FOUND_BY.filter((field) => found.get(field))
  await trial.each(lookedAt, (field) => judgeFormerValue(trial, field, trips.get(field)!))
  if (found.size === 0)
    trial.notExercised('Needs an updated name that is read back, and a search that finds contacts by their names.')
}

/**
 * The new value was put back since, and nobody has it: only what was kept of it finds a contact, unless a search takes for
 * alike what nobody ever had.
 */
async function judgeFormerValue(
  trial: Trial,
  field: FoundBy,
  { contactId, sent, putBack, restored }: RoundTrip,
): Promise<void> {
  const former = askable(sent[field])
  if (!putBack || former === undefined || !restored || JSON.stringify(restored.value).includes(former)) return
  const { isFound, exchange } = await eventually(
    trial.session,
    () => searchFor(trial, former, contactId),
    (last) => !last.isFound,
  )
  trial.count('searches')
  const another = isFound ? freshText(trial.random, field, former) : undefined
  if (another !== undefined && !(await searchFor(trial, another, contactId)).isFound)
    trial.fail({
      message: `a search finds a contact by the ${field} that it has no more`,
      expected: 'no such contact',
      received: `the contact ${contactId}`,
      exchange,
    })
}

/** Which fields an update needs is open; one that is accepted with the name alone, or without a text, stores the name. */
async function judgeNameAlone(trial: Trial): Promise<void> {
  const { withoutAText, nameAlone } = await updatesThatLeaveOut(trial)
  const updates = { 'with a text left out': withoutAText, 'on its own': nameAlone }
  for (const [how, one] of Object.entries(updates)) {
    if (one?.name === undefined) continue
    trial.count('values')
    if (!one.seen || !isKept('name', { name: one.name }, one.seen.value))
      trial.fail({
        message: `a name that was sent ${how} was accepted and then not read back`,
        expected: one.name,
        received: one.seen ? one.seen.value.name : 'no such contact in the list',
        exchange: one.exchange,
      })
  }
}

async function missing(trial: Trial, field: UpdateField): Promise<string> {
  if (TIED.includes(field)) return `Needs a contact that shows ${field}, and another with another ${field}.`
  const values = (await trial.list('listContacts')).records.map(({ value }) => value[field])
  const texts = values.flatMap((value) => (typeof value === 'string' && value !== '' ? [value] : []))
  if (texts.length > 0) {
    const how = texts.some((text) => text === normalised(text))
      ? ''
      : ': without double blanks, blanks at its ends or marks apart from their letters, which a target may store otherwise'
    return `Needs a contact whose ${field} is well-formed, so that it is accepted when it is put back${how}.`
  }
  return values.some((value) => typeof value === 'boolean')
    ? `Needs contacts whose updates are accepted with either value of ${field}.`
    : `Needs a contact that shows ${field}.`
}

async function showsFalse(trial: Trial, field: UpdateField): Promise<boolean> {
  return (await trial.list('listContacts')).records.some(({ value }) => value[field] === false)
}

/** What an update sends as it was, or leaves out where that is kept, stays as it was; and the whole list shows it too. */
async function judgeTheRest(trial: Trial): Promise<void> {
  const { trips, listed, seen } = await updateEveryField(trial)
  const withTexts = await updatesWithTexts(trial)
  for (const trip of new Set([...trips.values(), ...withTexts.values()])) {
    const { accepted, body, sent, stored, after } = trip
    if (!accepted || !after) continue
    judgeSentAsItWas(trial, trip)
    const inList = listed.get(trip)
    for (const field of UPDATE_FIELDS)
      if (
        inList &&
        body[field] !== undefined &&
        !sameValue(body[field], stored[field]) &&
        field in inList.value &&
        isKept(field, sent, after.value) &&
        !isKept(field, sent, inList.value)
      )
        trial.fail({
          message: `an updated ${field} is shown by a search and not by the list`,
          expected: sent[field],
          received: inList.value[field],
          exchange: inList.exchange,
          pointer: `${inList.pointer}/${field}`,
        })
  }
  for (const shown of seen.dated) {
    if ('notFound' in shown) {
      trial.fail({
        message: 'an updated contact is not found any more by the days around its creation',
        expected: 'the contact, which was created then',
        received: 'other contacts, or none',
        exchange: shown.notFound,
      })
      continue
    }
    for (const field of staleFields(shown))
      trial.fail({
        message: `an updated ${field} is read back, and the old one is shown where dates find the contact`,
        expected: shown.changed[field],
        received: shown.now.value[field],
        exchange: shown.now.exchange,
        pointer: `${shown.now.pointer}/${field}`,
      })
  }
}

/** What is done with such a value is open, but not what a contact then shows. */
async function judgeWrongType(trial: Trial): Promise<void> {
  const contact = await updatableContact(trial)
  const stored = storedBody(contact.value)
  const field = UPDATE_TEXTS.findLast((name) => stored[name] !== undefined && !TIED.includes(name))
  if (field === undefined) return trial.notExercised('Needs a contact that shows a text.')
  // What is wrong may be found after some of the rest has been stored, of which each update has other texts; a flag anybody may have changed.
  const { trips: plain } = await updateEveryField(trial)
  const changeable = UPDATE_TEXTS.filter((one) => plain.get(one)?.accepted && !TIED.includes(one))
  const besides = async (): Promise<UpdateBody> => inForm(await freshValues(trial, contact), changeable)
  const number = { ...(await besides()), [field]: trial.random.number.int({ min: 10_000, max: 99_999 }) }
  const { chatappId } = stored
  const noConnection =
    chatappId === undefined ? [] : [{ ...(await besides()), chatappId: similarTo(chatappId, trial.random) }]
  const contacts = await trial.list('listContacts')
  const taken: { field: (typeof OWN)[number]; of: typeof contact; body: UpdateBody }[] = []
  for (const one of OWN.filter((own) => changeable.includes(own))) {
    const of = contactOfAnother(one, contacts, contact)
    if (of) taken.push({ field: one, of, body: { ...(await besides()), [one]: String(of.value[one]) } })
  }
  const flag = UPDATE_BOOLEANS.find((one) => one !== 'isGroup' && stored[one] !== undefined)
  const noFlag = flag === undefined ? [] : [{ ...(await besides()), [flag]: 'yes' }]
  // What is likeliest to be accepted comes first, as it overwrites what a refusal before it may have stored.
  const wrong: UpdateBody[] = [number, { [field]: null }, ...taken.map(({ body }) => body), ...noConnection, ...noFlag]
  const trips = await roundTrips(
    trial,
    contact,
    wrong.map((changes) => ({ changes, refusable: true })),
  )
  for (const { accepted, carriedOut, after, exchange, sent } of trips) {
    trial.count('updates')
    const shown = after?.value[field] as unknown
    if (accepted && (typeof shown === 'number' || shown === null))
      trial.fail({
        message: `${shown === null ? 'null' : 'a number'} was stored where the field is a text`,
        expected: 'a refusal, or a text',
        received: shown,
        exchange: after?.exchange ?? exchange,
        pointer: after ? `${after.pointer}/${field}` : '',
      })
    if (accepted && !sameValue(sent.name, stored.name) && !(after && isKept('name', sent, after.value)))
      trial.fail({
        message: 'an update with a wrong value was accepted, and nothing of it stored',
        expected: `a refusal, or the name "${sent.name}"`,
        received: after?.value.name,
        exchange,
      })
    if (carriedOut)
      trial.fail({
        message: `an update with a wrong value was refused, and its ${carriedOut.field} stored`,
        expected: storedBody(contact.value)[carriedOut.field],
        received: carriedOut.contact.value[carriedOut.field],
        exchange,
      })
  }
  for (const { field: own, of, body } of taken) {
    const trip = trips.find(({ sent }) => sameValue(body[own], sent[own]))
    if (trip) await judgeValueOfAnother(trial, own, of, trip)
  }
}

async function judgeSameContact(trial: Trial): Promise<void> {
  const contact = await updatableContact(trial)
  const { altered } = await learnUpdates(trial)
  if (altered)
    trial.fail({
      message: `an update changed ${altered.field}, which it sent as it was shown`,
      expected: altered.sent[altered.field],
      received: altered.shown.value[altered.field],
      exchange: altered.shown.exchange,
      pointer: `${altered.shown.pointer}/${altered.field}`,
      once: true,
    })
  await judgeTheRest(trial)
  await judgeLeftOut(trial)
  await judgeNotSent(trial)
  await judgeUpdateAfterAnother(trial)
  const contactId = idOf(contact.value)!
  const { trips } = await updateEveryField(trial)
  const restored = [...trips.values()].map((trip) => trip.restored).findLast((one) => idOf(one?.value) === contactId)
  const { exchange, success } = restored
    ? { exchange: restored.exchange, success: true }
    : await put(trial, contact.value, await updateBody(trial, contact.value))
  const seen = restored ?? (await findContact(trial, contactId, [contact.value.name]))
  // One that is gone may have been deleted by others, but not one that others are told by another id.
  const other = seen ? undefined : await underAnotherId(trial, contact)
  if (!seen && (success || other || (await isGoneOnceUpdated(trial, contact))))
    return trial.fail({
      message: 'an updated contact is not listed under its id any more',
      expected: `the contact ${contactId}`,
      received: other ? `its name and number under the id ${idOf(other)}` : 'no such contact in the list',
      exchange,
    })
  if (!success || !seen)
    return trial.notExercised('Needs an update that is accepted; stored values sent back were refused.')
  trial.count('contacts')
  // As it was first seen: an update that changes it once does not change it again.
  const firstSeen = everyRecord(trial, 'listContacts', 'main').find(({ record }) => idOf(record) === contactId)?.record
  const [before, now] = [firstSeen?.['createdAt'] ?? contact.value.createdAt, seen.value.createdAt]
  if (before !== undefined && now !== undefined && !sameValue(before, now))
    trial.fail({
      message: 'an update changed when the contact was created',
      expected: before,
      received: now,
      exchange: seen.exchange,
      pointer: `${seen.pointer}/createdAt`,
    })
  const [lastBefore, last] = [firstSeen?.['updatedAt'], seen.value.updatedAt].map((time) => trial.instantOf(time))
  // A time to come that was shown before is none that an update keeps.
  if (lastBefore && last && last.latest + DAY_MS < Math.min(lastBefore.earliest, endOf(seen.exchange)))
    trial.fail({
      message: 'an update set back when the contact was last updated',
      expected: `${String(firstSeen!['updatedAt'])} or later`,
      received: seen.value.updatedAt,
      exchange: seen.exchange,
      pointer: `${seen.pointer}/updatedAt`,
    })
}

/**
 * Whether a contact is gone of which updates were accepted, and no other is that was not updated: who deletes some hits these
 * too. One whose flags were changed may be kept out of the list.
 */
async function isGoneOnceUpdated(trial: Trial, { value }: Located<Schemas['Contact']>): Promise<boolean> {
  const updates = updatesSent(trial).filter((one) => one.request.caller === trial.session.caller && isSuccess(one))
  const updated = new Set(updates.map(idInPath))
  const own = updates.filter((one) => idInPath(one) === idOf(value)).map(({ request }) => bodyOf(request))
  const areFlagsKept = own.every((body) =>
    UPDATE_BOOLEANS.every((flag) => [undefined, storedValue(value, flag)].includes(body?.[flag])),
  )
  return own.length > 0 && areFlagsKept && hasLostNone(trial, (id) => updated.has(id))
}

/** A contact with the name and number of one, and with an id that no contact had. */
async function underAnotherId(
  trial: Trial,
  { value: { name, number } }: Located<Schemas['Contact']>,
): Promise<Schemas['Contact'] | undefined> {
  const { byId } = await trial.list('listContacts')
  const { contacts } = await walkAgain(trial, askable(name) === undefined ? {} : { searchParam: name! })
  return contacts
    .map(({ value }) => value)
    .find((one) => one.name === name && one.number === number && !byId.has(idOf(one) ?? ''))
}
