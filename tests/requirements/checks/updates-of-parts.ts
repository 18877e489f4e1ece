import type { Exchange } from '../../engine/exchange.ts'
import { asBoolean, idOf, sameValue, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import {
  inForm,
  put,
  storedBody,
  updatableContact,
  updateBody,
  UPDATE_BOOLEANS,
  UPDATE_FIELDS,
  type UpdateBody,
  type UpdateField,
} from '../calls.ts'
import { settleIfKept } from '../restoration.ts'
import { choose } from './combinations.ts'
import { canBeUpdated, freshValues, TIED } from './fresh-values.ts'
import { isKept } from './kept.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { readBack } from './round-trip.ts'
import { updateEveryField } from './update-every-field.ts'

const ROUNDS = 6
const CHANNELS_TRIED = 3
/**
 * The rounds in which a field is sent: three of six, other ones for each field, so that each is sent once without any
 * other. Those of a flag have the first in them, which sends flags alone.
 */
const ROUNDS_OF_A_FIELD = choose([...Array(ROUNDS).keys()], ROUNDS / 2)

/** An accepted update of some fields alone. */
interface PartialUpdate {
  /** What the contact had before any of them. */
  readonly stored: UpdateBody
  readonly sent: UpdateBody
  readonly exchange: Exchange
  /** The contact as it was seen before. */
  readonly before: Schemas['Contact']
  /** Undefined where the contact is not listed any more. */
  readonly after: Located<Schemas['Contact']> | undefined
}

/**
 * Updates of some fields alone, one of a connection without its channel, one of each other channel, and one of none, where fields that are left out are kept: what is stored with others, or
 * changes others that are not sent, shows. Each field goes to a new value and back by turns.
 */
export function updatesOfParts(trial: Trial): Promise<readonly PartialUpdate[]> {
  return trial.session.remember('updates of parts', async () => {
    if ((await updatesThatLeaveOut(trial)).isKept !== true) return []
    const contact = await updatableContact(trial)
    const contactId = idOf(contact.value)!
    const stored = storedBody(contact.value)
    const fresh = await freshValues(trial, contact)
    const fields = await independentFields(trial, contact)
    const updates: PartialUpdate[] = []
    let shown: UpdateBody = stored
    const sentBefore: { [F in UpdateField]?: undefined } = {}
    let before = contact.value
    const send = async (values: UpdateBody): Promise<void> => {
      const { success, exchange } = await put(trial, contact.value, values)
      if (!success) return
      shown = { ...shown, ...values }
      // A copy that lags behind may still show what any of the updates before has changed.
      for (const field of Object.keys(values) as UpdateField[]) sentBefore[field] = undefined
      const after = await readBack(trial, contactId, shown, { ...shown, ...sentBefore })
      updates.push({ stored, sent: values, exchange, before, after })
      before = after?.value ?? before
    }
    for (let round = 0; round < ROUNDS; round++) {
      const part = fields.filter((_, at) => roundsOf(fields, at).includes(round))
      const values = part.map(
        (field) => [field, shown[field] === stored[field] ? fresh[field] : stored[field]] as const,
      )
      if (part.length > 0) await send(Object.fromEntries(values))
    }
    // A target that checks the connection against the channel may refuse the one without the other.
    if (fresh.chatappId !== undefined) await send({ chatappId: fresh.chatappId })
    for (const connection of await otherConnections(trial, [stored, fresh])) await send(connection)
    await send({})
    if (updates.length === 0) return updates
    await put(trial, contact.value, await updateBody(trial, contact.value, stored))
    settleIfKept(trial, (await readBack(trial, contactId, stored, shown))?.value)
    return updates
  })
}

/** Judges whether each update of some fields alone stored a field that it sent. */
export async function judgeSentAlone(trial: Trial, field: UpdateField): Promise<void> {
  for (const { sent, after, exchange } of await updatesOfParts(trial)) {
    if (sent[field] === undefined) continue
    trial.count('values')
    if (after && isKept(field, sent, after.value)) continue
    trial.fail({
      message: `${field} was accepted and then not read back as it was sent`,
      expected: sent[field],
      received: after ? after.value[field] : 'no such contact in the list',
      exchange: after?.exchange ?? exchange,
      pointer: after ? `${after.pointer}/${field}` : '',
    })
  }
}

/** Judges whether updates of some fields alone changed others; a target may keep texts and turn flags off that are not sent. */
export async function judgeNotSent(trial: Trial): Promise<void> {
  const updates = await updatesOfParts(trial)
  const { nameAlone } = await updatesThatLeaveOut(trial)
  const ofTheName = { sent: {}, before: (await updatableContact(trial)).value, after: nameAlone?.seen }
  const withoutFlags = [ofTheName, ...updates].filter(({ sent }) => !UPDATE_BOOLEANS.some((flag) => flag in sent))
  const keepsFlags = withoutFlags.some(({ before, after }) =>
    UPDATE_BOOLEANS.some((flag) => asBoolean(before[flag]) && asBoolean(after?.value[flag])),
  )
  for (const { sent, before, after } of updates) {
    if (!after) continue
    for (const field of UPDATE_FIELDS) {
      if (isFlag(field) && !keepsFlags) continue
      if (sent[field] !== undefined || before[field] === undefined || TIED.includes(field)) continue
      trial.count('fields')
      if (!isKept(field, inForm(before, [field]), after.value))
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

/** A connection of each channel that some contact has, other than some; one from which a contact can be moved back. */
async function otherConnections(trial: Trial, known: readonly UpdateBody[]): Promise<readonly UpdateBody[]> {
  const channels = new Set(known.map(({ channel }) => channel))
  const byChannel = new Map<string, Schemas['Contact']>()
  for (const { value } of (await trial.list('listContacts')).records) {
    const { channel, chatappId } = storedBody(value)
    if (idOf(value) !== undefined && channel !== undefined && chatappId !== undefined && !channels.has(channel))
      byChannel.set(channel, value)
  }
  const connections: UpdateBody[] = []
  for (const contact of [...byChannel.values()].slice(0, CHANNELS_TRIED))
    if (await canBeUpdated(trial, contact)) connections.push(inForm(storedBody(contact), TIED))
  return connections
}

/** Fields of a contact that an update has changed; a target may let nobody make a person a group any more. */
async function independentFields(trial: Trial, contact: Located<Schemas['Contact']>): Promise<readonly UpdateField[]> {
  const { trips } = await updateEveryField(trial)
  return UPDATE_FIELDS.filter((field) => {
    const { contactId, accepted, sent, stored, after } = trips.get(field) ?? {}
    const isOwn = accepted && contactId === idOf(contact.value) && !TIED.includes(field) && field !== 'isGroup'
    return isOwn && after && !sameValue(sent![field], stored![field]) && isKept(field, sent!, after.value)
  })
}

function roundsOf(fields: readonly UpdateField[], at: number): readonly number[] {
  const field = fields[at]!
  const place = fields.filter((one) => isFlag(one) === isFlag(field)).indexOf(field)
  return ROUNDS_OF_A_FIELD[isFlag(field) ? place : ROUNDS_OF_A_FIELD.length / 2 + place]!
}

function isFlag(field: UpdateField): boolean {
  return UPDATE_BOOLEANS.some((flag) => flag === field)
}
