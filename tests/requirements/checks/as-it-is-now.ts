import { endOf, idInPath, type Exchange } from '../../engine/exchange.ts'
import { orElse } from '../../engine/or-else.ts'
import { idOf, sameValue, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { updatesSent } from '../send-update.ts'
import { storedBody, WHOLE } from '../update-body.ts'
import { pageAgain, walkAgain } from './read-back.ts'

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
      return newer(before, contact)
    const now = (await orElse(pageAgain(trial, before), [])).find(isIt)
    return newer(now, newer(before, contact))
  })
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
