import type { Located, Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { FORMS, inForm, storedBody, type UpdateBody } from './update-body.ts'
import { put } from './send-update.ts'
import { eventually } from '../eventually.ts'

/** Texts that a target has the least reason to check. */
const HARMLESS = ['utmTerms', 'utmContent', 'utmMedium', 'utmSource', 'utmCampaign', 'name', 'email'] as const

/** Whether any form of an update is accepted when it changes a text, which is put back. */
export async function acceptsNewValues(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  fresh: UpdateBody,
): Promise<boolean> {
  const stored = storedBody(contact.value)
  const field = HARMLESS.find((one) => fresh[one] !== undefined)
  if (field === undefined) return false
  const [changed, before] = [fresh, stored].map((values) => ({ [field]: values[field] }))
  for (const form of FORMS) {
    const send = (values: UpdateBody) => put(trial, contact.value, { ...inForm(stored, form), ...values })
    // Until the change shows, putting it back changes nothing either.
    const putBack = () =>
      eventually(
        trial.session,
        () => send(before!),
        ({ success }) => success,
      )
    const { success } = await send(changed!)
    if (success) return (await putBack()).success
  }
  return false
}
