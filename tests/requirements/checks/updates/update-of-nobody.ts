import type { Exchange } from '../../../engine/http/exchange.ts'
import { askable, idOf, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatableContact, updateBody } from './learn-updates.ts'
import { nearTo, similarTo } from '../../unknown-value.ts'
import type { UpdateBody } from './update-body.ts'
import { freshValues } from './fresh-values.ts'
import { putBack } from './put-back.ts'

/** An update of an id that no contact has. */
interface UpdateOfNobody {
  readonly contactId: string
  readonly body: UpdateBody
  readonly exchange: Exchange
  readonly success: boolean
}

/** The update of an id in the shape of those that contacts have; it is sent once for all who ask. */
export function updateOfNobody(trial: Trial): Promise<UpdateOfNobody> {
  return trial.session.remember('an update of nobody', async () =>
    sendTo(trial, similarTo(idOf((await updatableContact(trial)).value)!, trial.random)),
  )
}

/** Judges that an update of an id that no contact has, be it like one that a contact has, is no success and creates none. */
export async function judgeUpdateOfNobody(trial: Trial): Promise<void> {
  const id = idOf((await updatableContact(trial)).value)!
  const { byId } = await trial.list('listContacts')
  await judgeOne(trial, await updateOfNobody(trial))
  for (const near of nearTo(id).slice(0, 1)) if (!byId.has(near)) await judgeOne(trial, await sendTo(trial, near))
}

async function sendTo(trial: Trial, contactId: string): Promise<UpdateOfNobody> {
  const contact = await updatableContact(trial)
  const body = await updateBody(trial, contact.value, await freshValues(trial, contact))
  const { exchange, success } = await trial.session.attempt('updateContact', { path: { contactId }, body })
  return { contactId, body, exchange, success }
}

async function judgeOne(trial: Trial, { contactId, body, exchange, success }: UpdateOfNobody): Promise<void> {
  trial.count('updates')
  if (success)
    trial.fail({
      message: 'an update of an unknown id was a success',
      expected: 'no success status',
      received: `status ${exchange.response?.status}`,
      exchange,
      once: true,
    })
  const name = askable(body.name)
  if (name === undefined) return
  const { firstPage, byId } = await trial.list('listContacts')
  const query = { searchParam: name, pageNumber: String(firstPage) }
  const { body: found, exchange: seen } = await trial.session.attempt('listContacts', { query })
  const created = (found as { contacts?: Schemas['Contact'][] } | undefined)?.contacts?.find(
    // Where no fresh name could be sent, a contact had that name before.
    (one) => one.id === contactId || (one.name === name && byId.get(idOf(one) ?? '')?.value.name !== name),
  )
  if (!created) return
  trial.fail({
    message: 'an update of an unknown id created or changed a contact',
    expected: 'no contact with the values sent',
    received: idOf(created),
    exchange: seen,
    once: true,
  })
  const changed = byId.get(idOf(created) ?? '')
  if (changed) await putBack(trial, changed.value)
}
