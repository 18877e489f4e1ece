import type { Listing } from '../../../engine/data/listing.ts'
import { isFault } from '../../../engine/judging/session.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { formatFor } from './date-format-discovery.ts'
import { dayAfter, rangeQuery, type Range } from './date-ranges.ts'

/** A range may be too long for a target, which then refuses it; an error of the server's is no refusal. */
export async function judgeRefusal(
  trial: Trial,
  { query, refusal: exchange }: Listing<unknown>,
  range: Range,
  what: string,
): Promise<void> {
  if (!exchange || !isFault(exchange) || !(await isNextAccepted(trial, range)))
    trial.notExercised(`Needs a target that accepts ${what}; this one refuses ${Object.values(query).join(' to ')}.`)
  trial.fail({
    message: `${what} was answered with a server error`,
    expected: 'a success, as for the range that is a day longer',
    received: `status ${exchange.response?.status}`,
    exchange,
  })
}

/** Whether a range that ends a day later, and so is longer, is accepted. */
async function isNextAccepted(trial: Trial, { start, end }: Range): Promise<boolean> {
  const { format, effect } = await formatFor(trial, 'range')
  if (effect !== 'understood' || start === undefined || end === undefined) return false
  const query = rangeQuery({ start, end: dayAfter(end, 1) }, format)
  return (await trial.session.attemptOnce('listContacts', { query })).success
}
