import { ACCEPTED } from '../engine/http/client.ts'
import { essence, type Reading, type Step } from '../engine/http/answer.ts'
import type { OperationId } from '../engine/contract.ts'
import { COMPANIES } from '../engine/http/credentials.ts'
import { headerOf, idInPath, isForbidden, isHang, isSuccess, queryOf, type Exchange } from '../engine/http/exchange.ts'
import { orElse } from '../engine/or-else.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { Unanswered } from '../engine/trouble/unanswered.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { learnUpdates } from './checks/updates/learn-updates.ts'
import { askAsAnotherClient, makeSureOfAnAnswer } from './calls.ts'
import { judgePlainUpdates } from './checks/updates/plain-updates.ts'
import { isStillListed } from './checks/lists/fetched-tag.ts'
import { judgeNeverAnswered } from './checks/never-answered.ts'
import { isList, PLURAL, OPERATIONS, SECTION } from './operations.ts'

const TIMES_AT_LAST = 2
const SUFFIX: Readonly<Record<Step, string>> = {
  status: 'status',
  json: 'json',
  mediaType: 'media-type',
  envelope: 'envelope',
}

const MESSAGE: Readonly<Record<Exclude<Step, 'status'>, string>> = {
  json: 'answered with a body that is not JSON',
  mediaType: 'declared a media type that is not the one of the answer',
  envelope: 'answered with something else than the object described',
}

/** Bodies are JSON; each operation answers with the object its section describes. */
export const answers: readonly Requirement[] = OPERATIONS.flatMap((operation) => [
  answer(
    operation,
    'status',
    statusTitle(operation),
    operation === 'listCampaigns' ? 'stated' : 'implied',
    SECTION[operation],
  ),
  answer(operation, 'json', 'The body of every answer is JSON, encoded as UTF-8.', 'stated', 'Introduction'),
  answer(
    operation,
    'mediaType',
    mediaTypeTitle(operation),
    operation === 'listCampaigns' ? 'stated' : 'implied',
    SECTION[operation],
  ),
  answer(operation, 'envelope', envelopeTitle(operation), 'stated', SECTION[operation]),
])

function statusTitle(operation: OperationId): string {
  if (operation === 'listCampaigns') return 'Every valid call is answered with status 200.'
  // Which values an update refuses is open, but not whether there is an update.
  if (operation === 'updateContact')
    return 'A plain update is accepted, each time, and one that is answered with a refusal is not carried out.'
  return 'Every valid call is answered with a success status.'
}

function envelopeTitle(operation: OperationId): string {
  return isList(operation)
    ? `Every answer is an object with the array "${PLURAL[operation]}".`
    : 'Every answer is a JSON object.'
}

function mediaTypeTitle(operation: OperationId): string {
  const type = operation === 'listCampaigns' ? 'application/json' : 'a JSON media type'
  return `Every answer is declared as ${type}.`
}

function answer(
  operation: OperationId,
  step: Step,
  title: string,
  level: Requirement['level'],
  source: string,
): Requirement {
  return {
    id: `${operation}.answer.${SUFFIX[step]}`,
    level,
    title,
    source,
    operations: [operation],
    phase: 'review',
    check: async (trial) => {
      if (step === 'status') await judgeDown(trial, operation)
      if (isList(operation)) await judgeNeverAnswered(trial, operation)
      let unanswered: Unanswered | undefined
      if (operation !== 'updateContact') unanswered = await tryForAnAnswer(trial, operation)
      else if (step === 'status') await judgePlainUpdates(trial)
      else await learnUpdates(trial)
      const all = trial.session.evidence.answers.filter(({ exchange }) => exchange.operation === operation)
      // What a token may call is open.
      const served = new Set(all.flatMap(({ exchange }) => (isForbidden(exchange) ? [] : exchange.request.caller)))
      const readings = all.filter(({ exchange }) => served.has(exchange.request.caller))
      if (all.length > 0 && readings.length === 0)
        trial.notExercised(`Needs a token that may call ${operation}; this one is refused.`)
      const isExcused = await answeredAtLast(trial, readings)
      for (const reading of readings) if (!isExcused(reading)) judgeStep(trial, reading, step)
      if (!trial.examined['answers'])
        trial.notExercised(
          unanswered ? `${unanswered.message}.` : `Needs an answer of ${operation} that can be read so far; none came.`,
        )
    },
  }
}

/**
 * Tells which reads that hung are answered now, for some seconds may have been an outage's. Once one is not, the rest of
 * what a company asked is taken to hang as well.
 */
async function answeredAtLast(trial: Trial, readings: readonly Reading[]): Promise<(reading: Reading) => boolean> {
  const hung = readings.filter(({ exchange }) => isHang(exchange) && exchange.operation !== 'updateContact')
  const answered = await trial.each(COMPANIES, (company) =>
    trial.session.remember(`answered at last ${trial.requirement.operations.join()} ${company}`, async () => {
      const own = hung.filter(({ exchange }) => exchange.request.caller === company)
      const now: Reading[] = []
      for (const reading of own) {
        if (!(await isAnsweredNow(trial.as(company), reading.exchange))) break
        now.push(reading)
      }
      return now
    }),
  )
  const excused = new Set(answered.flat().map(({ exchange }) => exchange.number))
  return ({ exchange }) => excused.has(exchange.number)
}

async function isAnsweredNow({ session }: Trial, exchange: Exchange): Promise<boolean> {
  const { operation } = exchange
  const path = operation === 'getTag' && { path: { tagId: idInPath(exchange) } }
  const call = { ...path, query: queryOf(exchange) }
  for (let time = 0; time < TIMES_AT_LAST; time++) {
    session.run.forgetHangs()
    if ((await orElse(session.attempt(operation, call), undefined))?.success) return true
  }
  return false
}

/** An outage that ends is no fault; one of an operation alone, that does not, is. */
async function judgeDown(trial: Trial, operation: OperationId): Promise<void> {
  const exchange = trial.session.run.downFor(operation)
  // What a success lacks is told by itself; a tag that was deleted stays not found.
  if (!exchange || isSuccess(exchange) || (operation === 'getTag' && !(await isStillListed(trial, idInPath(exchange)))))
    return
  trial.count('answers')
  trial.fail({
    message: `${operation} stopped working while other operations went on`,
    expected: 'a success, at the latest after as long as a restart takes',
    received: `status ${exchange.response!.status}, each time`,
    exchange,
    once: true,
  })
}

/** Why there is no usable answer, where there is none. */
async function tryForAnAnswer(trial: Trial, operation: OperationId): Promise<Unanswered | undefined> {
  try {
    await makeSureOfAnAnswer(trial, operation)
    // What keeps a call from being sent once more says nothing of the answers before.
    await orElse(askAsAnotherClient(trial, operation), undefined)
    return undefined
  } catch (error) {
    // That is what is judged here.
    if (error instanceof Unanswered && error.operation === operation) return error
    throw error
  }
}

function judgeStep(trial: Trial, reading: Reading, step: Step): void {
  const { exchange } = reading
  const verdict = step === 'mediaType' ? mediaTypeVerdict(reading) : reading.steps[step]
  if (verdict === undefined) return
  trial.count('answers')
  if (verdict === 'passed') return
  const accepted = headerOf(exchange.request.headers, 'accept')
  const received =
    accepted === ACCEPTED ? verdict.received : `${verdict.received}, to a client that accepts ${accepted}`
  const message = step === 'status' ? statusMessage(exchange) : MESSAGE[step]
  trial.fail({ message, expected: verdict.expected, received, exchange })
}

function statusMessage({ response }: Exchange): string {
  return response ? `answered a valid call with status ${response.status}` : 'did not answer a valid call'
}

/** The campaign list alone states its media type; elsewhere any JSON type is one. */
function mediaTypeVerdict(reading: Reading): Reading['steps']['mediaType'] {
  const verdict = reading.steps.mediaType
  if (verdict !== 'passed' || reading.exchange.operation !== 'listCampaigns') return verdict
  const type = essence(headerOf(reading.exchange.response!.headers, 'content-type') ?? '')
  return type === 'application/json' ? 'passed' : { expected: 'application/json', received: type }
}
