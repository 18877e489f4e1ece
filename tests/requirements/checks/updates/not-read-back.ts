import type { Exchange } from '../../../engine/http/exchange.ts'
import type { Located, Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { UpdateBody, UpdateField } from './update-body.ts'
import { noteStoredOtherwise } from '../side-effects/side-effects.ts'

/** An accepted update of a field that the contact does not show. */
interface NotReadBack {
  readonly message: string
  readonly contactId: string
  readonly field: UpdateField
  readonly sent: UpdateBody
  readonly seen: Located<Schemas['Contact']> | undefined
  /** The update's. */
  readonly exchange: Exchange
  readonly once?: boolean
}

/** Reports a value that was accepted and then not read back; where the contact is gone, others may have deleted it. */
export function failNotReadBack(
  trial: Trial,
  { message, contactId, field, sent, seen, exchange, once = false }: NotReadBack,
): void {
  const draft = { message, expected: sent[field], once }
  if (seen && trial.session.run.isConfirming) noteStoredOtherwise(trial.session.run, field)
  if (seen)
    return trial.fail({
      ...draft,
      received: seen.value[field],
      exchange: seen.exchange,
      pointer: `${seen.pointer}/${field}`,
    })
  trial.differ(
    { ...draft, received: 'no such contact in the list', exchange },
    { operation: 'listContacts', listed: contactId },
  )
}
