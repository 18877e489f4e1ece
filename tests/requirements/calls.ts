import type { Call } from '../engine/http/client.ts'
import type { OperationId } from '../engine/contract.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import { idOf, type Located, type Schemas } from '../engine/data/records.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { isStillListed } from './checks/lists/fetched-tag.ts'
import { isList, OPERATIONS } from './operations.ts'
import { updatableContact, updateBody } from './checks/updates/learn-updates.ts'
import { similarTo } from './unknown-value.ts'

/** A call that the operation must answer, made from real records. */
export async function validCall(trial: Trial, operation: OperationId): Promise<Call> {
  if (isList(operation)) return {}
  if (operation === 'getTag') return { path: { tagId: idOf((await anyTag(trial)).value)! } }
  const { value } = await updatableContact(trial)
  return { path: { contactId: idOf(value)! }, body: await updateBody(trial, value) }
}

/**
 * Makes sure that an operation which reads has been answered, with a success or not, so that there is an answer to judge.
 * @throws Unanswered where it has no usable answer.
 */
export async function makeSureOfAnAnswer(trial: Trial, operation: OperationId): Promise<void> {
  if (trial.hasAnswerOf(operation)) return
  if (operation === 'getTag') await trial.session.remember('a fetched tag', () => fetchAnyTag(trial))
  else await trial.session.ask(operation, await validCall(trial, operation))
}

/** What other clients say of the answers that they can take, of which the JSON is one. */
const OTHER_CLIENTS: readonly Call['headers'][] = [
  { Accept: '*/*', 'Accept-Encoding': undefined, 'Accept-Language': 'pt-BR,pt;q=0.9' },
  { Accept: 'application/json, text/plain, */*', 'Accept-Language': 'pt-BR,pt;q=0.9' },
]

/** Sends a valid read request with the headers of another HTTP client, on which its success must not depend. */
export function askAsAnotherClient(trial: Trial, operation: OperationId): Promise<void> {
  return trial.session.remember(`another client of ${operation}`, async () => {
    const headers = OTHER_CLIENTS[OPERATIONS.indexOf(operation) % OTHER_CLIENTS.length]!
    const call = { ...(await validCall(trial, operation)), headers }
    const { success, exchange } = await trial.session.attempt(operation, call)
    if (!success) await judgeUnexpectedRefusal(trial, operation, call, exchange)
  })
}

async function fetchAnyTag(trial: Trial): Promise<void> {
  const call = await validCall(trial, 'getTag')
  const { success, exchange } = await trial.session.attempt('getTag', call)
  if (!success) await judgeUnexpectedRefusal(trial, 'getTag', call, exchange)
}

/**
 * Judges an answer that refused a valid call, which a call for a tag that is no longer listed was not.
 * @throws NotExercised where it was not.
 */
export async function judgeUnexpectedRefusal(
  trial: Trial,
  operation: OperationId,
  { path }: Call,
  exchange: Exchange,
): Promise<void> {
  if (operation === 'getTag' && !(await isStillListed(trial, path!['tagId']!)))
    return trial.notExercised(
      'Needs a tag that is not deleted while it is fetched; run again when the target is quiet.',
    )
  trial.session.judge(exchange)
}

/** A tag of the main company's. */
async function anyTag(trial: Trial): Promise<Located<Schemas['Tag']>> {
  const tags = await trial.list('listTags')
  const tag = tags.records.find(({ value }) => idOf(value) !== undefined)
  return tag ?? trial.notExercised('Needs a tag; the target lists none.')
}

/** An id that no tag has, in the shape of those that tags have; the same for all who ask. */
export function unknownTagId(trial: Trial): Promise<string> {
  return trial.session.remember('an unknown tag id', async () =>
    similarTo(idOf((await anyTag(trial)).value)!, trial.random),
  )
}
