import { essence, type Reading, type Step } from '../engine/answer.ts'
import { isOfAGateway, isTransient, TRANSIENT_STATUS } from '../engine/kinds-of-trouble.ts'
import type { OperationId } from '../engine/contract.ts'
import { COMPANIES } from '../engine/credentials.ts'
import { headerOf, idInPath, isForbidden, isHang, isSuccess, queryOf, type Exchange } from '../engine/exchange.ts'
import { grouped } from '../engine/grouped.ts'
import { orElse } from '../engine/or-else.ts'
import { idOf, sameValue, type Located, type Schemas } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import { isFault, type Probe } from '../engine/session.ts'
import { Unanswered } from '../engine/unanswered.ts'
import type { Trial } from '../engine/trial.ts'
import { contactsToTry, learnUpdates, tokenMayNot, updateBody } from './learn-updates.ts'
import { makeSureOfAnAnswer } from './calls.ts'
import { bodyOf, LOCKED, LOCKED_MS, put, REFUSAL_OF_THE_MOMENT, updatesSent } from './send-update.ts'
import { inForm, storedBody, UPDATE_FIELDS } from './update-body.ts'
import { acceptsNewValues } from './checks/accepts-new-values.ts'
import { isStillListed } from './checks/fetched-tag.ts'
import { freshValues } from './checks/fresh-values.ts'
import { findContact, walkAgain } from './checks/read-back.ts'
import { roundTrip, type RoundTrip } from './checks/round-trip.ts'
import { updateEveryField } from './checks/update-every-field.ts'
import { isList, PLURAL, OPERATIONS, SECTION } from './operations.ts'

const TIMES_SENT_AGAIN = 2
const TIMES_AT_LAST = 2
const NOT_FOUND = 404
/** Contacts that are listed and not found are all behind one cause. */
const CONTACTS_TRIED = 3
/** Refusals that may mean that something is missing in the body. */
const MAY_LACK_A_FIELD: ReadonlySet<number> = new Set([400, 409, 422])
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
      let unanswered: Unanswered | undefined
      if (operation !== 'updateContact') unanswered = await tryForAnAnswer(trial, operation)
      else if (step === 'status') await judgeUpdates(trial)
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
  // A tag that was deleted stays not found.
  if (!exchange || (operation === 'getTag' && !(await isStillListed(trial, idInPath(exchange))))) return
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
    return undefined
  } catch (error) {
    // That is what is judged here.
    if (error instanceof Unanswered && error.operation === operation) return error
    throw error
  }
}

const REFUSED_AND_ACCEPTED = 'an update was refused, and accepted when the same was sent again'
const REFUSED_AGAIN = 'an update that had been accepted was refused when it was sent again'

/** Which values are refused is open; but an update that nobody can make, or only now and then, is none. */
async function judgeUpdates(trial: Trial): Promise<void> {
  const { contacts, form, tried } = await learnUpdates(trial)
  const { exchange } = tried.at(-1)!
  trial.count('updates', tried.length)
  if (exchange.failure && judgeSilence(trial)) return
  if (exchange.failure)
    // Looked at twice: the connection may have been broken once.
    return trial.differ({
      message: 'an update was not answered',
      expected: 'an answer',
      received: exchange.failure.message,
      exchange,
    })
  if (!form) return judgeUpdateThatIsNone(trial, contacts[0]!, await ofListed(trial, tried))
  try {
    await judgeSteadiness(trial, contacts[0]!)
  } catch (error) {
    if (error instanceof Unanswered) judgeSilence(trial)
    throw error
  }
  judgeErrorsNowAndThen(trial)
  await judgeErrorsOfSome(trial, tried)
  await judgeNotFound(trial)
  const { trips, refused } = await updateEveryField(trial)
  for (const trip of new Set(trips.values())) judgeRefused(trial, trip)
  // What is not found is for `judgeNotFound`, which asks again: a gateway may have lost its way for a while.
  const [first] = refused.every(({ response }) => response?.status === NOT_FOUND) ? [] : refused
  if (first)
    trial.fail({
      message: 'every update that changes a value was refused',
      expected: 'a success for a new value of one field or another',
      received: `status ${[...new Set(refused.map(({ response }) => response?.status))].join(', ')} for ${refused.length} updates`,
      exchange: first,
    })
}

/**
 * Those updates whose contacts are still listed: one that is gone is refused for that.
 * @throws NotExercised where the rest tells that the token may not update contacts, or there is none.
 */
async function ofListed(trial: Trial, tried: readonly Probe[]): Promise<readonly Probe[]> {
  const { contacts, isWhole } = await walkAgain(trial)
  const ids = new Set(contacts.map(({ value }) => idOf(value)))
  const rest = tried.filter(({ exchange }) => !isWhole || ids.has(idInPath(exchange)))
  if (rest.length === 0) trial.notExercised('Needs contacts that are not deleted while they are updated.')
  if (tokenMayNot(rest)) trial.notExercised('Needs a token that may update contacts; this one may not.')
  return rest
}

/**
 * Stored values that are never accepted may be refused for changing nothing, or for what the contact does not show and an
 * update must have: new values tell the one, the status the other.
 */
async function judgeUpdateThatIsNone(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  tried: readonly Probe[],
): Promise<void> {
  const fresh = await freshValues(trial, contact)
  judgeRefused(trial, await roundTrip(trial, contact, fresh))
  const statuses = [...new Set(tried.map(({ status }) => status))]
  for (const one of await contactsToTry(trial, [contact])) {
    if (!(await acceptsNewValues(trial, one, one === contact ? fresh : await freshValues(trial, one)))) continue
    // Whatever stored values are refused for, it is not that there is no such contact.
    if (statuses.some((status) => status !== NOT_FOUND) || tried.some(({ exchange }) => isOfAGateway(exchange)))
      trial.notExercised('Needs a target that lets stored values be sent back unchanged.')
    return trial.fail({
      message: 'an update that changes nothing did not find its contact, which one that changes something finds',
      expected: 'a success, or a refusal that does not deny the contact',
      received: `status ${NOT_FOUND} for ${tried.length} updates`,
      exchange: tried.at(-1)!.exchange,
    })
  }
  const inTrouble = statuses.filter((status) => status !== undefined && TRANSIENT_STATUS.has(status))
  if (inTrouble.length > 0 && inTrouble.length < statuses.length)
    trial.notExercised('Needs a target of which no part is down while contacts are updated.')
  const stored = storedBody(contact.value)
  const isWhole = UPDATE_FIELDS.every((field) => stored[field] !== undefined)
  if (!isWhole && statuses.some((status) => status !== undefined && MAY_LACK_A_FIELD.has(status)))
    trial.notExercised('Needs a contact that shows every field of an update, as any of them may be needed.')
  const hasWorked = ownUpdates(trial).some(isSuccess)
  const finding = {
    message: hasWorked ? REFUSED_AGAIN : 'no form of a plain update was accepted',
    expected: 'a success for stored values sent back: all of them, or some, of one contact or another',
    received: `status ${statuses.join(', ')} for ${tried.length} updates`,
    exchange: tried.at(-1)!.exchange,
  }
  if (hasWorked) trial.fail(finding)
  // A contact that is gone can't be updated.
  else trial.differ(finding, { operation: 'listContacts', id: idOf(contact.value) })
}

/** The same stored values, sent back again and again, are accepted each time. */
async function judgeSteadiness(trial: Trial, contact: Located<Schemas['Contact']>): Promise<void> {
  trial.count('updates', TIMES_SENT_AGAIN)
  for (const { status, exchange } of await refusedAgain(trial, contact))
    trial.fail({
      message: REFUSED_AGAIN,
      expected: 'a success, as before',
      received: `status ${status}`,
      exchange,
      once: isFault(exchange),
    })
}

/** What is a server's error once, and a success another time, was asked for no more by the one than by the other. */
function judgeErrorsNowAndThen(trial: Trial): void {
  const sent = grouped(ownUpdates(trial), ({ request }) => JSON.stringify([request.url, request.body]))
  for (const [, alike] of sent) {
    const exchange = alike.find((one) => !isSuccess(one) && isFault(one) && !isTransient(one))
    if (!exchange || !alike.some(isSuccess)) continue
    trial.fail({
      message: REFUSED_AND_ACCEPTED,
      expected: 'a success each time',
      received: `status ${exchange.response?.status}`,
      exchange,
      once: true,
    })
  }
}

/** Stored values that are accepted for one contact are, for another, met by no error of the server's. */
async function judgeErrorsOfSome(trial: Trial, tried: readonly Probe[]): Promise<void> {
  const { byId } = await trial.list('listContacts')
  const accepted = tried.find(({ success }) => success)
  const isError = ({ exchange }: Probe): boolean => !isSuccess(exchange) && isFault(exchange) && !isTransient(exchange)
  for (const probe of tried.filter(isError)) {
    const { exchange } = probe
    const contact = byId.get(idInPath(exchange))
    const isAlike = accepted && sameFields(exchange, accepted.exchange)
    if (!contact || !isAlike || !isError(await put(trial, contact.value, bodyOf(exchange.request)!))) continue
    trial.fail({
      message: 'stored values of a contact, sent back, were met by an error, and those of another were accepted',
      expected: 'a success, as for others',
      received: `status ${exchange.response?.status}`,
      record: idOf(contact.value),
      exchange,
    })
  }
}

function sameFields(one: Exchange, other: Exchange): boolean {
  const [fields, others] = [one, other].map(({ request }) =>
    Object.keys(bodyOf(request) ?? {})
      .toSorted()
      .join(),
  )
  return fields === others
}

/** Whether updates hung after one that was answered and was the last, as long as a request may take: that is a finding. */
function judgeSilence(trial: Trial): boolean {
  const sent = ownUpdates(trial)
  const hung = sent.slice(sent.findLastIndex(({ response }) => response) + 1)
  const exchange = hung.find(({ failure }) => failure?.kind === 'timeout')
  if (exchange && hung.length > 1 && hung.length < sent.length)
    trial.fail({
      message: 'updates stopped being answered',
      expected: 'an answer',
      received: exchange.failure!.message,
      exchange,
      once: true,
    })
  return trial.findings.length > 0
}

/** Refusals of stored values that had been accepted; asked once, though what weighs every answer is judged at the end again. */
function refusedAgain(trial: Trial, contact: Located<Schemas['Contact']>): Promise<readonly Probe[]> {
  return trial.session.remember('updates sent again', async () => {
    const body = await updateBody(trial, contact.value)
    const refused: Probe[] = []
    for (let time = 0; time < TIMES_SENT_AGAIN; time++) {
      let probe = await put(trial, contact.value, body)
      if (LOCKED.has(probe.status ?? 0)) {
        // Others may have updated it at this moment, or refusals for other reasons have hidden that it was a lock.
        await trial.session.pause(LOCKED_MS)
        probe = await put(trial, contact.value, body)
      }
      const { success, status } = probe
      if (success || status === undefined || REFUSAL_OF_THE_MOMENT.has(status)) continue
      const still = await findContact(trial, idOf(contact.value)!, [contact.value.name])
      // What was stored otherwise than it was sent is not sent as it is; an error of the target's is one all the same.
      const isAsSent = (one: Schemas['Contact']): boolean => sameValue(storedBody(one), storedBody(contact.value))
      if (still && (isFault(probe.exchange) || isAsSent(still.value))) refused.push(probe)
    }
    // Somebody else who had changed the contact before the first update made that one change something: the next ones do not.
    const changesNothing = refused.length === TIMES_SENT_AGAIN
    const isExcused = changesNothing && (await acceptsNewValues(trial, contact, await freshValues(trial, contact)))
    return isExcused ? [] : refused
  })
}

/** Every update that the company sent, accepted or not. */
function ownUpdates(trial: Trial): readonly Exchange[] {
  return updatesSent(trial).filter(({ request }) => request.caller === trial.session.caller)
}

/** What is listed is there: whatever an update of it may be refused for, it is not for that. */
async function judgeNotFound(trial: Trial): Promise<void> {
  const { byId } = await trial.list('listContacts')
  const sent = ownUpdates(trial)
  const notFound = sent.filter(({ response }) => response?.status === NOT_FOUND)
  const accepted = sent.find(isSuccess)
  // What no accepted update has had may be what was refused.
  const acceptedBody = accepted && bodyOf(accepted.request)
  const fields = accepted && Object.keys(acceptedBody ?? {})
  for (const contactId of [...new Set(notFound.map(idInPath))].slice(0, CONTACTS_TRIED)) {
    const contact = byId.get(contactId)
    if (!contact) continue
    // The connection that it names may be gone.
    const { channel: _channel, chatappId: _connection, ...own } = await updateBody(trial, contact.value)
    // Nor need every contact show the company that every update names.
    const body = { ...inForm(acceptedBody ?? {}, ['companyId']), ...own }
    const { status, exchange } = await put(trial, contact.value, fields ? inForm(body, fields) : body)
    if (status !== NOT_FOUND || !(await findContact(trial, contactId, [contact.value.name]))) continue
    trial.fail({
      message: 'an update of a listed contact did not find it',
      expected: 'a success, as for others',
      received: `status ${status}`,
      record: contactId,
      exchange,
    })
  }
}

function judgeRefused(
  trial: Trial,
  {
    accepted,
    carriedOut,
    refusedOnce,
    stored,
    exchange,
  }: Pick<RoundTrip, 'accepted' | 'stored' | 'exchange'> & Partial<RoundTrip>,
): void {
  if (refusedOnce)
    trial.fail({
      message: REFUSED_AND_ACCEPTED,
      expected: 'a success, or a refusal each time',
      received: `status ${refusedOnce.response?.status}`,
      exchange: refusedOnce,
      once: isFault(refusedOnce),
    })
  // An outage in the middle of an update may leave it half done.
  if (accepted || isTransient(exchange)) return
  trial.count('refused updates')
  if (carriedOut)
    trial.fail({
      message: `an update was answered with a refusal, and its ${carriedOut.field} was stored`,
      expected: `a success, or ${JSON.stringify(stored[carriedOut.field])} as before`,
      received: `status ${exchange.response?.status}, and ${JSON.stringify(carriedOut.contact.value[carriedOut.field])} in exchange ${carriedOut.contact.exchange.number}`,
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
