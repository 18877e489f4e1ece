import { asText, idOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Run } from '../../../engine/judging/run.ts'
import type { FindingDraft, Trial } from '../../../engine/judging/trial.ts'
import { put } from '../updates/send-update.ts'
import { UPDATE_FIELDS, type UpdateBody } from '../updates/update-body.ts'
import { isKept } from '../updates/kept.ts'
import { findContact, goneOnceUpdated, GONE_THAT_TELL } from '../updates/read-back.ts'

/** What updates do to each contact, though they send back what it shows: no further one is updated. */
export interface Altered {
  /** What an update would need that may go to others. */
  readonly reason: string
  /** Undefined where no more is other than letter case, marks and signs: how a text is normalised is open. */
  readonly finding?: FindingDraft
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
  seen: Located<Schemas['Contact']>,
): Promise<Altered | undefined> {
  const { run } = trial.session
  const known = alteredIn.get(run)
  const field = UPDATE_FIELDS.find((one) => one in body && !isKept(one, body, seen.value))
  if (known || !field) return known
  // Somebody else may have changed it meanwhile; but not to the same again.
  await put(trial, contact, body)
  const shown = await findContact(trial, idOf(contact)!, [seen.value.name])
  if (!shown || isKept(field, body, shown.value) || !sameValue(seen.value[field], shown.value[field])) return undefined
  const [expected, received] = [body[field], shown.value[field]]
  const finding: FindingDraft = {
    message: `an update changed ${field}, which it sent as it was shown`,
    expected,
    received,
    exchange: shown.exchange,
    pointer: `${shown.pointer}/${field}`,
    once: true,
  }
  const isLost = lettersOf(expected) !== lettersOf(received)
  return note(run, {
    reason: `Needs updates that keep what they send as it is shown; ${field} is changed.`,
    ...(isLost && { finding }),
  })
}

/**
 * Tells whether contacts are gone once they are updated: another was before, and none is that was not updated.
 * @param contact one that is not found since its update.
 */
export async function deletedBy(trial: Trial, contact: Schemas['Contact']): Promise<Altered | undefined> {
  const { run } = trial.session
  const known = alteredIn.get(run)
  if (known) return known
  const gone = await goneOnceUpdated(trial)
  if (!gone.has(idOf(contact)!) || gone.size < GONE_THAT_TELL) return undefined
  return note(run, { reason: 'Needs updates that leave contacts in the list; all that were updated are gone.' })
}

function note(run: Run, altered: Altered): Altered {
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
