import { asBoolean, asText, sameValue } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { UPDATE_FIELDS } from '../update-body.ts'
import { isMisread } from './kept.ts'
import type { RoundTrip } from './round-trip.ts'

/** What an accepted update sends as it was stays as it was. */
export function judgeSentAsItWas(trial: Trial, { body, stored, after }: RoundTrip): void {
  if (!after) return
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

/** Whether a flag or an id is another now, or a text is gone; how a text is normalised is open. */
function isLost(field: string, sent: unknown, now: unknown): boolean {
  if (typeof sent === 'boolean') return asBoolean(now) === !sent
  if (sent === '') return false
  return now === undefined || now === null || now === '' || (field === 'chatappId' && asText(now) !== asText(sent))
}
