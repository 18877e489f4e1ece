import { parseJson } from '../../engine/http/answer.ts'
import type { OperationId } from '../../engine/contract.ts'
import { headerOf, type Exchange } from '../../engine/http/exchange.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import { isTransient } from '../../engine/trouble/kinds-of-trouble.ts'
import { beforeBadTokens, refusals } from '../authentication.ts'
import { makeSureOfAnAnswer, unknownTagId, validCall } from '../calls.ts'
import { OPERATIONS } from '../operations.ts'
import { observation } from './observation.ts'
import { describeExchange, shapeOf } from './shape.ts'

const AUTHENTICATION = { source: 'Authentication' }
const UNAUTHORIZED = { phase: 'unauthorized' as const }
const EVERYTHING = { phase: 'review' as const }

/** What came of mishaps too. */
const VOLATILE = { volatile: true } as const

/** Refusals, errors, success codes and headers. */
export const refusalObservations: readonly Requirement[] = [
  ...OPERATIONS.map((operation) =>
    observation(operation, 'refusal', 'what a refused token gets', (trial) => refused(trial, operation), {
      ...AUTHENTICATION,
      ...UNAUTHORIZED,
    }),
  ),
  ...(['listContacts', 'getTag', 'updateContact'] as const).map((operation) =>
    observation(
      operation,
      'scheme',
      'what the good token gets with the scheme written otherwise',
      (trial) => otherSchemes(trial, operation),
      { ...AUTHENTICATION, ...UNAUTHORIZED },
    ),
  ),
  ...OPERATIONS.filter((operation) => operation !== 'listCampaigns').map((operation) =>
    observation(operation, 'success-status', 'success status codes', (trial) => successStatuses(trial, operation), {
      source: 'Endpoints',
      ...EVERYTHING,
    }),
  ),
  observation('getTag', 'unknown-id', 'what an unknown tag id gets', unknownTag),
  observation('listContacts', 'error-shape', 'shape of error responses', errorShapes, {
    source: 'Errors',
    ...EVERYTHING,
    ...VOLATILE,
  }),
  observation(
    'listContacts',
    'rate-limit-headers',
    'headers that show a rate limit',
    headersLike(/rate-?limit|retry-after/),
    {
      source: 'Limits',
      ...EVERYTHING,
      ...VOLATILE,
    },
  ),
  observation('listContacts', 'version-headers', 'headers that show a version', headersLike(/version/), {
    source: 'Versioning',
    ...EVERYTHING,
  }),
  observation('listContacts', 'media-types', 'media types of the answers', mediaTypes, {
    source: 'Introduction',
    ...EVERYTHING,
  }),
]

async function refused(trial: Trial, operation: (typeof OPERATIONS)[number]): Promise<Record<string, string>> {
  const attempts = await refusals(trial, operation)
  return described(attempts.map(({ bad, probe }) => [bad.phrase, probe.exchange]))
}

async function otherSchemes(trial: Trial, operation: OperationId): Promise<Record<string, string>> {
  const call = await validCall(trial, operation)
  await beforeBadTokens(trial)
  const schemes = { 'in lower case': 'bearer ', 'as Basic': 'Basic ', 'as Token': 'Token ', 'left out': '' }
  const observed = Object.entries(schemes).map(async ([name, scheme]) => {
    const value = scheme + trial.session.run.credentials.token('main')
    const { exchange } = await trial.session.attemptUnauthorized(operation, call, {
      caller: { refused: `with the scheme ${name}` },
      value,
    })
    return [name, exchange] as const
  })
  return described(await Promise.all(observed), (text) => text.split(',')[0]!)
}

/** What came back for each; where only some were cut off, or met a target without time, those tell nothing. */
function described(
  answers: readonly (readonly [name: string, exchange: Exchange])[],
  shorten = (text: string): string => text,
): Record<string, string> {
  const settled = answers.filter(([, { response }]) => response && !isTransient({ response }))
  const telling = settled.length > 0 ? settled : answers
  return Object.fromEntries(telling.map(([name, exchange]) => [name, shorten(describeExchange(exchange))]))
}

async function successStatuses(trial: Trial, operation: (typeof OPERATIONS)[number]): Promise<number[]> {
  if (operation !== 'updateContact') await makeSureOfAnAnswer(trial, operation)
  const statuses = trial.session.evidence.answers.flatMap(({ exchange }) =>
    exchange.operation === operation && exchange.response ? [exchange.response.status] : [],
  )
  const successes = [...new Set(statuses)].filter((status) => status < 300).toSorted()
  return successes.length > 0 ? successes : trial.notExercised('Needs a call that is a success.')
}

async function unknownTag(trial: Trial): Promise<string> {
  const tagId = await unknownTagId(trial)
  return describeExchange((await trial.session.attemptOnce('getTag', { path: { tagId } })).exchange)
}

async function errorShapes(trial: Trial): Promise<string[]> {
  const shapes = trial.session.evidence.exchanges.flatMap(({ response }) => {
    if (!response || response.status < 400) return []
    const parsed = parseJson(response.body)
    return ['body' in parsed ? shapeOf(parsed.body, 3) : response.body.length === 0 ? 'empty' : 'not JSON']
  })
  return shapes.length > 0
    ? [...new Set(shapes)].toSorted().slice(0, 20)
    : trial.notExercised('Needs an error response.')
}

function headersLike(pattern: RegExp): (trial: Trial) => Promise<string[]> {
  return async (trial) => {
    const names = trial.session.evidence.exchanges.flatMap(
      ({ response }) => response?.headers.map(([name]) => name.toLowerCase()) ?? [],
    )
    if (names.length === 0) trial.notExercised('Needs a response.')
    return [...new Set(names)].filter((name) => pattern.test(name)).toSorted()
  }
}

async function mediaTypes(trial: Trial): Promise<string[]> {
  const types = trial.session.evidence.answers.flatMap(({ exchange }) =>
    exchange.response ? [headerOf(exchange.response.headers, 'content-type') ?? 'none'] : [],
  )
  return types.length > 0 ? [...new Set(types)].toSorted().slice(0, 20) : trial.notExercised('Needs an answer.')
}
