import { endOf, idInPath, type Exchange } from '../../../engine/http/exchange.ts'
import { everyRecord, type Placed } from '../../../engine/data/every-record.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import { orElse } from '../../../engine/or-else.ts'
import { idOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatesSent } from '../updates/send-update.ts'
import { inForm, storedBody, UPDATE_FIELDS, WHOLE, type UpdateField } from '../updates/update-body.ts'
import { pageAgain, walkAgain } from '../updates/read-back.ts'
import { changeOthers } from '../side-effects/side-effects.ts'

type Contact = Located<Schemas['Contact']>

/** In so short a time, others will hardly have changed what was listed. */
const RECENT_MS = 2000

/** A company's contacts as they are before any update, asked for again where they were listed a while ago. */
export function contactsBeforeUpdates(trial: Trial): Promise<readonly Contact[]> {
  return trial.session.remember('contacts before updates', async () => {
    const { records, exchange } = await trial.list('listContacts')
    if (!exchange || isRecent(trial, exchange) || updatesSent(trial).length > 0) return records
    const { contacts, isWhole } = await walkAgain(trial)
    return isWhole ? contacts : records
  })
}

/** A listed contact as it is before its first update, so that nothing is written over that others have changed since. */
export function asItIsNow(trial: Trial, contact: Contact): Promise<Contact> {
  const id = idOf(contact.value)
  const isIt = ({ value }: Contact): boolean => idOf(value) === id
  const newer = (now: Contact | undefined, than: Contact): Contact =>
    now && isChanged(than.value, now.value) ? now : than
  return trial.session.remember(`contact ${id} as it is now`, async () => {
    const before = (await contactsBeforeUpdates(trial)).find(isIt) ?? contact
    const { exchange } = before
    if (isRecent(trial, exchange) || updatesSent(trial).some((sent) => idInPath(sent) === id))
      return asSeenLast(trial, newer(before, contact))
    const now = (await orElse(pageAgain(trial, before), [])).find(isIt)
    return newer(now, newer(before, contact))
  })
}

/**
 * A contact as it is at the beginning of further updates: others may have changed it since earlier ones, as any list has shown.
 * Only then is its page asked for again. Theirs is what became another between two looks with no update of it in between.
 */
export async function asSeenLast(trial: Trial, contact: Contact): Promise<Contact> {
  const { session } = trial
  const id = idOf(contact.value)!
  if (changeOthers(session.run) || session.changes.find({ path: { contactId: id }, owner: session.caller }))
    return contact
  const looks = (): readonly Placed[] =>
    everyRecord(trial, 'listContacts', session.caller).filter(({ record }) => idOf(record) === id)
  const last = lastLook(trial, id)
  if (!last || !isChanged(contact.value, last.value)) return contact
  const now = (await orElse(pageAgain(trial, contact), [])).find(({ value }) => idOf(value) === id)
  if (!now) return contact
  const [was, is] = [storedBody(contact.value), storedBody(now.value)]
  const shown = looks()
  const updates = updatesSent(trial).filter((update) => idInPath(update) === id)
  const isTheirs = (field: UpdateField): boolean => {
    const isNew = ({ record }: Placed): boolean => sameValue(storedBody(record)[field], is[field])
    const before = shown.findLast((look) => !isNew(look))?.exchange.number ?? 0
    const since = shown.find((look) => look.exchange.number > before && isNew(look))?.exchange.number ?? Infinity
    return updates.every(({ number }) => number < before || number > since)
  }
  const ofTheRun = UPDATE_FIELDS.filter((field) => !sameValue(was[field], is[field]) && !isTheirs(field))
  const { exchange, pointer } = now
  return { exchange, pointer, value: { ...now.value, ...inForm(was, ofTheRun) } }
}

function lastLook(trial: Trial, id: string): Contact | undefined {
  const { session } = trial
  for (const answer of session.evidence.answers.toReversed()) {
    const { operation, request } = answer.exchange
    if (!answer.usable || operation !== 'listContacts' || request.caller !== session.caller) continue
    const seen = recordsOf(session, 'listContacts', answer).find(({ value }) => idOf(value) === id)
    if (seen) return seen
  }
  return undefined
}

/** Whether nobody else will have changed what an exchange has shown. */
function isRecent({ session }: Trial, exchange: Exchange): boolean {
  return session.target.isUnshared === true || session.run.now - endOf(exchange) < RECENT_MS
}

/** Whether a contact shows another value than before in what an update sends. */
function isChanged(before: Schemas['Contact'], now: Schemas['Contact']): boolean {
  const [was, is] = [storedBody(before), storedBody(now)]
  return WHOLE.some((field) => !sameValue(was[field], is[field]))
}
