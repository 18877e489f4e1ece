import type { Change } from '../../engine/judging/changes.ts'
import { type Schemas, asBoolean } from '../../engine/data/records.ts'
import { isKept } from '../checks/updates/kept.ts'
import type { BodyField } from '../checks/updates/update-body.ts'

type Contact = Schemas['Contact']

/** So many letters at the beginning of another text are no accident. */
const LETTERS_THAT_TELL = 5

/** Whether a contact, as it is seen, holds nothing that the run has changed. */
export function isAsItWas(change: Change, seen: Contact): boolean {
  return leftFields(change, seen).length === 0
}

/**
 * The fields that are not as they were, and by the run: what others have changed meanwhile is theirs. What has been sent
 * back, the target may have cut short, or stored in other letters: that is no change of others'.
 */
export function leftFields(change: Change, contact: Contact): BodyField[] {
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
export function isTakenAway({ stored, sent, isLikely }: Change, field: BodyField, contact: Contact): boolean {
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
