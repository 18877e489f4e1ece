import { asText, idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Run } from '../../engine/run.ts'
import type { Trial } from '../../engine/trial.ts'
import { put } from '../send-update.ts'
import { inForm, storedBody, uniqueForm, UPDATE_FIELDS, type UpdateBody, type UpdateField } from '../update-body.ts'
import { isKept } from './kept.ts'
import { findContact } from './read-back.ts'

/** What was sent as it was shown, and the contact that shows it otherwise since, each time. */
interface Altered {
  readonly field: UpdateField
  readonly sent: UpdateBody
  readonly shown: Located<Schemas['Contact']>
}

/** What one pass has found, the next must not try with another contact. */
const alteredIn = new WeakMap<Run, Altered>()

/**
 * Tells whether an update changes what it sends back as it is shown, such as signs that are escaped once more each time:
 * nobody could put that back.
 * @param body what was sent of a contact's values, and accepted.
 * @param seen the contact since.
 */
export async function alteredBy(
  trial: Trial,
  contact: Schemas['Contact'],
  body: UpdateBody,
  seen: Located<Schemas['Contact']> | undefined,
): Promise<Altered | undefined> {
  const { run } = trial.session
  const known = alteredIn.get(run)
  const field = seen && UPDATE_FIELDS.find((one) => one in body && !isKept(one, body, seen.value))
  if (known || !field) return known
  // What is cut off is lost, and would be of other contacts, too.
  const isLost = isCut(field, body[field], seen.value[field])
  // Somebody else may have changed it meanwhile, and a target may write in one way what was written in others.
  const sent = isLost ? body : inForm(storedBody(seen.value), Object.keys(body))
  await put(trial, contact, sent)
  const shown = await findContact(trial, idOf(contact)!, [seen.value.name])
  if (!shown) return undefined
  const isAltered = isLost ? isCut(field, sent[field], shown.value[field]) : !isKept(field, sent, shown.value)
  if (!isAltered) return undefined
  const altered = { field, sent, shown }
  alteredIn.set(run, altered)
  return altered
}

/** Whether a text is gone, or ends sooner; of a number, its digits. */
function isCut(field: UpdateField, sent: unknown, shown: unknown): boolean {
  if (typeof sent !== 'string' || sent === '') return false
  const [whole, rest] = [sent, asText(shown) ?? ''].map((text) =>
    field === 'number' ? uniqueForm(field, text) : text.trim(),
  ) as [string, string]
  return rest.length < whole.length && whole.startsWith(rest)
}
