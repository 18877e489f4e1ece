import { idInPath, type Exchange } from '../../../engine/http/exchange.ts'
import { asBoolean, idOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Probe } from '../../../engine/judging/session.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import {
  inForm,
  isFlag,
  storedBody,
  UPDATE_BOOLEANS,
  UPDATE_FIELDS,
  type UpdateBody,
  type UpdateField,
} from './update-body.ts'
import { put } from './send-update.ts'
import { updatableContact, updateBody } from './learn-updates.ts'
import { isFoundBy, type FoundBy } from '../after-updates/found-when-updated.ts'
import { firstUpdatable, freshValues, TIED } from './fresh-values.ts'
import { isKept, kept } from './kept.ts'
import { besideAPart, updatesThatLeaveOut } from './left-out.ts'
import { putBackAndLook } from './put-back.ts'
import { failNotReadBack } from './not-read-back.ts'
import { findContact, readBack } from './read-back.ts'
import { lookElsewhere, lookOnce, placesOf, type Embedded } from '../after-updates/shown-elsewhere.ts'
import { isReadBack, isTakenBack } from './round-trip.ts'
import { updateEveryField } from './update-every-field.ts'
import { listedWhileUpdated } from '../side-effects/watched-lists.ts'

/**
 * The contact is looked at after each group of updates: what one of them changes in fields of another group shows. Of any two
 * flags, each is sent once while both are as they were or both are turned, and once while one of them is.
 */
const GROUPS = [3, 0, 2, 1] as const
const CHANNELS_TRIED = 3
/**
 * Sent together and without others, one after the other: what one leaves of the fields of those before it shows at the end.
 * Names come later: what is stored for namesakes as well shows while they are called the same.
 */
const TOGETHER: readonly (readonly (readonly UpdateField[])[])[] = [
  [
    ['profilePicUrl', 'utmTerms'],
    ['utmSource', 'utmMedium'],
    ['utmCampaign', 'utmContent', 'utmTerms'],
  ],
  // One that is not active may be closed, and lose its bot.
  [['isOpen', 'isBotEnabled']],
  [
    ['name', 'email'],
    ['name', 'isAdmin'],
  ],
  // A messenger's picture is the number's.
  [['name', 'number']],
]

/** What a search may look at besides names. */
const SEARCHED_ALONE = ['email', 'number'] as const satisfies readonly FoundBy[]

/** An accepted update of some fields alone, or several, one after the other, of a field each. */
interface PartialUpdate {
  /** What the contact had before any of them. */
  readonly stored: UpdateBody
  /** The bodies that were accepted, and what they sent together. */
  readonly parts: readonly UpdateBody[]
  readonly sent: UpdateBody
  readonly exchange: Exchange
  /** The contact as it was seen before. */
  readonly before: Schemas['Contact']
  /** Undefined where the contact is not listed any more. */
  readonly after: Located<Schemas['Contact']> | undefined
  /** Whether a search found it by a new value of a field that searches look at, and that was sent without a name. */
  readonly foundBy?: { readonly field: FoundBy; readonly isFound: boolean }
  /** Values that were refused when they were sent alone, and stored all the same. */
  readonly refused?: RefusedPart | undefined
  /** After the last of them: the contact where schedules and tags embed it. */
  readonly embedded?: readonly Embedded[]
}

interface RefusedPart {
  readonly field: UpdateField
  readonly seen: Located<Schemas['Contact']>
  readonly exchange: Exchange
}

/**
 * Updates of each field alone, and of some together, one of a connection without its channel, one of each other channel,
 * and one of nothing, where fields that are left out are kept: what is stored only with others, or changes others, shows.
 */
export function updatesOfParts(trial: Trial): Promise<readonly PartialUpdate[]> {
  return trial.session.remember('updates of parts', async () => {
    if (!(await updatesThatLeaveOut(trial)).takesParts) return []
    const contact = await updatableContact(trial)
    const contactId = idOf(contact.value)!
    const stored = storedBody(contact.value)
    const fresh = await freshValues(trial, contact)
    const fields = await independentFields(trial, contact)
    const { found } = (await updateEveryField(trial)).seen
    const updates: PartialUpdate[] = []
    let shown: UpdateBody = stored
    const sentBefore: { [F in UpdateField]?: undefined } = {}
    let before = contact.value
    const send = async (bodies: readonly UpdateBody[]): Promise<void> => {
      const parts: UpdateBody[] = []
      let last: Exchange | undefined
      let refused: RefusedPart | undefined
      for (const values of bodies) {
        const { success, exchange, ...part } = await sendPart(trial, contact, values, shown)
        // An update before may have turned off what it did not send.
        if (part.refused && !isKept(part.refused.field, values, before)) refused ??= part.refused
        if (!success) continue
        last = exchange
        parts.push(values)
        shown = { ...shown, ...values }
      }
      if (!last) return
      const sent: UpdateBody = Object.assign({}, ...parts)
      // A copy that lags behind may still show what any of the updates before has changed.
      for (const field of Object.keys(sent) as UpdateField[]) sentBefore[field] = undefined
      const field =
        sent.name === undefined ? SEARCHED_ALONE.find((one) => sent[one] !== undefined && found.get(one)) : undefined
      const after = await readBack(trial, contactId, shown, { ...shown, ...sentBefore }, field && shown[field])
      const isFound = field && after && (await isFoundBy(trial, field, sent, after, before))
      const foundBy = field && isFound !== undefined && { foundBy: { field, isFound } }
      updates.push({ stored, parts, sent, exchange: last, before, after, refused, ...foundBy })
      before = after?.value ?? before
    }
    // What takes digits for a number loses the zero.
    const valueAlone = (field: UpdateField) =>
      field.startsWith('utm') ? `0${trial.random.string.numeric(8)}` : fresh[field]
    const alone = (some: readonly UpdateField[]) => send(some.map((field) => ({ [field]: valueAlone(field) })))
    const together = async (some: readonly UpdateField[], sets: (typeof TOGETHER)[number]): Promise<void> => {
      const bodies: UpdateBody[] = []
      for (const set of sets) {
        const own = set.filter((field) => some.includes(field))
        if (own.length > 1) bodies.push(inForm(await freshValues(trial, contact), own))
      }
      await send(bodies)
    }
    const [texts, ...others] = TOGETHER
    await together(fields, texts!)
    if (updates.length === 0) await alone(fields.includes('name') ? ['name'] : [])
    const keepsFlags = showsThatFlagsAreKept(updates)
    const inGroups = fields.filter((field) => keepsFlags || !isFlag(field))
    const ofGroup = (group: number) => inGroups.filter((field) => placeOf(field) % GROUPS.length === group)
    for (const sets of others) await together(inGroups, sets)
    // What is on or off at the end is to be so by updates that send it alone.
    const turned = UPDATE_BOOLEANS.filter((flag) => shown[flag] !== stored[flag])
    if (turned.length > 1) await send([inForm(stored, turned)])
    // Two flags of one group could be stored in each other's place.
    for (const group of GROUPS.slice(0, -1)) await alone(ofGroup(group))
    // Being active, which tells nothing of the others, comes first: the last one is on for the updates that send none.
    for (const flag of fields.filter((field) => !inGroups.includes(field)).toReversed()) await alone([flag])
    // What was not moved before may not be moved back; and the connection may be refused without the channel.
    const { trips } = await updateEveryField(trial)
    const moved = TIED.filter((field) => fresh[field] !== undefined)
    const isMovable = moved.every((field) => isReadBack(trips.get(field), field))
    await alone([
      ...ofGroup(GROUPS.at(-1)!),
      ...(isMovable && moved.includes('chatappId') ? (['chatappId'] as const) : []),
    ])
    const connections = isMovable ? await otherConnections(trial, [stored, fresh]) : []
    for (const connection of connections.slice(0, -1)) await send([connection])
    const open = inGroups.includes('isOpen') ? [inForm(stored, ['isOpen'])] : []
    const group = keepsFlags && isTakenBack(trips.get('isGroup'), 'isGroup') ? [inForm(fresh, ['isGroup'])] : []
    // What is kept of these answers must not outlast updates without a name.
    await trial.each(await placesOf(trial, contactId), (place) => lookOnce(trial, contactId, place))
    await send([...connections.slice(-1), ...group, ...open, {}])
    const last = updates.pop()
    if (!last) return updates
    updates.push({
      ...last,
      embedded: last.after ? await lookElsewhere(trial, contactId, kept(shown, last.after)) : [],
    })
    await listedWhileUpdated(trial)
    await putBackAndLook(trial, contact, shown)
    return updates
  })
}

/** Sends some values alone, or beside others where they are refused without. */
export async function sendPart(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  values: UpdateBody,
  shown: UpdateBody,
): Promise<Probe & { readonly refused?: RefusedPart | undefined }> {
  const alone = await put(trial, contact.value, values)
  if (alone.success) return alone
  const refused = await storedThoughRefused(trial, contact, values, shown, alone.exchange)
  return { ...(await put(trial, contact.value, { ...(await besideAPart(trial, contact, shown)), ...values })), refused }
}

/** Whether a part that is refused alone was stored: looked at once per pass, of the texts and of the flags. */
async function storedThoughRefused(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  values: UpdateBody,
  shown: UpdateBody,
  exchange: Exchange,
): Promise<RefusedPart | undefined> {
  const fields = Object.keys(values) as UpdateField[]
  const looked = await trial.session.remember(
    `refused part of ${fields.every(isFlag) ? 'flags' : 'texts'}`,
    async () => ({
      values,
      seen: await findContact(trial, idOf(contact.value)!, [values.name, shown.name]),
    }),
  )
  const { seen } = looked
  if (looked.values !== values || !seen) return undefined
  const field = fields.find((one) => isKept(one, values, seen.value) && !isKept(one, shown, seen.value))
  return field && { field, seen, exchange }
}

/** Judges whether an update of a field alone stored it. */
export async function judgeSentAlone(trial: Trial, field: UpdateField): Promise<void> {
  for (const { sent, after, exchange } of await updatesOfParts(trial)) {
    if (sent[field] === undefined) continue
    trial.count('values')
    if (after && isKept(field, sent, after.value)) continue
    failNotReadBack(trial, {
      message: `${field} was sent without all the others, accepted, and then not read back as it was sent`,
      contactId: idInPath(exchange),
      field,
      sent,
      seen: after,
      exchange,
    })
  }
}

/** Judges whether updates of some fields alone changed others; a target may keep texts and turn flags off that are not sent. */
export async function judgeNotSent(trial: Trial): Promise<void> {
  const updates = await updatesOfParts(trial)
  const keepsFlags = showsThatFlagsAreKept(updates)
  for (const update of updates) {
    const { sent, before, after, refused } = update
    if (refused)
      trial.fail({
        message: `an update of ${refused.field} without others was refused, and stored`,
        expected: before[refused.field],
        received: refused.seen.value[refused.field],
        exchange: refused.exchange,
      })
    if (!after) continue
    const isSent = (field: UpdateField): boolean => sent[field] !== undefined
    for (const field of UPDATE_FIELDS) {
      if (isFlag(field) && !keepsFlags) continue
      if (isSent(field) || before[field] === undefined || (TIED.includes(field) && TIED.some(isSent))) continue
      // A messenger's picture is the number's.
      if (field === 'profilePicUrl' && isSent('number')) continue
      trial.count('fields')
      if (!isKept(field, inForm(before, [field]), after.value) && (await happensTwiceMore(trial, update, field)))
        trial.fail({
          message: `an update changed ${field}, which it did not send, as others that are not sent are kept`,
          expected: before[field],
          received: after.value[field],
          exchange: after.exchange,
          pointer: `${after.pointer}/${field}`,
        })
    }
  }
}

/** Whether a field is changed each time: others may edit the contact at any time, and what shows late takes long to see. */
async function happensTwiceMore(trial: Trial, update: PartialUpdate, field: UpdateField): Promise<boolean> {
  return (await happensAgain(trial, update, field)) && happensAgain(trial, update, field)
}

/** Whether the same update, from what is stored, changes a field again. */
async function happensAgain(
  trial: Trial,
  { parts, sent, before }: PartialUpdate,
  field: UpdateField,
): Promise<boolean> {
  const contact = await updatableContact(trial)
  // An update before may have turned a flag on, which alone shows that this one turns it off.
  const was = isFlag(field) ? inForm(storedBody(before), [field]) : {}
  const own = storedBody(contact.value)
  const stored = { ...own, ...was }
  const contactId = idOf(contact.value)!
  await put(trial, contact.value, await updateBody(trial, contact.value, was))
  const from = await readBack(trial, contactId, stored, { ...stored, ...sent })
  for (const part of parts) await sendPart(trial, contact, part, stored)
  const after = await readBack(trial, contactId, { ...stored, ...sent }, stored)
  await put(trial, contact.value, await updateBody(trial, contact.value, inForm(own, [field])))
  return from !== undefined && after !== undefined && !isKept(field, storedBody(from.value), after.value)
}

/** Whether a flag was still on where an update showed that sent no flags; one of nothing may not show yet. */
export function showsThatFlagsAreKept(updates: readonly PartialUpdate[]): boolean {
  return updates.some(({ sent, before, after }) => {
    const fields = Object.keys(sent) as UpdateField[]
    if (!after || fields.length === 0 || fields.some((field) => isFlag(field) || !isKept(field, sent, after.value)))
      return false
    // Of a target that turns off what is not sent, a contact may be active all the same.
    return UPDATE_BOOLEANS.some((flag) => flag !== 'active' && asBoolean(before[flag]) && asBoolean(after.value[flag]))
  })
}

/**
 * A connection of each channel that some contact has, other than some; one from which a contact can be moved back. What it
 * shows none of, none could take from it again.
 */
async function otherConnections(
  trial: Trial,
  known: readonly [UpdateBody, UpdateBody],
): Promise<readonly UpdateBody[]> {
  if (TIED.some((field) => known[0][field] === undefined)) return []
  const channels = new Set(known.map(({ channel }) => channel))
  const byChannel = new Map<string, Located<Schemas['Contact']>>()
  for (const contact of (await trial.list('listContacts')).records) {
    const { channel, chatappId } = storedBody(contact.value)
    if (idOf(contact.value) !== undefined && channel !== undefined && chatappId !== undefined && !channels.has(channel))
      byChannel.set(channel, contact)
  }
  const connections: UpdateBody[] = []
  for (const contact of [...byChannel.values()].slice(0, CHANNELS_TRIED)) {
    const now = await firstUpdatable(trial, [contact])
    if (now) connections.push(inForm(storedBody(now.value), TIED))
  }
  return connections
}

/** Fields of a contact that an update has changed; but whether it is a group, which some targets never change back. */
async function independentFields(trial: Trial, contact: Located<Schemas['Contact']>): Promise<readonly UpdateField[]> {
  const { trips } = await updateEveryField(trial)
  return UPDATE_FIELDS.filter((field) => {
    const trip = trips.get(field)
    if (trip?.contactId !== idOf(contact.value) || TIED.includes(field) || field === 'isGroup') return false
    return !sameValue(trip?.sent[field], trip?.stored[field]) && isReadBack(trip, field)
  })
}

/** The place of a field among those of its kind. */
function placeOf(field: UpdateField): number {
  return UPDATE_FIELDS.filter((one) => isFlag(one) === isFlag(field) && one !== 'isGroup').indexOf(field)
}
