import type { Exchange } from '../../../engine/http/exchange.ts'
import { idOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import {
  canBePutBack,
  inForm,
  storedBody,
  UPDATE_TEXTS,
  type BodyField,
  type UpdateBody,
  type UpdateField,
} from './update-body.ts'
import { put } from './send-update.ts'
import { updatableContact, updateBody } from './learn-updates.ts'
import { settleIfKept } from '../../restoration/restore-contact.ts'
import { freshValues, TIED } from './fresh-values.ts'
import { ABSENT_IN_WORDS } from './kept.ts'
import { putBackAndLook } from './put-back.ts'
import { readBack } from './read-back.ts'
import { sharedValues } from './shared-values.ts'

interface NameChange {
  /** The name that was sent. */
  readonly name: string | undefined
  readonly exchange: Exchange
  readonly seen: Located<Schemas['Contact']> | undefined
}

/** What became of updates that leave fields out; undefined where they were refused, or not tried. */
interface LeftOut {
  /** Whether the field was kept; undefined where that can't be seen. */
  readonly isKept: boolean | undefined
  readonly withoutAText: NameChange | undefined
  /** The texts that it lacked, and what it sent. */
  readonly missing: readonly UpdateField[]
  readonly sent: UpdateBody
  /** Not tried where a field is not kept: a target that replaces would lose what it does not show. */
  readonly nameAlone: NameChange | undefined
  /** Whether fields are kept, and an update of one is accepted: alone, or beside what any update may need. */
  readonly takesParts: boolean
}

const NOT_TRIED: LeftOut = {
  isKept: undefined,
  withoutAText: undefined,
  missing: [],
  sent: {},
  nameAlone: undefined,
  takesParts: false,
}

/** What an update of one field may need beside it. */
const NEEDED: readonly BodyField[] = ['name', 'number', 'companyId']

/** A contact's values that an update of one field is sent beside, where it is refused without: of those that are accepted. */
export async function besideAPart(
  trial: Trial,
  { value }: Located<Schemas['Contact']>,
  shown: UpdateBody,
): Promise<UpdateBody> {
  const accepted = await updateBody(trial, value)
  return inForm(
    shown,
    NEEDED.filter((field) => field in accepted),
  )
}

/**
 * Leaves one text out of an update, once per pass: one which is known, and sent again. The name, which the update
 * changes, is put back by a body that holds the name alone, where fields are kept.
 */
export function updatesThatLeaveOut(trial: Trial): Promise<LeftOut> {
  return trial.session.remember('what is left out', async () => {
    const contact = await updatableContact(trial)
    const stored = storedBody(contact.value)
    const { name: old } = stored
    const { name } = await freshValues(trial, contact)
    const whole = await updateBody(trial, contact.value)
    // A name that is not among the stored values that are accepted may be refused when it is put back.
    if (old === undefined || name === undefined || whole.name === undefined) return NOT_TRIED
    const texts = UPDATE_TEXTS.filter((field) => field !== 'name' && !TIED.includes(field))
    const shared = await sharedValues(trial)
    const left = texts.findLast((field) => whole[field] !== '' && canBePutBack(field, whole[field], shared))
    const body = { ...Object.fromEntries(Object.entries(whole).filter(([field]) => field !== left)), name }
    const missing = texts.filter((field) => !(field in body) && stored[field])
    const leaveOut = () => changeName(trial, contact, body, { ...body, name: old })
    let withoutAText = missing.length === 0 ? undefined : await leaveOut()
    if (!withoutAText) return NOT_TRIED
    const areKept = (seen: Schemas['Contact'] | undefined): boolean | undefined =>
      seen?.name === name ? missing.every((field) => sameValue(seen[field], contact.value[field])) : undefined
    // What stands in their place may be what another contact was sent, which updates of both in turn are to show.
    if (areKept(withoutAText.seen?.value) === false && missing.some((field) => withoutAText?.seen?.value[field])) {
      await put(trial, contact.value, whole)
      withoutAText = (await leaveOut()) ?? withoutAText
    }
    const isKept = areKept(withoutAText.seen?.value)
    const nameAlone = isKept ? await changeName(trial, contact, { name: old }, { name }) : undefined
    const isTakenBesides = async (): Promise<boolean> =>
      (await put(trial, contact.value, await besideAPart(trial, contact, stored))).success
    const takesParts = isKept === true && (nameAlone !== undefined || (await isTakenBesides()))
    if (!nameAlone?.seen || !sameValue(nameAlone.seen.value.name, old)) await putBackAndLook(trial, contact, body)
    settleIfKept(trial, nameAlone?.seen?.value)
    return { isKept, withoutAText, missing, sent: body, nameAlone, takesParts }
  })
}

/** A target may replace what is left out by nothing, or by a default; not by the word for nothing, nor by what it was sent. */
export async function judgeLeftOut(trial: Trial): Promise<void> {
  const { withoutAText, missing, sent } = await updatesThatLeaveOut(trial)
  const seen = withoutAText?.seen
  for (const field of seen ? missing : []) {
    const { value, exchange, pointer } = seen!
    const shown = value[field] as unknown
    trial.count('values left out')
    if (typeof shown !== 'string' || shown === '') continue
    const isSent = shown === sent.name || shown === sent.number || shown === sent.email
    if (isSent || ABSENT_IN_WORDS.has(shown))
      trial.fail({
        message: `${field}, which an update left out, became ${isSent ? 'what was sent for another field' : 'a word for nothing'}`,
        expected: 'the value before, none, or a default',
        received: shown,
        exchange,
        pointer: `${pointer}/${field}`,
      })
  }
}

/** Sends a body with another name, and looks at the contact; undefined where it is refused. */
async function changeName(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  body: UpdateBody,
  before: UpdateBody,
): Promise<NameChange | undefined> {
  const { success, exchange } = await put(trial, contact.value, body)
  if (!success) return undefined
  return { name: body.name, exchange, seen: await readBack(trial, idOf(contact.value)!, body, before) }
}
