import { grouped } from '../../../engine/data/grouped.ts'
import { idInPath, isSuccess, NOT_FOUND, type Exchange } from '../../../engine/http/exchange.ts'
import { isOfAGateway, isTransient, TRANSIENT_STATUS } from '../../../engine/trouble/kinds-of-trouble.ts'
import { idOf, idsOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import { isFault, type Probe } from '../../../engine/judging/session.ts'
import { CACHED_MS } from '../../../engine/time/time.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { Unanswered } from '../../../engine/trouble/unanswered.ts'
import { contactsToTry, learnUpdates, tokenMayNot, updateBody } from './learn-updates.ts'
import { bodyOf, LOCKED, LOCKED_MS, put, REFUSAL_OF_THE_MOMENT, updatesSent } from './send-update.ts'
import {
  inForm,
  isFlag,
  storedBody,
  storedValue,
  UPDATE_BOOLEANS,
  UPDATE_FIELDS,
  UPDATE_TEXTS,
  type UpdateBody,
} from './update-body.ts'
import { acceptsNewValues } from './accepts-new-values.ts'
import { freshValues } from './fresh-values.ts'
import { findContact, walkAgain } from './read-back.ts'
import { roundTrip, type RoundTrip } from './round-trip.ts'
import { updateEveryField } from './update-every-field.ts'

const TIMES_SENT_AGAIN = 2
/** Contacts that are listed and not found are all behind one cause. */
const CONTACTS_TRIED = 3
/** Refusals that may mean that something is missing in the body. */
const MAY_LACK_A_FIELD: ReadonlySet<number> = new Set([400, 409, 422])

const REFUSED_AND_ACCEPTED = 'an update was refused, and accepted when the same was sent again'
const REFUSED_AGAIN = 'an update that had been accepted was refused when it was sent again'

/** Which values are refused is open; but an update that nobody can make, or only now and then, is none. */
export async function judgePlainUpdates(trial: Trial): Promise<void> {
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
  await judgeErrorsNowAndThen(trial)
  await judgeNotFound(trial)
  const { trips, refused } = await updateEveryField(trial)
  await judgeErrorsOfSome(trial, tried)
  for (const trip of new Set(trips.values())) judgeRefused(trial, trip)
  const ofTexts = UPDATE_TEXTS.flatMap((field) => trips.get(field) ?? [])
  if (form.every(isFlag) && ofTexts.length > 0 && !ofTexts.some(({ accepted }) => accepted))
    trial.fail({
      message: 'flags of a contact can be updated, and none of its texts can',
      expected: 'a success for one text or another, stored or new',
      received: `status ${ofTexts[0]!.exchange.response?.status}`,
      exchange: ofTexts[0]!.exchange,
    })
  // What is not found is for `judgeNotFound`, which asks again: a gateway may have lost its way for a while.
  const [first] = refused.every(({ response }) => response?.status === NOT_FOUND) ? [] : refused
  // One that somebody has deleted meanwhile is refused for that.
  if (first && (await ofStillListed(trial, refused)).length === refused.length)
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
  const ids = idsOf(contacts)
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
  const hasWorked = ownUpdates(trial).some(isSuccess)
  if (inTrouble.length > 0 && (hasWorked || inTrouble.length < statuses.length))
    trial.notExercised('Needs a target of which no part is down while contacts are updated.')
  const stored = storedBody(contact.value)
  const isWhole = UPDATE_FIELDS.every((field) => stored[field] !== undefined)
  if (!isWhole && statuses.some((status) => status !== undefined && MAY_LACK_A_FIELD.has(status)))
    trial.notExercised('Needs a contact that shows every field of an update, as any of them may be needed.')
  const state = await stateOfAll(trial)
  if (!hasWorked && state !== undefined && statuses.every((status) => LOCKED.has(status ?? 0)))
    trial.notExercised(`Needs a contact whose ${state}: that all are so may be why updates are refused.`)
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

/** The state in which all contacts are, of those that may forbid an update; told by what it would take to be in another. */
async function stateOfAll(trial: Trial): Promise<string | undefined> {
  const { records } = await trial.list('listContacts')
  const flag = UPDATE_BOOLEANS.find((one) =>
    records.every(({ value }) => storedValue(value, one) === (one !== 'active')),
  )
  return flag && `${flag} is ${flag === 'active'}`
}

/** The same stored values, sent back again and again, are accepted each time. */
async function judgeSteadiness(trial: Trial, contact: Located<Schemas['Contact']>): Promise<void> {
  trial.count('updates', TIMES_SENT_AGAIN)
  for (const exchange of await refusedAgain(trial, contact))
    trial.fail({
      message: REFUSED_AGAIN,
      expected: 'a success, as before',
      received: `status ${exchange.response?.status}`,
      exchange,
      once: isFault(exchange),
    })
}

/**
 * The updates whose contacts are still listed when no cache keeps them any more, with those: for a contact that is gone, a
 * target may answer anything.
 */
async function ofStillListed(
  trial: Trial,
  updates: readonly Exchange[],
): Promise<{ readonly exchange: Exchange; readonly contact: Located<Schemas['Contact']> }[]> {
  if (updates.length === 0) return []
  await trial.session.pause(CACHED_MS)
  const { byId } = await trial.list('listContacts')
  const listed = new Map<string, Located<Schemas['Contact']>>()
  await trial.each([...new Set(updates.map(idInPath))], async (contactId) => {
    const contact = await findContact(trial, contactId, [byId.get(contactId)?.value.name])
    if (contact) listed.set(contactId, contact)
  })
  return updates.flatMap((exchange) => {
    const contact = listed.get(idInPath(exchange))
    return contact ? [{ exchange, contact }] : []
  })
}

/** What is a server's error once, and a success another time, was asked for no more by the one than by the other. */
async function judgeErrorsNowAndThen(trial: Trial): Promise<void> {
  const sent = grouped(ownUpdates(trial), ({ request }) => JSON.stringify([request.url, request.body]))
  const failed = sent.flatMap(([, alike]) => (alike.some(isSuccess) ? (alike.find(isServersError) ?? []) : []))
  for (const { exchange } of await ofStillListed(trial, failed))
    trial.fail({
      message: REFUSED_AND_ACCEPTED,
      expected: 'a success each time',
      received: `status ${exchange.response?.status}`,
      exchange,
      once: true,
    })
}

/** Where updates are accepted, stored values that are sent back are met by no error of the server's: all of them, or of another contact. */
async function judgeErrorsOfSome(trial: Trial, tried: readonly Probe[]): Promise<void> {
  const { byId } = await trial.list('listContacts')
  const failed: Exchange[] = []
  const errors = [...tried.map(({ exchange }) => exchange), ...wholeUpdatesOf(trial, byId)].filter(isServersError)
  for (const [contactId, [exchange]] of grouped(errors, idInPath).slice(0, CONTACTS_TRIED)) {
    const contact = byId.get(contactId)
    if (contact && isServersError((await put(trial, contact.value, bodyOf(exchange!.request)!)).exchange))
      failed.push(exchange!)
  }
  for (const { exchange, contact } of await ofStillListed(trial, failed))
    trial.fail({
      message: 'stored values of a contact, sent back, were met by an error, though others are accepted',
      expected: 'a success, as for others',
      received: `status ${exchange.response?.status}`,
      record: idOf(contact.value),
      exchange,
    })
}

/** Updates that sent back what contacts show, with every field that an accepted one had: a part may need others beside it. */
function wholeUpdatesOf(trial: Trial, byId: ReadonlyMap<string, Located<Schemas['Contact']>>): readonly Exchange[] {
  const sent = ownUpdates(trial).map((exchange) => ({ exchange, body: bodyOf(exchange.request) ?? {} }))
  const accepted = sent.flatMap(({ exchange, body }) => (isSuccess(exchange) ? [Object.keys(body)] : []))
  return sent.flatMap(({ exchange, body }) => {
    const contact = byId.get(idInPath(exchange))?.value
    const isWhole = accepted.some((fields) => fields.length > 0 && fields.every((field) => field in body))
    return contact && isWhole && isSentBack(body, contact) ? [exchange] : []
  })
}

/** Whether a body has nothing but what the contact shows, of the same types. */
function isSentBack(body: UpdateBody, contact: Schemas['Contact']): boolean {
  const shown = { ...storedBody(contact), companyId: contact.companyId }
  return Object.entries(body).every(([field, value]) => value === shown[field as keyof typeof shown])
}

/** Whether an update was answered with an error of the server's own, and not of the moment. */
function isServersError(exchange: Exchange): boolean {
  return !isSuccess(exchange) && isFault(exchange) && !isTransient(exchange)
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
function refusedAgain(trial: Trial, contact: Located<Schemas['Contact']>): Promise<readonly Exchange[]> {
  return trial.session.remember('updates sent again', async () => {
    const body = await updateBody(trial, contact.value)
    const sent: Exchange[] = []
    for (let time = 0; time < TIMES_SENT_AGAIN; time++) {
      let probe = await put(trial, contact.value, body)
      if (LOCKED.has(probe.status ?? 0)) {
        // Others may have updated it at this moment, or refusals for other reasons have hidden that it was a lock.
        await trial.session.pause(LOCKED_MS)
        probe = await put(trial, contact.value, body)
      }
      const { success, status, exchange } = probe
      if (!success && status !== undefined && !REFUSAL_OF_THE_MOMENT.has(status)) sent.push(exchange)
    }
    // What was stored otherwise than it was sent is not sent as it is; an error of the target's is one all the same.
    const isAsSent = (one: Schemas['Contact']): boolean => sameValue(storedBody(one), storedBody(contact.value))
    const refused = (await ofStillListed(trial, sent)).flatMap(({ exchange, contact: { value } }) =>
      isFault(exchange) || isAsSent(value) ? [exchange] : [],
    )
    // Somebody else who had changed the contact made one update change something: the next ones do not.
    const isRefusedStill = async (): Promise<boolean> =>
      refused.length === TIMES_SENT_AGAIN || !(await put(trial, contact.value, body)).success
    const isExcused =
      refused.length > 0 &&
      !refused.some(isFault) &&
      (await isRefusedStill()) &&
      (await acceptsNewValues(trial, contact, await freshValues(trial, contact)))
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
  if (notFound.some((one) => isOfItsValues(one, sent))) return
  const again: Exchange[] = []
  for (const contactId of [...new Set(notFound.map(idInPath))].slice(0, CONTACTS_TRIED)) {
    const contact = byId.get(contactId)
    if (!contact) continue
    // The connection that it names may be gone.
    const { channel: _channel, chatappId: _connection, ...own } = await updateBody(trial, contact.value)
    // Nor need every contact show the company that every update names.
    const body = { ...inForm(acceptedBody ?? {}, ['companyId']), ...own }
    const { status, exchange } = await put(trial, contact.value, fields ? inForm(body, fields) : body)
    if (status === NOT_FOUND) again.push(exchange)
  }
  for (const { exchange, contact } of await ofStillListed(trial, again))
    trial.fail({
      message: 'an update of a listed contact did not find it',
      expected: 'a success, as for others',
      received: `status ${exchange.response?.status}`,
      record: idOf(contact.value),
      exchange,
    })
}

function connectionOf({ request }: Exchange): unknown {
  return bodyOf(request)?.chatappId
}

/** Whether an update was refused for other values than its connection: later ones of the same contact and connection were accepted. */
function isOfItsValues(refused: Exchange, sent: readonly Exchange[]): boolean {
  const isLater = (one: Exchange): boolean => one.number > refused.number && idInPath(one) === idInPath(refused)
  const accepted = sent.filter((one) => isSuccess(one) && isLater(one))
  const connection = connectionOf(refused)
  return accepted.length > 0 && (connection === undefined || accepted.map(connectionOf).includes(connection))
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
