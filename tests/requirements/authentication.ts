import { resourcesIn } from '../engine/answer.ts'
import type { Call } from '../engine/client.ts'
import type { OperationId } from '../engine/contract.ts'
import { idOf } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Probe } from '../engine/session.ts'
import type { Trial } from '../engine/trial.ts'
import { validCall } from './calls.ts'
import { isList, OPERATIONS, PAGED, SEARCHED } from './operations.ts'
import { likeOf } from './unknown-value.ts'

interface BadToken {
  readonly name: string
  readonly phrase: string
  /** The header's value made from the good token; undefined sends no header; null where the token has no such form. */
  readonly header: (token: string, trial: Trial) => string | undefined | null
}

const NO_HEADER: BadToken = { name: 'no-header', phrase: 'without an Authorization header', header: () => undefined }
const UNKNOWN: BadToken = {
  name: 'unknown-token',
  phrase: 'with a token that nobody was given',
  header: (token, trial) => `Bearer ${likeOf(token, trial.random)}`,
}
const BAD_TOKENS: readonly BadToken[] = [
  NO_HEADER,
  { name: 'empty-bearer', phrase: 'with a bearer scheme that carries no token', header: () => 'Bearer ' },
  UNKNOWN,
  { name: 'cut-token', phrase: 'with the token cut short', header: (token) => `Bearer ${token.slice(0, -1)}` },
  { name: 'longer-token', phrase: 'with the token made longer', header: (token) => `Bearer ${token}A` },
  {
    name: 'changed-token',
    phrase: 'with the last character of the token changed',
    header: (token) => `Bearer ${changeLast(token)}`,
  },
  {
    name: 'other-case',
    phrase: 'with the token in other letter case',
    header: (token) => (swapCase(token) === token ? null : `Bearer ${swapCase(token)}`),
  },
]

/** One demand on refusal: which bad tokens are tried on which variations of a valid call. */
interface Attack {
  readonly suffix: string
  readonly title: string
  readonly badTokens: readonly BadToken[]
  readonly variations: (trial: Trial) => readonly Call[]
}

interface Knock {
  readonly bad: BadToken
  readonly probe: Probe
}

/** Every endpoint requires the header Authorization with the value Bearer <ACCESS_TOKEN>. */
export const authentication: readonly Requirement[] = OPERATIONS.flatMap((operation) =>
  attacksOn(operation).map((attack): Requirement => ({
    id: `${operation}.authentication.${attack.suffix}`,
    level: 'stated',
    title: attack.title,
    source: 'Authentication',
    operations: [operation],
    check: (trial) => judgeAttack(trial, operation, attack),
    ...(operation === 'updateContact' && { turn: 'writes' }),
  })),
)

function attacksOn(operation: OperationId): readonly Attack[] {
  const attacks: Attack[] = BAD_TOKENS.map((bad) => ({
    suffix: bad.name,
    title: `A call ${bad.phrase} is not let in.`,
    badTokens: [bad],
    variations: () => [{}],
  }))
  if (isOneOf(operation, PAGED))
    attacks.push({
      suffix: 'second-page',
      title: 'A later page needs the token too.',
      badTokens: [NO_HEADER, UNKNOWN],
      variations: () => [{ query: { pageNumber: '2' } }],
    })
  if (isOneOf(operation, SEARCHED))
    attacks.push({
      suffix: 'filtered',
      title: 'A filtered list needs the token too.',
      badTokens: [NO_HEADER],
      variations: (trial) => filteredCalls(trial, operation),
    })
  return attacks
}

async function judgeAttack(trial: Trial, operation: OperationId, attack: Attack): Promise<void> {
  const valid = await validCall(trial, operation)
  const knocks = await knocksAt(trial, operation, valid)
  const mine = knocks.get(attack.suffix)!
  if (mine.length === 0) trial.notExercised('It takes a token with letters; ACCESS_TOKEN has none.')
  for (const { bad, probe } of mine) {
    trial.count('refusals')
    judgeRefusal(trial, operation, bad, probe, valid)
  }
}

/** What became of a plain call of the operation with each bad token. */
export async function refusals(trial: Trial, operation: OperationId): Promise<readonly Knock[]> {
  const knocks = await knocksAt(trial, operation, await validCall(trial, operation))
  return BAD_TOKENS.flatMap(({ name }) => knocks.get(name) ?? [])
}

function knocksAt(trial: Trial, operation: OperationId, valid: Call): Promise<Map<string, Knock[]>> {
  return trial.session.remember(`authentication ${operation}`, () => knockAll(trial, operation, valid))
}

/** Sends every call that must be refused, between two with the good token, which prove that refusals mean something. */
async function knockAll(trial: Trial, operation: OperationId, valid: Call): Promise<Map<string, Knock[]>> {
  await control(trial, operation, valid)
  const knock = async (bad: BadToken, call: Call): Promise<Knock[]> => {
    const value = bad.header(trial.session.target.accessToken, trial)
    if (value === null) return []
    return [{ bad, probe: await trial.session.knock(operation, call, { caller: { refused: bad.phrase }, value }) }]
  }
  const knocks = await Promise.all(
    attacksOn(operation).map(async ({ suffix, badTokens, variations }) => {
      const calls = variations(trial).flatMap((variation) =>
        badTokens.map((bad) => knock(bad, { ...valid, ...variation })),
      )
      return [suffix, (await Promise.all(calls)).flat()] as const
    }),
  )
  await control(trial, operation, valid)
  return new Map(knocks)
}

async function control(trial: Trial, operation: OperationId, call: Call): Promise<void> {
  if (operation !== 'updateContact') {
    await trial.session.askAfresh(operation, call)
    return
  }
  const { success, status } = await trial.session.probe(operation, call)
  if (!success)
    trial.notExercised(
      `It takes an update that is let in; stored values sent back were answered with status ${status}.`,
    )
}

function judgeRefusal(trial: Trial, operation: OperationId, bad: BadToken, probe: Probe, valid: Call): void {
  const data = resourcesIn(trial.session.contract, operation, probe.body).filter(
    (record) => isList(operation) || (operation === 'getTag' && idOf(record) === valid.path?.['tagId']),
  )
  if (!probe.success && data.length === 0) return
  trial.fail({
    message: `a call ${bad.phrase} was let in`,
    expected: 'a refusal: no success status and no data',
    received: `status ${probe.status}${data.length > 0 ? ` with ${data.length} record(s)` : ''}`,
    exchange: probe.exchange,
  })
}

function filteredCalls(trial: Trial, operation: OperationId): Call[] {
  const values: Readonly<Record<string, string>> = {
    status: 'open',
    date: '2025-01-15',
    dateStart: '2025-01-15',
    dateEnd: '2025-01-15',
  }
  const { queryParameters } = trial.session.contract.operation(operation)
  return queryParameters
    .filter((parameter) => parameter !== 'pageNumber')
    .map((parameter) => ({ query: { [parameter]: values[parameter] ?? trial.random.string.uuid() } }))
}

function isOneOf(operation: OperationId, some: readonly OperationId[]): boolean {
  return some.includes(operation)
}

/** Changes the last character in a bit that counts, also where the token is base64url, whose last bits may be padding. */
function changeLast(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const end = token.search(/[^=]=*$/)
  const last = token[end] ?? ''
  const index = alphabet.indexOf(last)
  const other = index === -1 ? (last === 'x' ? 'y' : 'x') : alphabet[index ^ 0b100000]!
  return token.slice(0, end) + other + token.slice(end + 1)
}

function swapCase(token: string): string {
  return token.replace(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  )
}
