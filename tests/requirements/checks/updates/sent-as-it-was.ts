import { asBoolean, asText, idOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { UPDATE_FIELDS, UPDATE_TEXTS, type UpdateBody } from './update-body.ts'
import { ABSENT_IN_WORDS, isMisread } from './kept.ts'
import type { RoundTrip } from './round-trip.ts'

/** An accepted update, what the contact had before, and the contact since. */
export type Accepted = Pick<RoundTrip, 'body' | 'stored' | 'after'>

/** What an accepted update sends as it was stays as it was. */
export function judgeSentAsItWas(trial: Trial, { body, stored, after }: Accepted): void {
  if (!after) return
  judgeWhatIsLacking(trial, stored, body, after)
  for (const field of UPDATE_FIELDS) {
    if (body[field] === undefined) continue
    trial.count('fields')
    const [sent, now] = [body[field], after.value[field]]
    // Nobody else would write it so, and one of several servers may.
    const once = isMisread(sent, now)
    if (sameValue(sent, stored[field]) && (once || isLost(field, sent, now)))
      trial.fail({
        message: `an update changed ${field}, which it sent as it was`,
        expected: sent,
        received: now,
        exchange: after.exchange,
        pointer: `${after.pointer}/${field}`,
        once,
      })
  }
}

/**
 * What a contact lacks, and an update does not send, may become a default, but not a word for nothing: nobody else would write
 * that. It is noted as the run's, and emptied again at the end.
 */
export function judgeWhatIsLacking(
  trial: Trial,
  stored: UpdateBody,
  sent: UpdateBody,
  { value, exchange, pointer }: Located<Schemas['Contact']>,
): void {
  const { changes, caller } = trial.session
  for (const field of UPDATE_TEXTS) {
    const shown: unknown = value[field]
    if (stored[field] || sent[field] || typeof shown !== 'string' || !ABSENT_IN_WORDS.has(shown)) continue
    const record = { path: { contactId: idOf(value)! }, owner: caller }
    changes.begin({ ...record, stored: { ...stored, [field]: '' }, sent: { [field]: [shown] } })
    changes.confirm(record, true)
    trial.fail({
      message: `${field}, which a contact lacked and an update did not send, became a word for nothing`,
      expected: 'none, or a default',
      received: shown,
      exchange,
      pointer: `${pointer}/${field}`,
      once: true,
    })
  }
}

/** Whether a flag or an id is another now, or a text is gone; how a text is normalised is open. */
function isLost(field: string, sent: unknown, now: unknown): boolean {
  if (typeof sent === 'boolean') return asBoolean(now) === !sent
  if (sent === '') return false
  return now === undefined || now === null || now === '' || (field === 'chatappId' && asText(now) !== asText(sent))
}
