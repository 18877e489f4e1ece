import type { Exchange } from '../../../engine/http/exchange.ts'
import { orElse } from '../../../engine/or-else.ts'
import { asBoolean, askable, idOf, sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { beginChange, put } from './send-update.ts'
import { requireSettings } from '../../needs.ts'
import { hasMarkup, inForm, storedBody, type UpdateBody } from './update-body.ts'
import { updatableContact, updatableContacts, updateBody } from './learn-updates.ts'
import { restore, settleIfKept } from '../../restoration/restore-contact.ts'
import { asItIsNow } from '../after-updates/as-it-is-now.ts'
import { eventually } from '../eventually.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { freshText, TIED } from './fresh-values.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { companyIdOf, namingCompanyOf, othersList, TELLING } from '../tokens/other-company.ts'
import { reportShownByRefusals } from '../tokens/refused-with-a-record.ts'
import { findContact } from './read-back.ts'
import { roundTrips } from './round-trip.ts'

type Contact = Located<Schemas['Contact']>

/** What a person turns on and off with a click, for which there may be a short way. */
const SWITCHES = ['isOpen', 'active', 'isBotEnabled', 'isAdmin'] as const

/** Times of two requests that are told apart even where seconds are all that is shown. */
const TOLD_APART_MS = 1100
const TIMES_TOUCHED = 3

/** Contacts that are searched for in the own list. */
const STRANGERS_SOUGHT = 6

/**
 * The main company's token updates the other company's contacts, in each form in which an update may be accepted; the
 * other company looks whether anything has changed, and undoes it.
 */
export async function judgeUpdateOfAStranger(trial: Trial): Promise<void> {
  requireSettings(trial, 'OTHER_ACCESS_TOKEN', 'ALLOW_WRITES')
  const others = await othersList(trial, 'listContacts')
  const usable = await strangersAmong(trial, others)
  const other = trial.as('other')
  const listed = usable.find(({ value }) => value.utmTerms !== undefined) ?? usable.find(({ value }) => value.name)
  if (!listed)
    return trial.notExercised(
      "Needs a contact of the second company with a text, whose id is certainly none of the first company's.",
    )
  const target = await asItIsNow(other, listed)
  const ownCompany = (await companyIdOf(trial, 'main')) ?? trial.session.dataset?.companyId
  const mayLeaveOut = (await orElse(updatesThatLeaveOut(trial), undefined))?.nameAlone !== undefined
  const own = (await orElse(updatableContact(trial), undefined))?.value
  const ownConnection = own ? inForm(storedBody(own), TIED) : {}
  const bodies = strangersBodies(trial, storedBody(target.value), ownCompany, ownConnection, mayLeaveOut)
  if (!(await judgeRefused(trial, target, bodies, () => updateOwnByItsValues(trial, target.value)))) return
  // Groups and people, or what is active and what isn't, may be guarded in different places, and the guard may look at the id
  // that a body names.
  for (const flag of ['isGroup', 'active'] as const) {
    const isOther = asBoolean(target.value[flag]) !== true
    const listedUnlike = usable.find(({ value }) => asBoolean(value[flag]) === isOther && value.name)
    if (!listedUnlike) continue
    const unlike = await asItIsNow(other, listedUnlike)
    const [whole, part] = strangersForms(trial, storedBody(unlike.value), mayLeaveOut)
    const own = (await updatableContact(trial)).value
    beginChange(trial, own, part)
    const { companyId } = storedBody(unlike.value)
    const named = { ...part, id: own.id, ...(mayLeaveOut && companyId !== undefined && { companyId }) } as UpdateBody
    if (!(await judgeRefused(trial, unlike, [whole!, part!, named]))) return
  }
  // Where nobody can update a contact of their own, it means nothing that a stranger can't.
  await judgeTheOtherWayRound(trial, mayLeaveOut)
}

/**
 * Those of another company's contacts that are certainly none of the own ones, which an update would hit. Where each company counts
 * its ids, a contact that the list hides may have any; what a list that is cut short leaves out, a search may show.
 */
async function strangersAmong(trial: Trial, contacts: readonly Contact[]): Promise<readonly Contact[]> {
  const { byId, complete } = await trial.list('listContacts')
  const strangers = contacts.filter(({ value }) => idOf(value) !== undefined)
  if (strangers.some(({ value }) => byId.has(idOf(value)!))) return []
  if (complete) return strangers
  const some = strangers
    .filter(({ value }) => idOf(value)!.length >= TELLING && askable(value.name) !== undefined)
    .slice(0, STRANGERS_SOUGHT)
  const searches = await Promise.all(some.map(({ value }) => trial.searched('listContacts', askable(value.name)!)))
  return some.filter(({ value }, index) => !searches[index]!.byId.has(idOf(value)!))
}

interface Sent {
  readonly body: UpdateBody
  readonly exchange: Exchange
}

/**
 * Sends updates of a contact of the other company's, and judges what came of them: whether they were refused.
 * @param besides sends updates of others which that contact must not show either.
 */
async function judgeRefused(
  trial: Trial,
  target: Contact,
  bodies: readonly UpdateBody[],
  besides: () => Promise<readonly Sent[]> = async () => [],
): Promise<boolean> {
  const contactId = idOf(target.value)!
  const record = { path: { contactId }, owner: 'other' } as const
  const stored = storedBody(target.value)
  const failures = trial.findings.length
  const sent: Sent[] = []
  // Whose contacts it updates, the token says, whatever a request names besides.
  const [whole, ...parts] = bodies.map((body) => ({ body, beside: {} }))
  const named = namingCompanyOf(target.value).map((beside) => ({ ...whole!, beside }))
  const requests = [whole!, ...named, ...parts]
  for (const { body, beside } of requests) {
    const { exchange, success } = await put(trial, target.value, body, 'other', beside)
    trial.count('updates')
    sent.push({ body, exchange })
    if (success && !(await wentToTheIdOfItsBody(trial, body)))
      trial.fail({
        message: "an update of the other company's contact was a success",
        expected: 'no success status',
        received: `status ${exchange.response?.status}`,
        exchange,
      })
  }
  const last = sent.at(-1)
  sent.push(...(await besides()))
  reportShownByRefusals(
    trial,
    sent.map(({ exchange }) => exchange),
    [target.value],
    (await trial.list('listContacts')).records.map(({ value }) => value),
  )
  const lookFor = async (caller: 'main' | 'other'): Promise<Contact | undefined> => {
    const names = [stored.name, ...sent.map(({ body }) => body.name)]
    return findContact(trial.as(caller), contactId, names)
  }
  const changes = (contact: Schemas['Contact']) =>
    sent.flatMap(({ body, exchange }) =>
      (Object.keys(body) as (keyof UpdateBody)[])
        .filter((field) => body[field] !== stored[field] && contact[field] === body[field])
        .map((field) => ({ field, exchange })),
    )
  const seen = await eventually(
    trial.session,
    async () => (await lookFor('other')) ?? (await lookFor('main')),
    (contact) => contact !== undefined && changes(contact.value).length > 0,
    trial.findings.length > failures ? undefined : 0,
  )
  const [changed] = seen ? changes(seen.value) : []
  if (seen && !changed) {
    if (last && (await wasTouched(trial, target, seen, bodies)))
      trial.fail({
        message: "an update of the other company's contact was refused, and changed its updatedAt",
        expected: target.value.updatedAt,
        received: seen.value.updatedAt,
        record: contactId,
        exchange: last.exchange,
      })
    settleIfKept(trial, seen.value, 'other')
    return trial.findings.length === failures
  }
  if (changed) {
    trial.session.changes.confirm(record)
    trial.fail({
      message: "the other company's contact was updated",
      expected: stored[changed.field],
      received: seen?.value[changed.field],
      record: contactId,
      exchange: changed.exchange,
      // Nobody else sends these texts.
      once: true,
    })
  }
  const change = trial.session.changes.find(record)
  if (change) await restore(trial, change)
  if (!seen) trial.notExercised("Needs the second company's contact to be on its first page again.")
  return false
}

/**
 * Whether a contact of loaded data says that it was updated since, and says so again whenever the updates are sent again, and
 * never while other requests are, more of them each time: somebody else may update it at any time, or all contacts again and
 * again.
 */
async function wasTouched(
  trial: Trial,
  { value: before }: Contact,
  { value: seen }: Contact,
  bodies: readonly UpdateBody[],
): Promise<boolean> {
  const look = async () => (await findContact(trial.as('other'), idOf(seen)!, [seen.name]))?.value
  if (!trial.session.dataset || !isLater(seen, before)) return false
  let last = seen
  for (let time = 0; time < TIMES_TOUCHED; time++) {
    await trial.session.pause(TOLD_APART_MS)
    for (let quiet = 0; quiet < bodies.length * (time + 1); quiet++) {
      const still = await look()
      if (!still || isLater(still, last)) return false
    }
    for (const body of bodies) await put(trial, before, body, 'other')
    const now = await look()
    if (!now || !isLater(now, last)) return false
    last = now
  }
  return true
}

function isLater(now: Schemas['Contact'], than: Schemas['Contact']): boolean {
  return now.updatedAt !== undefined && than.updatedAt !== undefined && !sameValue(now.updatedAt, than.updatedAt)
}

/**
 * Updates a contact of the caller's with the name and number of the other company's contact, and puts it back: what looks
 * contacts up by these reaches the other one. Whether such an update is accepted is open.
 */
async function updateOwnByItsValues(trial: Trial, foreign: Schemas['Contact']): Promise<readonly Sent[]> {
  const first = await orElse(updatableContact(trial), undefined)
  if (!first) return []
  const contacts = [first, await contrastingContact(trial)]
  const own = contacts.find(({ value }) => !hasMarkup(value.name)) ?? first
  const stored = storedBody(own.value)
  const theirs = inForm(storedBody(foreign), hasMarkup(stored.name) ? ['number'] : ['name', 'number'])
  const field = strangersField(stored)
  // What a contact lacks can't be taken from it again.
  if (stored[field] === undefined) return []
  const text = freshText(trial.random, field, stored[field])
  const changes = { ...inForm(theirs, Object.keys(stored)), [field]: text }
  const [trip] = await roundTrips(trial, own, [{ changes, refusable: true }])
  const { exchange } = trip!
  return [
    { body: changes, exchange },
    // What is put back may be put there, too.
    { body: inForm(stored, Object.keys(changes)), exchange },
  ]
}

/** Whether an update has changed the caller's contact that its body names: another requirement tells that. */
async function wentToTheIdOfItsBody(trial: Trial, { id, ...body }: UpdateBody & { readonly id?: string }) {
  if (id === undefined) return false
  const own = await findContact(trial, id, [(await trial.list('listContacts')).byId.get(id)?.value.name])
  const fields = Object.keys(body) as (keyof UpdateBody)[]
  return own !== undefined && fields.every((field) => own.value[field] === body[field])
}

/** The second company's token updates a contact of the main company's, in forms in which its owner may. */
async function judgeTheOtherWayRound(trial: Trial, mayLeaveOut: boolean): Promise<void> {
  const [contact] = await strangersAmong(trial.as('other'), await updatableContacts(trial))
  const stored = contact && storedBody(contact.value)
  const field = stored && (['utmTerms', 'name'] as const).find((one) => stored[one] !== undefined)
  if (!contact || !field) return
  const contactId = idOf(contact.value)!
  const text = strangersText(trial)
  const whole = await updateBody(trial, contact.value)
  const bodies = formsOf(whole, mayLeaveOut).map((form): UpdateBody => ({ ...form, [field]: text }))
  const probes = []
  for (const body of bodies) probes.push(await put(trial.as('other'), contact.value, body, 'main'))
  trial.count('updates', probes.length)
  const { exchange, success } = probes.find((probe) => probe.success) ?? probes[0]!
  const seen = await findContact(trial, contactId, [stored.name, field === 'name' ? text : whole.name])
  const isChanged = seen?.value[field] === text
  if (success || isChanged)
    trial.fail({
      message: "the second company's update of a contact of the first was " + (success ? 'a success' : 'carried out'),
      expected: success ? 'no success status' : stored[field],
      received: success ? `status ${exchange.response?.status}` : text,
      record: contactId,
      exchange,
    })
  const record = { path: { contactId }, owner: 'main' } as const
  if (isChanged) trial.session.changes.confirm(record)
  settleIfKept(trial, seen?.value, 'main')
  const change = trial.session.changes.find(record)
  if (change) await restore(trial, change)
}

/**
 * Every form of body by which the owner could update a contact, each with a value of its own: a target may guard one
 * and forget the next. The whole ones come first, as they would put back what a part has changed.
 */
function strangersBodies(
  trial: Trial,
  stored: UpdateBody,
  ownCompany: string | undefined,
  ownConnection: UpdateBody,
  mayLeaveOut: boolean,
): UpdateBody[] {
  const change = changing(trial, stored)
  // With nothing besides that could be refused as another company's: which one's connection is looked for is open.
  const claims = mayLeaveOut ? [{}] : [stored, { ...stored, ...ownConnection }]
  return [
    change(stored),
    ...(ownCompany === undefined ? [] : claims.map((one) => change({ ...one, companyId: ownCompany }))),
    ...strangersForms(trial, stored, mayLeaveOut, change),
    ...(mayLeaveOut && stored.name !== undefined && strangersField(stored) !== 'name'
      ? [{ name: strangersText(trial) }]
      : []),
    ...SWITCHES.filter((flag) => mayLeaveOut && stored[flag] !== undefined).map((flag) => ({ [flag]: !stored[flag] })),
  ]
}

function strangersForms(
  trial: Trial,
  stored: UpdateBody,
  mayLeaveOut: boolean,
  change: (form: UpdateBody) => UpdateBody = changing(trial, stored),
): UpdateBody[] {
  return formsOf(stored, mayLeaveOut).map(change)
}

/** Gives a form a text of its own, and another name: what is written before the company is looked at may be that alone. */
function changing(trial: Trial, stored: UpdateBody): (form: UpdateBody) => UpdateBody {
  const name = strangersText(trial)
  return (form) => ({
    ...form,
    ...(form.name !== undefined && { name }),
    [strangersField(stored)]: strangersText(trial),
  })
}

/**
 * What is sent along with a change: all values but the company, which may be all that is guarded; and nothing or, where an
 * update needs more, all but the connection too, which the caller's company may not have.
 */
function formsOf(values: UpdateBody, mayLeaveOut: boolean): readonly UpdateBody[] {
  const { companyId: _company, ...whole } = values
  const { channel: _channel, chatappId: _connection, ...withoutConnection } = whole
  return [whole, mayLeaveOut ? {} : withoutConnection]
}

function strangersField(stored: UpdateBody): 'utmTerms' | 'name' {
  return stored.utmTerms === undefined ? 'name' : 'utmTerms'
}

function strangersText(trial: Trial): string {
  return trial.random.string.alpha({ length: 12, casing: 'lower' })
}
