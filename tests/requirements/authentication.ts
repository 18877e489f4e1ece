import { resourcesIn } from '../engine/http/answer.ts'
import type { Call } from '../engine/http/client.ts'
import type { OperationId } from '../engine/contract.ts'
import type { Company } from '../engine/http/credentials.ts'
import { idOf } from '../engine/data/records.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Probe } from '../engine/judging/session.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { beginChange, put } from './checks/updates/send-update.ts'
import { askAsAnotherClient, judgeUnexpectedRefusal, validCall } from './calls.ts'
import { inForm, storedBody, UPDATE_TEXTS, type UpdateBody, type UpdateField } from './checks/updates/update-body.ts'
import { updatableContact, updateBody } from './checks/updates/learn-updates.ts'
import { restoreAll } from './restoration/restoration.ts'
import { ANY_TOKEN, BAD_TOKENS, NO_HEADER, PLAINLY, type BadToken } from './checks/tokens/bad-tokens.ts'
import { filteredCalls, withOneParameter } from './checks/tokens/calls-with-parameters.ts'
import { freshValues, TIED } from './checks/updates/fresh-values.ts'
import { isKept } from './checks/updates/kept.ts'
import { updatesThatLeaveOut } from './checks/updates/left-out.ts'
import { reportShownByRefusals } from './checks/tokens/refused-with-a-record.ts'
import { everyRecord } from '../engine/data/every-record.ts'
import { companyIdOf, inHeader, namingCompanyOf } from './checks/tokens/other-company.ts'
import { findContact } from './checks/updates/read-back.ts'
import { isList, isOneOf, LISTS, OPERATIONS, PAGED, READING, SEARCHED } from './operations.ts'

/** One demand on refusal: which bad tokens are tried on which variations of a valid call. */
interface RefusalDemand {
  readonly suffix: string
  readonly title: string
  readonly badTokens: readonly BadToken[]
  readonly variations: (trial: Trial) => readonly Call[]
}

/** What callers get for some time where too many bad tokens came from one place. */
const LOCKED: ReadonlySet<number> = new Set([401, 403, 423, 503])

/** The list on which bad tokens are made from the second company's: how a token is compared may be that of the first alone. */
const OF_THE_SECOND_COMPANY: OperationId = 'listTags'

/** A list and a record that are asked for at an address with a slash too. */
const AT_ANOTHER_ADDRESS: readonly OperationId[] = ['listContacts', 'getTag']

/** Operations that are asked for in the name of a company too: what a gateway adds is taken for a token. */
const IN_THE_NAME_OF_A_COMPANY: readonly OperationId[] = ['listContacts', 'getTag', 'updateContact']

/** Fields that an update with some bad tokens sends alone, where that is accepted: another guard may let a short body through. */
const SENT_ALONE: readonly (readonly UpdateField[])[] = [
  ['isOpen'],
  ['name'],
  ['isBotEnabled', 'isAdmin'],
  ['utmTerms'],
]

/** Records of each list that a refusal is searched for: it shows what comes first, or anything. */
const RECORDS_LOOKED_FOR = 1000

/** A call that must be refused. */
interface Attempt {
  /** That of the demand. */
  readonly suffix: string
  readonly bad: BadToken
  /** Whose token the bad one is made from. */
  readonly company: Company
  /** The header's value; undefined sends none. */
  readonly value: string | undefined
  readonly variation: Call
}

interface Attempted extends Attempt {
  readonly probe: Probe
  /** What an update did, whatever was answered. */
  readonly carriedOut: CarriedOut | undefined
}

/**
 * Every endpoint requires the header Authorization with the value Bearer <ACCESS_TOKEN>. What else a service takes from
 * who does have the token is not judged: another scheme (an observation), the query, the cookie of a session.
 */
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
    variations: (trial) => [
      // An update of nothing may be answered before anybody asks who sent it.
      ...(operation === 'updateContact' && bad === NO_HEADER ? [{ body: {} }] : []),
      ...(AT_ANOTHER_ADDRESS.includes(operation) && bad === NO_HEADER ? [{ endsWithSlash: true }] : []),
      ...(IN_THE_NAME_OF_A_COMPANY.includes(operation) && bad === NO_HEADER
        ? namingCompanyOf(everyRecord(trial, 'listContacts', 'main')[0]?.record)
        : []),
      PLAINLY.includes(bad) ? {} : withOneParameter(trial, operation, bad),
    ],
  }))
  if (isOneOf(operation, PAGED))
    demands.push({
      suffix: 'second-page',
      title: 'A later page needs the token too.',
      badTokens: [NO_HEADER, ANY_TOKEN],
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
  const attempts = await sendUnauthorized(trial, operation, valid)
  const mine = attempts.filter(({ suffix }) => suffix === demand.suffix)
  if (mine.length === 0) trial.notExercised('Needs a token with letters; ACCESS_TOKEN has none.')
  const [{ bad }] = mine as [Attempted]
  const words = { message: `a refusal of a call ${bad.phrase} shows a record`, expected: 'a refusal without data' }
  const refused = mine.map(({ probe }) => probe.exchange)
  reportShownByRefusals(trial, refused, await recordsShown(trial), [], words)
  for (const attempted of mine) {
    trial.count('refusals')
    judgeRefusal(trial, operation, attempted, valid)
    const { bad, probe, carriedOut } = attempted
    if (carriedOut && !probe.success)
      trial.fail({
        message: `an update of ${String(carriedOut.field)} ${bad.phrase} was refused and carried out`,
        expected: carriedOut.stored,
        received: carriedOut.seen,
        exchange: probe.exchange,
        // Nobody else could have sent the text.
        once: typeof carriedOut.seen === 'string',
      })
  }
}

/** The records that good tokens have been shown, once per pass: a refusal shows none of them. */
function recordsShown(trial: Trial): Promise<readonly object[]> {
  return trial.session.remember('records that were shown', () => {
    const byList = LISTS.map((list) => everyRecord(trial, list).map(({ record }) => [idOf(record), record] as const))
    return Promise.resolve(byList.flatMap((some) => [...new Map(some).values()].slice(0, RECORDS_LOOKED_FOR)))
  })
}

/** What became of a plain call of the operation with each bad token. */
export async function refusals(trial: Trial, operation: OperationId): Promise<readonly Attempted[]> {
  const attempts = await sendUnauthorized(trial, operation, await validCall(trial, operation))
  return attempts.filter(({ suffix, bad, variation }) => suffix === bad.name && !variation.endsWithSlash)
}

interface CarriedOut {
  readonly field: keyof UpdateBody
  /** What the contact had, and what it showed then. */
  readonly stored: unknown
  readonly seen: unknown
}

/** Sends every call that must be refused, between two with the good token, which prove that refusals mean something. */
function sendUnauthorized(trial: Trial, operation: OperationId, valid: Call): Promise<readonly Attempted[]> {
  return trial.session.remember(`authentication ${operation}`, async () => {
    await beforeBadTokens(trial)
    await ensureAccepted(trial, operation)
    const attempts = await attemptsOn(trial, operation)
    const changes = operation === 'updateContact' ? await changesOf(trial, attempts) : undefined
    const send = ({ bad, value, variation }: Attempt, at: number): Promise<Probe> =>
      trial.session.attemptUnauthorized(
        operation,
        { ...(changes?.calls[at] ?? valid), ...variation },
        { caller: { refused: bad.phrase }, value },
      )
    const probes = await Promise.all(attempts.map(send))
    const carriedOut = await changes?.readBack(probes.every(({ success }) => !success))
    await control(trial, operation, valid)
    return attempts.map((attempt, at) => ({ ...attempt, probe: probes[at]!, carriedOut: carriedOut?.[at] }))
  })
}

async function attemptsOn(trial: Trial, operation: OperationId): Promise<readonly Attempt[]> {
  const { credentials } = trial.session.run
  const isOthers = operation === OF_THE_SECOND_COMPANY && wasAccepted(trial, operation, 'other')
  const company: Company = isOthers ? 'other' : 'main'
  const companyId = inHeader(await companyIdOf(trial, company))
  const headersOf = ({ headers }: BadToken): ReadonlySet<string | undefined> =>
    new Set(turnsOf(trial, operation).flatMap((turn) => headers(credentials.token(company), turn, companyId)))
  return refusalDemandsOn(operation).flatMap(({ suffix, badTokens, variations }) =>
    variations(trial).flatMap((variation) =>
      badTokens.flatMap((bad) => [...headersOf(bad)].map((value) => ({ suffix, bad, company, value, variation }))),
    ),
  )
}

/** Whose bad tokens an operation is sent: where others are left out, the last one takes theirs, too. */
function turnsOf({ session: { settings } }: Trial, operation: OperationId): readonly OperationId[] {
  const judged = OPERATIONS.filter((one) => settings.operations?.includes(one) !== false)
  return operation === judged.at(-1) ? [operation, ...OPERATIONS.filter((one) => !judged.includes(one))] : [operation]
}

/** Goes before every bad token: the good one is tried on every operation, and what is changed is put back with it. */
export function beforeBadTokens(trial: Trial): Promise<void> {
  return trial.session.remember('before bad tokens', async () => {
    await Promise.allSettled(OPERATIONS.map((every) => ensureAccepted(trial, every)))
    // A target may let nobody in after them.
    await Promise.allSettled(READING.map((every) => askAsAnotherClient(trial, every)))
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

/**
 * Updates that must be refused change every text, or few fields alone, each to values of its own: what is carried out shows,
 * whichever came last.
 */
async function changesOf(
  trial: Trial,
  attempts: readonly Attempt[],
): Promise<{
  readonly calls: readonly Call[]
  /** Tells what each of them did all the same, and undoes it. */
  readonly readBack: (isRefused: boolean) => Promise<readonly (CarriedOut | undefined)[]>
}> {
  const contact = await updatableContact(trial)
  const contactId = idOf(contact.value)!
  const stored = storedBody(contact.value)
  const { takesParts } = await updatesThatLeaveOut(trial)
  const inParts = attempts.filter(({ bad }) => takesParts && !PLAINLY.includes(bad))
  const drawn: UpdateBody[] = []
  const calls: Call[] = []
  for (const attempt of attempts) {
    const fresh = await freshValues(trial, contact)
    const alone = inForm(fresh, SENT_ALONE[inParts.indexOf(attempt)] ?? [])
    const texts = UPDATE_TEXTS.filter((field) => fresh[field] !== undefined && !TIED.includes(field))
    const isPart = Object.keys(alone).length > 0
    const values = isPart ? alone : inForm(fresh, texts)
    drawn.push(values)
    calls.push({ path: { contactId }, body: isPart ? alone : await updateBody(trial, contact.value, values) })
  }
  // What could not be put back before is not settled by this.
  const { changes, caller: owner } = trial.session
  const record = { path: { contactId }, owner }
  const wasOpen = changes.find(record) !== undefined
  const begin = (): void => {
    for (const values of drawn) beginChange(trial, contact.value, { ...stored, ...values })
  }
  begin()
  return {
    calls,
    readBack: async (isRefused) => {
      // A target may let nobody in after bad tokens, and then no refused update can be seen to have been carried out.
      const seen = await findContact(trial, contactId, [stored.name]).finally(() => {
        if (isRefused && !wasOpen) changes.settle(record)
      })
      const carriedOut = drawn.map((values): CarriedOut | undefined => {
        const fields = Object.keys(values) as (keyof UpdateBody)[]
        const field = seen && fields.find((one) => !isKept(one, stored, seen.value) && isKept(one, values, seen.value))
        return field && { field, stored: stored[field], seen: seen.value[field] }
      })
      if (carriedOut.some(Boolean)) {
        begin()
        changes.confirm(record)
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

function wasAccepted(trial: Trial, operation: OperationId, company: Company = 'main'): boolean {
  return trial.session.evidence.answers.some(
    ({ exchange, usable }) => usable && exchange.operation === operation && exchange.request.caller === company,
  )
}

function judgeRefusal(
  trial: Trial,
  operation: OperationId,
  { bad, company, value, variation, probe }: Attempted,
  valid: Call,
): void {
  const data = resourcesIn(trial.session.contract, operation, probe.body).filter(
    (record) => isList(operation) || (operation === 'getTag' && idOf(record) === valid.path?.['tagId']),
  )
  // Another address may be answered with anything that is nobody's, such as a page.
  if (data.length === 0 && (!probe.success || variation.endsWithSlash)) return
  const { credentials } = trial.session.run
  const how = bad.phrase.replace('with the token ', '')
  const hasOther = trial.session.target.otherAccessToken !== undefined
  if (hasOther && (['main', 'other'] as const).some((one) => value === `Bearer ${credentials.token(one)}`))
    trial.notExercised(`Needs tokens that are less alike: one company's, ${how}, is the other's.`)
  if (bad.mayBeEqual?.(credentials.token(company)))
    trial.notExercised(
      `Needs a token with letters beyond f: ${company === 'main' ? '' : 'OTHER_'}ACCESS_TOKEN is a number in base 16, which may be the same ${how}; it was accepted so.`,
    )
  trial.fail({
    // An error may stand in what a success status answers.
    message: `a call ${bad.phrase} was ${data.length > 0 ? 'accepted' : 'not refused'}`,
    expected: 'a refusal: no success status and no data',
    received: `status ${probe.status}${data.length > 0 ? ` with ${data.length} record(s)` : ''}`,
    exchange: probe.exchange,
  })
}
