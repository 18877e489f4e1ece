import { asText, idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Run } from '../../engine/run.ts'
import type { Trial } from '../../engine/trial.ts'
import { put } from '../send-update.ts'
import { UPDATE_FIELDS, type UpdateBody, type UpdateField } from '../update-body.ts'
import { isKept } from './kept.ts'
import { findContact } from './read-back.ts'

/** What was sent as it was shown, and the contact that shows it otherwise since, each time. */
interface Altered {
  readonly field: UpdateField
  readonly sent: UpdateBody
  readonly shown: Located<Schemas['Contact']>
  /** Whether more is other than letter case, marks and signs: how a text is normalised is open. */
  readonly isLost: boolean
}

/** What one pass has found, the next must not try with another contact. */
const alteredIn = new WeakMap<Run, Altered>()

/**
 * Tells whether an update changes what it sends back as it is shown, such as signs that are escaped or a flag that is turned,
 * each time: nobody could put that back.
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
  // Somebody else may have changed it meanwhile.
  await put(trial, contact, body)
  const shown = await findContact(trial, idOf(contact)!, [seen.value.name])
  if (!shown || isKept(field, body, shown.value)) return undefined
  const isLost = lettersOf(body[field]) !== lettersOf(shown.value[field])
  const altered = { field, sent: body, shown, isLost }
  alteredIn.set(run, altered)
  return altered
}

function lettersOf(value: unknown): string {
  const text = asText(value) ?? JSON.stringify(value ?? null)
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}
