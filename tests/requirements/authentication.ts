import { resourcesIn } from '../engine/answer.ts'
import type { Call } from '../engine/client.ts'
import type { OperationId } from '../engine/contract.ts'
import { idOf } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Probe } from '../engine/session.ts'
import type { Trial } from '../engine/trial.ts'
import { beginChange, put } from './send-update.ts'
import { judgeUnexpectedRefusal, validCall } from './calls.ts'
import { storedBody, UPDATE_TEXTS, type UpdateBody } from './update-body.ts'
import { updatableContact, updateBody } from './learn-updates.ts'
import { restoreAll } from './restoration.ts'
import { BAD_TOKENS, NO_HEADER, PLAINLY, type BadToken } from './checks/bad-tokens.ts'
import { filteredCalls, withOneParameter } from './checks/calls-with-parameters.ts'
import { freshValues, TIED } from './checks/fresh-values.ts'
import { isKept } from './checks/kept.ts'
import { findContact } from './checks/read-back.ts'
import { isList, isOneOf, OPERATIONS, PAGED, SEARCHED } from './operations.ts'

/** One demand on refusal: which bad tokens are tried on which variations of a valid call. */
interface RefusalDemand {
  readonly suffix: string
  readonly title: string
  readonly badTokens: readonly BadToken[]
  readonly variations: (trial: Trial) => readonly Call[]
}

/** What callers get for some time where too many bad tokens came from one place. */
const LOCKED: ReadonlySet<number> = new Set([401, 403, 423, 503])

interface Attempted {
  readonly bad: BadToken
  readonly probe: Probe
}

/** Every endpoint requires the header Authorization with the value Bearer <ACCESS_TOKEN>. */
export const authentication: readonly Requirement[] = OPERATIONS.flatMap((operation) =>
  refusalDemandsOn(operation).map((demand): Requirement => ({
    id: `${operation}.authentication.${demand.suffix}`,
    level: 'stated',
    title: demand.title,
    source: 'Authentication',
    operations: [operation],
    check: (trial) => judgeRefusals(trial, operation, demand),
    phase: 'unauthorized',
  })),
)

function refusalDemandsOn(operation: OperationId): readonly RefusalDemand[] {
  const demands: RefusalDemand[] = BAD_TOKENS.map((bad) => ({
    suffix: bad.name,
    title: `A call ${bad.phrase} is not accepted.`,
    badTokens: [bad],
    variations: (trial) => [PLAINLY.includes(bad) ? {} : withOneParameter(trial, operation, bad)],
  }))
  if (isOneOf(operation, PAGED))
    demands.push({
      suffix: 'second-page',
      title: 'A later page needs the token too.',
      badTokens: [NO_HEADER],
      variations: () => [{ query: { pageNumber: '2' } }],
    })
  if (isOneOf(operation, SEARCHED))
    demands.push({
      suffix: 'filtered',
      title: 'A filtered list needs the token too.',
      badTokens: [NO_HEADER],
      variations: (trial) => filteredCalls(trial, operation),
    })
  return demands
}

async function judgeRefusals(trial: Trial, operation: OperationId, demand: RefusalDemand): Promise<void> {
  const valid = await validCall(trial, operation)
  const { attempts, carriedOut } = await sendUnauthorized(trial, operation, valid)
  const mine = attempts.get(demand.suffix)!
  if (mine.length === 0) trial.notExercised('Needs a token with letters; ACCESS_TOKEN has none.')
  for (const { bad, probe } of mine) {
    trial.count('refusals')
    judgeRefusal(trial, operation, bad, probe, valid)
  }
  const changed = carriedOut.get(demand.suffix)
  if (changed !== undefined && !mine.some(({ probe }) => probe.success))
    trial.fail({
      message: `an update of ${String(changed.field)} ${demand.badTokens[0]!.phrase} was refused and carried out`,
      expected: changed.stored,
      received: changed.seen,
      exchange: mine.at(-1)!.probe.exchange,
      // Nobody else could have sent the value.
      once: true,
    })
}

/** What became of a plain call of the operation with each bad token. */
export async function refusals(trial: Trial, operation: OperationId): Promise<readonly Attempted[]> {
  const { attempts } = await sendUnauthorized(trial, operation, await validCall(trial, operation))
  return BAD_TOKENS.flatMap(({ name }) => attempts.get(name) ?? [])
}

interface Unauthorized {
  /** By the suffix of the demand. */
  readonly attempts: ReadonlyMap<string, readonly Attempted[]>
  /** Where a refused update was carried out, by the suffix of the demand. */
  readonly carriedOut: ReadonlyMap<string, CarriedOut>
}

interface CarriedOut {
  readonly field: keyof UpdateBody
  /** What the contact had, and what it showed then. */
  readonly stored: unknown
  readonly seen: unknown
}

/** Sends every call that must be refused, between two with the good token, which prove that refusals mean something. */
function sendUnauthorized(trial: Trial, operation: OperationId, valid: Call): Promise<Unauthorized> {
  return trial.session.remember(`authentication ${operation}`, async () => {
    await beforeBadTokens(trial)
    await ensureAccepted(trial, operation)
    const changes = operation === 'updateContact' ? await changesOf(trial) : undefined
    const attempts = await tryAll(trial, operation, ({ suffix }) => changes?.callOf(suffix) ?? valid)
    const isRefused = [...attempts.values()].flat().every(({ probe }) => !probe.success)
    const carriedOut = (await changes?.readBack(isRefused)) ?? new Map<string, CarriedOut>()
    await control(trial, operation, valid)
    return { attempts, carriedOut }
  })
}

/** Goes before every bad token: the good one is tried on every operation, and what is changed is put back with it. */
export function beforeBadTokens(trial: Trial): Promise<void> {
  return trial.session.remember('before bad tokens', async () => {
    await Promise.allSettled(OPERATIONS.map((every) => ensureAccepted(trial, every)))
    const { changes } = trial.session
    // Updates that follow may change these again.
    const sideEffects = changes.open.filter(({ isSideEffect }) => isSideEffect)
    await restoreAll(trial.session)
    for (const change of sideEffects) changes.begin(change)
  })
}

/** Makes sure, once per pass, that a valid call with the good token is accepted: one was, or one is sent. */
function ensureAccepted(trial: Trial, operation: OperationId): Promise<void> {
  return trial.session.remember(`accepted ${operation}`, async () => {
    if (!wasAccepted(trial, operation)) await control(trial, operation, await validCall(trial, operation))
  })
}

async function tryAll(
  trial: Trial,
  operation: OperationId,
  callOf: (demand: RefusalDemand) => Call,
): Promise<Map<string, Attempted[]>> {
  const attemptAll = async (bad: BadToken, call: Call): Promise<Attempted[]> => {
    const values = bad.headers(trial.session.run.credentials.token('main'), operation)
    const send = (value: string | undefined) =>
      trial.session.attemptUnauthorized(operation, call, { caller: { refused: bad.phrase }, value })
    return Promise.all(values.map(async (value) => ({ bad, probe: await send(value) })))
  }
  const attempts = await Promise.all(
    refusalDemandsOn(operation).map(async (demand) => {
      const calls = demand
        .variations(trial)
        .flatMap((variation) => demand.badTokens.map((bad) => attemptAll(bad, { ...callOf(demand), ...variation })))
      return [demand.suffix, (await Promise.all(calls)).flat()] as const
    }),
  )
  return new Map(attempts)
}

/**
 * Updates that must be refused change every text, to values of its own for each kind of bad token: what is carried out
 * shows, whichever came last.
 */
async function changesOf(trial: Trial): Promise<{
  readonly callOf: (suffix: string) => Call
  /** Tells what was carried out all the same, and undoes it. */
  readonly readBack: (isRefused: boolean) => Promise<Map<string, CarriedOut>>
}> {
  const contact = await updatableContact(trial)
  const contactId = idOf(contact.value)!
  const stored = storedBody(contact.value)
  const valuesOf = new Map<string, UpdateBody>()
  const bodyOf = new Map<string, UpdateBody>()
  for (const { name } of BAD_TOKENS) {
    const fresh = await freshValues(trial, contact)
    const texts = UPDATE_TEXTS.filter((field) => fresh[field] !== undefined && !TIED.includes(field))
    const values = Object.fromEntries(texts.map((field) => [field, fresh[field]]))
    valuesOf.set(name, values)
    bodyOf.set(name, await updateBody(trial, contact.value, values))
  }
  // What could not be put back before is not settled by this.
  const wasOpen = trial.session.changes.find({ contactId }) !== undefined
  const begin = (): void => {
    for (const values of valuesOf.values()) beginChange(trial, contact.value, { ...stored, ...values })
  }
  begin()
  return {
    callOf: (suffix) => ({ path: { contactId }, body: bodyOf.get(suffix) }),
    readBack: async (isRefused) => {
      // A target may let nobody in after bad tokens, and then no refused update can be seen to have been carried out.
      const seen = await findContact(trial, contactId, [stored.name]).finally(() => {
        if (isRefused && !wasOpen) trial.session.changes.settle({ path: { contactId } })
      })
      const carriedOut = new Map<string, CarriedOut>()
      for (const [suffix, values] of seen ? valuesOf : []) {
        const fields = Object.keys(values) as (keyof UpdateBody)[]
        const field = fields.find((one) => !isKept(one, stored, seen!.value) && isKept(one, values, seen!.value))
        if (field) carriedOut.set(suffix, { field, stored: stored[field], seen: seen!.value[field] })
      }
      if (carriedOut.size > 0) {
        begin()
        trial.session.changes.confirm({ contactId })
        await put(trial, contact.value, await updateBody(trial, contact.value, stored))
      }
      return carriedOut
    },
  }
}

async function control(trial: Trial, operation: OperationId, call: Call): Promise<void> {
  const { success, status, exchange } =
    operation === 'updateContact'
      ? await put(trial, (await updatableContact(trial)).value, call.body)
      : await trial.session.attempt(operation, call)
  // The status alone tells that the token was accepted: what is wrong with the answer is judged elsewhere.
  if (success) return
  if (status !== undefined && LOCKED.has(status) && hasSentBadTokens(trial, operation))
    trial.notExercised(
      `Needs a target that lets the good token in after bad ones; this one then refused it (status ${status}), unless the token had expired.`,
    )
  if (operation === 'updateContact')
    return trial.notExercised(
      `Needs an update that is accepted; stored values sent back were answered with status ${status}.`,
    )
  await judgeUnexpectedRefusal(trial, operation, call, exchange)
  await trial.session.askAgain(operation, call)
}

/** Whether bad tokens have been sent, and the good one was accepted before. */
function hasSentBadTokens(trial: Trial, operation: OperationId): boolean {
  const { exchanges } = trial.session.evidence
  return wasAccepted(trial, operation) && exchanges.some(({ request }) => typeof request.caller === 'object')
}

function wasAccepted(trial: Trial, operation: OperationId): boolean {
  return trial.session.evidence.answers.some(
    ({ exchange, usable }) => usable && exchange.operation === operation && exchange.request.caller === 'main',
  )
}

function judgeRefusal(trial: Trial, operation: OperationId, bad: BadToken, probe: Probe, valid: Call): void {
  const data = resourcesIn(trial.session.contract, operation, probe.body).filter(
    (record) => isList(operation) || (operation === 'getTag' && idOf(record) === valid.path?.['tagId']),
  )
  if (!probe.success && data.length === 0) return
  if (bad.mayBeEqual?.(trial.session.run.credentials.token('main')))
    trial.notExercised(
      `Needs a token with letters beyond f: ACCESS_TOKEN is a number in base 16, which may be the same ${bad.phrase.replace('with the token ', '')}; it was accepted so.`,
    )
  trial.fail({
    message: `a call ${bad.phrase} was accepted`,
    expected: 'a refusal: no success status and no data',
    received: `status ${probe.status}${data.length > 0 ? ` with ${data.length} record(s)` : ''}`,
    exchange: probe.exchange,
  })
}
