import { essence, type Reading, type Step } from '../engine/answer.ts'
import type { OperationId } from '../engine/contract.ts'
import { headerOf } from '../engine/exchange.ts'
import type { Requirement } from '../engine/requirement.ts'
import { Unanswered } from '../engine/session.ts'
import type { Trial } from '../engine/trial.ts'
import { updateWithStoredValues, validCall } from './calls.ts'
import { isList, NOUN, OPERATIONS, SECTION } from './operations.ts'

const SUFFIX: Readonly<Record<Step, string>> = {
  status: 'status',
  json: 'json',
  mediaType: 'media-type',
  envelope: 'envelope',
}

const MESSAGE: Readonly<Record<Step, string>> = {
  status: 'answered a valid call without the success it must have',
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
  // Which values an update refuses, and how, is open.
  if (operation === 'updateContact') return 'Every update is answered.'
  return 'Every valid call is answered with a success status.'
}

function envelopeTitle(operation: OperationId): string {
  return isList(operation)
    ? `Every answer is an object with the array "${NOUN[operation]}".`
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
    turn: 'everything',
    check: async (trial) => {
      await makeSureOfAnAnswer(trial, operation, step)
      const readings = trial.session.evidence.answers.filter(({ exchange }) => exchange.operation === operation)
      for (const reading of readings) judgeStep(trial, reading, step)
      if (!trial.examined['answers'])
        trial.notExercised(`It takes an answer of ${operation} that can be read so far; none came.`)
    },
  }
}

async function makeSureOfAnAnswer(trial: Trial, operation: OperationId, step: Step): Promise<void> {
  if (operation === 'updateContact') {
    const answered = trial.session.evidence.answers.some(({ exchange }) => exchange.operation === operation)
    if (!answered) await update(trial, step)
    return
  }
  try {
    await trial.session.ask(operation, await validCall(trial, operation))
  } catch (error) {
    // That there is no usable answer is what is judged here.
    if (!(error instanceof Unanswered && error.reading.exchange.operation === operation)) throw error
  }
}

/** Stored values that are sent back may be refused, and then there is nothing to be judged; but not left unanswered. */
async function update(trial: Trial, step: Step): Promise<void> {
  const { exchange } = await updateWithStoredValues(trial)
  if (exchange.failure && step === 'status')
    // Looked at twice: the connection may have been broken once.
    trial.differ({
      message: 'an update was not answered',
      expected: 'an answer',
      received: exchange.failure.message,
      exchange,
    })
}

function judgeStep(trial: Trial, reading: Reading, step: Step): void {
  const { exchange } = reading
  const verdict = step === 'mediaType' ? mediaTypeVerdict(reading) : reading.steps[step]
  if (verdict === undefined) return
  trial.count('answers')
  if (verdict !== 'passed')
    trial.fail({ message: MESSAGE[step], expected: verdict.expected, received: verdict.received, exchange })
}

/** The campaign list alone states its media type; elsewhere any JSON type is one. */
function mediaTypeVerdict(reading: Reading): Reading['steps']['mediaType'] {
  const verdict = reading.steps.mediaType
  if (verdict !== 'passed' || reading.exchange.operation !== 'listCampaigns') return verdict
  const type = essence(headerOf(reading.exchange.response!.headers, 'content-type') ?? '')
  return type === 'application/json' ? 'passed' : { expected: 'application/json', received: type }
}
