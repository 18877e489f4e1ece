import { idInPath, isSuccess, queryOf, type Exchange } from '../../../engine/http/exchange.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import { asText, idOf, type Located, type RecordOf } from '../../../engine/data/records.ts'
import { CACHED_MS } from '../../../engine/time/time.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL, type Filtered } from '../../operations.ts'
import { updatesSent } from '../updates/send-update.ts'
import { valuesOfOne } from '../filters/all-of-one.ts'
import { eventually } from '../eventually.ts'
import { matcher, type Criteria } from '../filters/matching.ts'

/**
 * A record of an updated contact is found by all its own values: an update that replaces a contact may lose what refers to it. An
 * index may be brought up to date only after a while, and others may change the record meanwhile.
 */
export async function judgeOwnFound<O extends Filtered>(trial: Trial, operation: O): Promise<void> {
  const own = await recordOfUpdated(trial, operation)
  if (!own) return
  const id = idOf(own.value)!
  const query = valuesOfOne(operation, own.value)
  const holds = matcher(query as Criteria<O>)
  const { pageSize } = await trial.list(operation)
  const isListed = async (): Promise<boolean> => {
    const page = await trial.session.attempt(operation, { query: queryOf(own.exchange) })
    return recordsOf(trial.session, operation, page).some(({ value }) => idOf(value) === id && holds(value))
  }
  /** The answer that lacks it; of as many as a page has, it may be on the next one. */
  const lacking = async (): Promise<Exchange | undefined> => {
    const probe = await trial.session.attempt(operation, { query })
    const found = recordsOf(trial.session, operation, probe)
    const mayBeFound = !probe.success || found.length >= pageSize || found.some(({ value }) => idOf(value) === id)
    return mayBeFound ? undefined : probe.exchange
  }
  trial.count('queries')
  if (!(await lacking())) return
  const exchange = await eventually(
    trial.session,
    async () => {
      const isThere = await isListed()
      const answer = await lacking()
      return isThere && (await isListed()) ? answer : undefined
    },
    (answer) => !answer,
  )
  if (!exchange) return
  // Of two answers that were kept for a while, the one may be of before a change and the other of after it.
  await trial.session.pause(CACHED_MS)
  if (!(await isListed())) return
  trial.fail({
    message: `${PLURAL[operation]} of an updated contact are not found by their own values`,
    expected: `the record ${id}, as the list shows it without a filter`,
    received: 'an answer without it',
    exchange,
    record: id,
  })
}

/** Of the listed records of updated contacts, one of the contact that was updated most often; if any, one with most values. */
async function recordOfUpdated<O extends Filtered>(
  trial: Trial,
  operation: O,
): Promise<Located<RecordOf<O>> | undefined> {
  const times = new Map<string, number>()
  for (const update of updatesSent(trial))
    if (isSuccess(update) && update.request.caller === trial.session.caller)
      times.set(idInPath(update), (times.get(idInPath(update)) ?? 0) + 1)
  const timesOf = ({ value }: Located<{ contactId?: unknown }>): number => times.get(asText(value.contactId) ?? '') ?? 0
  const valuesIn = ({ value }: Located<RecordOf<O>>): number => Object.keys(valuesOfOne(operation, value)).length
  const { records } = await trial.list(operation)
  return records
    .filter((one) => idOf(one.value) !== undefined && timesOf(one) > 0)
    .toSorted((a, b) => timesOf(b) - timesOf(a) || valuesIn(b) - valuesIn(a))[0]
}
