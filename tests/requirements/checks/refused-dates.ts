import { isServerError } from '../../engine/kinds-of-trouble.ts'
import { isFault, type Probe } from '../../engine/session.ts'
import type { Trial } from '../../engine/trial.ts'
import { formatFor } from './date-format-discovery.ts'
import { dayAfter, rangeQuery, type Range } from './date-ranges.ts'

/** A range may be too long for a target, which then refuses it; an error of the server's is no refusal. */
export async function judgeRefusal(
  trial: Trial,
  query: Readonly<Record<string, string>>,
  range: Range,
  what: string,
): Promise<void> {
  const { exchange, status } = await answerTo(trial, query)
  if (!isFault(exchange) || !(await isNextAccepted(trial, range)))
    trial.notExercised(`Needs a target that accepts ${what}; this one refuses ${Object.values(query).join(' to ')}.`)
  trial.fail({
    message: `${what} was answered with a server error`,
    expected: 'a success, as for the range that is a day longer',
    received: `status ${status}`,
    exchange,
  })
}

/** A date among others that are accepted may be refused, and is no error of the server's. */
export async function judgeServerError(
  trial: Trial,
  query: Readonly<Record<string, string>>,
  what: string,
): Promise<void> {
  const { exchange, status } = await answerTo(trial, query)
  if (isServerError(exchange))
    trial.fail({
      message: `${what} was answered with a server error`,
      expected: 'no contact, as others are found on other days',
      received: `status ${status}`,
      exchange,
    })
}

/** The answer to the first page of a query, which has been asked for. */
export async function answerTo(trial: Trial, query: Readonly<Record<string, string>>): Promise<Probe> {
  const { paged, firstPage } = await trial.list('listContacts')
  const call = { query: { ...query, ...(paged && { pageNumber: String(firstPage) }) } }
  return trial.session.attemptOnce('listContacts', call)
}

/** Whether a range that ends a day later, and so is longer, is accepted. */
async function isNextAccepted(trial: Trial, { start, end }: Range): Promise<boolean> {
  const { format, effect } = await formatFor(trial, 'range')
  if (effect !== 'understood' || start === undefined || end === undefined) return false
  const query = rangeQuery({ start, end: dayAfter(end, 1) }, format)
  return (await trial.session.attemptOnce('listContacts', { query })).success
}
