import { asText } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { UNIQUE, uniqueForm } from './update-body.ts'

/** Numbers and e-mail addresses that several of the caller's contacts show, as an import may leave them; once per pass. */
export function sharedValues(trial: Trial): Promise<ReadonlySet<string>> {
  return trial.session.remember('shared values', async () => {
    const { records } = await trial.list('listContacts')
    const [met, shared] = [new Set<string>(), new Set<string>()]
    for (const { value } of records)
      for (const field of UNIQUE) {
        const text = uniqueForm(field, asText(value[field]) ?? '')
        ;(met.has(text) ? shared : met).add(text)
      }
    return shared
  })
}
