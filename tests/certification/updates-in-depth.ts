import type { Exchange } from '../engine/http/exchange.ts'
import { grouped } from '../engine/data/grouped.ts'
import { asBoolean, idOf, sameValue, type Located, type Schemas } from '../engine/data/records.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { isFault, type Probe } from '../engine/judging/session.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { put } from '../requirements/checks/updates/send-update.ts'
import {
  storedBody,
  UPDATE_FIELDS,
  type UpdateBody,
  type UpdateField,
} from '../requirements/checks/updates/update-body.ts'
import { updatableContacts, updateBody } from '../requirements/checks/updates/learn-updates.ts'
import { eventually } from '../requirements/checks/eventually.ts'
import { FINAL, turnedFlags } from '../requirements/checks/updates/fresh-values.ts'
import { isKept } from '../requirements/checks/updates/kept.ts'
import { updatesThatLeaveOut } from '../requirements/checks/updates/left-out.ts'
import { walkAgain } from '../requirements/checks/updates/read-back.ts'
import { SECTION } from '../requirements/operations.ts'
import { settleIfKept } from '../requirements/restoration/restore-contact.ts'
import { DRAWN_FIELDS, drawnUpdates, type DrawnField } from './drawn-updates.ts'
import { readBackOf } from './normalisations.ts'

type Contact = Schemas['Contact']

const UPDATES = 200
/** Contacts that are updated at the same time. */
const AT_ONCE = 40
const SHORT_PATIENCE_MS = 300
const NOT_LISTED = 'an updated contact is not listed any more'
/** A text of so many characters is no other contact's by chance. */
const TELLING = 8

/** Updates that no example thinks of: drawn bodies, many at the same time, each sent twice. */
export const updatesInDepth: readonly Requirement[] = [
  demand(
    'implied',
    'read-back',
    'An update with any text is read back as it was sent, or normalised, or else it is refused and changes nothing.',
    judgeReadBack,
  ),
  demand('implied', 'repeated', 'The same update, sent again, changes nothing more.', judgeRepeated),
  demand('implied', 'apart', 'Updates of different contacts at the same time do not mix.', judgeApart),
  demand(
    'implied',
    'lasting',
    "What is put back stays so, and other contacts, the second company's too, stay as they were: a job that comes later has undone or copied nothing.",
    judgeLasting,
  ),
  demand('observed', 'normalised', 'How accepted texts are normalised.', observeNormalised),
]

function demand(level: Requirement['level'], name: string, title: string, check: Requirement['check']): Requirement {
  return {
    id: `updateContact.depth.${name}`,
    level,
    title,
    source: SECTION.updateContact,
    operations: ['updateContact', 'listContacts'],
    phase: 'write',
    check,
  }
}

/** As long as a certification waits for what a target may do some time after an update. */
const AFTERWARDS_MS = 6300

/** Whether an update was waited for that never showed. */
interface Patience {
  isInVain: boolean
}

/** A contact, the changes that were sent for it, and what it showed before, after, and after the same was sent again. */
interface Update {
  readonly before: Contact
  readonly changes: UpdateBody
  readonly probe: Probe
  readonly after: Located<Contact> | undefined
  readonly again: { readonly probe: Probe; readonly after: Located<Contact> | undefined } | undefined
}

interface InDepth {
  /** Updates at the same time. */
  readonly rounds: readonly (readonly Update[])[]
  /** Updates with the values that a contact had, which failed at the same time as others and were accepted alone. */
  readonly failedAmongOthers: readonly Probe[]
}

/** Rounds of updates at the same time; the contacts are put back at the end. */
function updateInDepth(trial: Trial): Promise<InDepth> {
  return trial.session.remember('updates in depth', async () => {
    await updatableContacts(trial)
    const listed = await byId(trial)
    const original = new Map([...listed].map(([id, { value }]) => [id, value]))
    const some = trial.random.helpers.arrayElements([...original.values()], UPDATES)
    // Whose stored values are accepted can be put back whatever was drawn for it: which ones, nobody can know beforehand.
    const asTheyAre = await updateToStored(trial, some)
    const ids = asTheyAre.filter(({ last }) => last.success).map(({ id }) => id)
    if (ids.length < 2) trial.notExercised('Needs two contacts that can be updated.')
    const updatable = ids.map((id) => original.get(id)!)
    const heldForGood = new Set<string>()
    for (const [flag, final] of Object.entries(FINAL) as [UpdateField, boolean][]) {
      const free = [...listed.values()].find(({ value }) => asBoolean(value[flag]) === !final)
      if (free && !(flag in (await turnedFlags(trial, free)))) heldForGood.add(flag)
    }
    // A value whose contacts are all refused is one that is not put back.
    const fields = DRAWN_FIELDS.filter((field) => {
      if (heldForGood.has(field)) return false
      const isUpdated = (value: unknown) => updatable.some((contact) => contact[field] === value)
      const shown = [...original.values()].map((contact) => contact[field])
      return (
        shown.some((value) => value !== undefined) &&
        [true, false].every((flag) => !shown.includes(flag) || isUpdated(flag))
      )
    })
    const drawn = drawnUpdates(fields, UPDATES, trial.session.settings.seed)
    const rounds: Update[][] = []
    const patience = { isInVain: false }
    const atOnce = Math.min(AT_ONCE, ids.length)
    for (let from = 0; from < drawn.length; from += atOnce) {
      const turn = Array.from({ length: atOnce }, (_, index) => ids[(from + index) % ids.length]!)
      rounds.push(await round(trial, turn, drawn.slice(from, from + atOnce), patience))
    }
    const putBack = await updateToStored(trial, updatable)
    // What is not seen as it was is put back when the run ends.
    for (const { value } of (await byId(trial)).values()) settleIfKept(trial, value)
    const failedAmongOthers = [...asTheyAre, ...putBack]
      .filter(({ first, last }) => !first.success && last.success)
      .map(({ first }) => first)
    return { rounds, failedAmongOthers }
  })
}

interface UpdateToStored {
  readonly id: string
  readonly first: Probe
  readonly last: Probe
}

/** Sends what contacts hold, or held before, at the same time; where the target failed, once more one by one. */
async function updateToStored(trial: Trial, contacts: readonly Contact[]): Promise<readonly UpdateToStored[]> {
  const send = async (contact: Contact): Promise<Probe> =>
    put(trial, contact, await updateBody(trial, contact, storedBody(contact)))
  const firsts = await trial.each(contacts, send)
  const updates: UpdateToStored[] = []
  for (const [index, contact] of contacts.entries()) {
    const first = firsts[index]!
    const failed = !first.success && isFault(first.exchange)
    updates.push({ id: idOf(contact)!, first, last: failed ? await send(contact) : first })
  }
  return updates
}

async function round(
  trial: Trial,
  ids: readonly string[],
  drawn: readonly UpdateBody[],
  patience: Patience,
): Promise<Update[]> {
  const before = await byId(trial)
  const chosen = drawn.flatMap((changes, index) => {
    const contact = before.get(ids[index]!)?.value
    return contact ? [{ before: contact, changes: shownAlone(changes, contact) }] : []
  })
  const mayLeaveOut = (await updatesThatLeaveOut(trial)).isKept === true
  const send = async ({ before: contact, changes }: Pick<Update, 'before' | 'changes'>): Promise<Probe> => {
    // Where what is left out is kept, every other update is of the changed fields alone, if it is accepted.
    const alone = mayLeaveOut && ids.indexOf(idOf(contact)!) % 2 === 1
    const probe = alone ? await put(trial, contact, changes) : undefined
    return probe?.success ? probe : put(trial, contact, await updateBody(trial, contact, changes))
  }
  const first = await trial.each(chosen, async (one) => ({ ...one, probe: await send(one) }))
  const after = await shownAfter(trial, first, patience)
  const second = await trial.each(first, async (one) => (one.probe.success ? await send(one) : undefined))
  const later = await shownAfter(trial, first, patience)
  return first.map((one, index) => {
    const id = idOf(one.before)!
    const probe = second[index]
    return { ...one, after: after.get(id), again: probe && { probe, after: later.get(id) } }
  })
}

/** The changes of fields that a contact shows: of others, nobody can see what became of them. */
function shownAlone(changes: UpdateBody, contact: Contact): UpdateBody {
  const shown = Object.entries(changes).filter(([field]) => contact[field as DrawnField] !== undefined)
  return Object.fromEntries(shown)
}

/** The list of contacts, given time to show what was accepted; where that was of no use once, it is not waited for again. */
async function shownAfter(
  trial: Trial,
  updates: readonly Pick<Update, 'before' | 'changes' | 'probe'>[],
  patience: Patience,
): Promise<ReadonlyMap<string, Located<Contact>>> {
  const showsAll = (seen: ReadonlyMap<string, Located<Contact>>): boolean =>
    updates.every(({ before, changes, probe }) => {
      const contact = seen.get(idOf(before)!)?.value
      return !probe.success || (contact !== undefined && wrongFields(changes, contact, before).length === 0)
    })
  const seen = await eventually(
    trial.session,
    () => byId(trial),
    showsAll,
    patience.isInVain ? SHORT_PATIENCE_MS : undefined,
  )
  patience.isInVain ||= !showsAll(seen)
  return seen
}

/** The fields that are read back as something else than what was sent. */
function wrongFields(changes: UpdateBody, shown: Contact, before: Contact): DrawnField[] {
  return (Object.keys(changes) as DrawnField[]).filter(
    (field) => readBackOf(field, changes[field]!, shown[field], before[field]) === 'another',
  )
}

async function byId(trial: Trial): Promise<ReadonlyMap<string, Located<Contact>>> {
  const { contacts } = await walkAgain(trial)
  return new Map(
    contacts.flatMap((contact) => (idOf(contact.value) === undefined ? [] : [[idOf(contact.value)!, contact]])),
  )
}

async function judgeReadBack(trial: Trial): Promise<void> {
  for (const { before, changes, probe, after } of (await updateInDepth(trial)).rounds.flat()) {
    // What was never answered may have been carried out or not.
    if (probe.exchange.failure) continue
    if (!probe.success) {
      trial.count('refused updates')
      const stored = storedBody(before)
      const changed = after && UPDATE_FIELDS.find((field) => field in stored && !isKept(field, stored, after.value))
      if (changed)
        fail(
          trial,
          `an update was refused, and changed ${changed} all the same`,
          before[changed],
          after,
          changed,
          probe.exchange,
        )
      if (!after) fail(trial, NOT_LISTED, idOf(before), undefined, 'id', probe.exchange)
      continue
    }
    trial.count('accepted updates')
    if (!after) fail(trial, NOT_LISTED, idOf(before), undefined, 'id', probe.exchange)
    else
      for (const field of wrongFields(changes, after.value, before))
        fail(
          trial,
          `${field} was accepted and then not read back as it was sent`,
          changes[field],
          after,
          field,
          probe.exchange,
        )
  }
  if (!trial.examined['accepted updates'])
    trial.notExercised('Needs drawn updates that are accepted; the target refused all.')
}

async function judgeRepeated(trial: Trial): Promise<void> {
  for (const { after, again } of (await updateInDepth(trial)).rounds.flat()) {
    if (!after || !again?.probe.success || !again.after) continue
    trial.count('repeated updates')
    for (const field of UPDATE_FIELDS)
      if (!sameValue(after.value[field], again.after.value[field]))
        fail(
          trial,
          `the same update, sent again, changed ${field}`,
          after.value[field],
          again.after,
          field,
          again.probe.exchange,
        )
  }
  if (!trial.examined['repeated updates'])
    trial.notExercised('Needs drawn updates that are accepted twice; the target refused all.')
}

async function judgeApart(trial: Trial): Promise<void> {
  for (const updates of (await updateInDepth(trial)).rounds) {
    const senders = sendersOf(updates)
    for (const { before, changes, probe, after } of updates) {
      if (!probe.success || !after) continue
      trial.count('updates at the same time')
      for (const field of UPDATE_FIELDS) {
        const [was, now] = [before[field], after.value[field]]
        const isSent = field in changes && readBackOf(field, changes[field]!, now, was) !== 'another'
        if (isSent || sameValue(was, now)) continue
        const isOthers = senders.get(String(now))?.some((id) => id !== idOf(before))
        const isLost = !(field in changes) && (now === undefined || now === null || now === '')
        if (isOthers || isLost)
          fail(trial, `an update, at the same time as others, changed ${field}`, was, after, field, probe.exchange)
      }
    }
  }
  if (!trial.examined['updates at the same time'])
    trial.notExercised('Needs drawn updates that are accepted; the target refused all.')
}

/** Nobody else changes the data of a certification: what a contact showed before all updates, it shows long after them. */
async function judgeLasting(trial: Trial): Promise<void> {
  const companies = trial.session.target.otherAccessToken === undefined ? [trial] : [trial, trial.as('other')]
  const before = await Promise.all(companies.map((company) => company.list('listContacts')))
  for (const { status, exchange } of (await updateInDepth(trial)).failedAmongOthers)
    trial.fail({
      message: 'an update with the values that a contact had failed at the same time as others, and was accepted alone',
      expected: 'a success',
      received: status,
      exchange,
      pointer: '',
      once: true,
    })
  await trial.session.pause(AFTERWARDS_MS)
  const after = await Promise.all(companies.map(byId))
  const fields = trial.session.contract.comparableFields('Contact').filter((field) => field !== 'updatedAt')
  for (const [index, { records }] of before.entries())
    for (const { value: was, exchange } of records) {
      const now = after[index]!.get(idOf(was) ?? '')
      trial.count('contacts')
      const isChanged = (field: string): boolean =>
        UPDATE_FIELDS.includes(field as UpdateField)
          ? !isKept(field as UpdateField, storedBody(was), now!.value)
          : !sameValue(was[field as keyof Contact], now!.value[field as keyof Contact])
      const changed = now ? fields.filter((field) => field in was && isChanged(field)) : ['id']
      for (const field of changed)
        trial.fail({
          message: `${field} of a contact is not what it was before all updates, long after they were put back`,
          expected: was[field as keyof Contact],
          received: now ? now.value[field as keyof Contact] : 'no such contact in the list',
          record: idOf(was),
          exchange: now?.exchange ?? exchange,
          pointer: now ? `${now.pointer}/${field}` : '',
          once: true,
        })
    }
}

/** The contacts for which each text was sent that is no other contact's by chance. */
function sendersOf(updates: readonly Update[]): ReadonlyMap<string, readonly (string | undefined)[]> {
  const texts = updates.flatMap(({ before, changes }) =>
    Object.values(changes)
      .filter((value) => typeof value === 'string' && value.length >= TELLING)
      .map((text) => ({ text: String(text), id: idOf(before) })),
  )
  return new Map(grouped(texts, ({ text }) => text).map(([text, own]) => [text, own.map(({ id }) => id)]))
}

async function observeNormalised(trial: Trial): Promise<void> {
  const ways = (await updateInDepth(trial)).rounds.flat().flatMap(({ before, changes, probe, after }) =>
    probe.success && after
      ? (Object.keys(changes) as DrawnField[]).flatMap((field) => {
          const back = readBackOf(field, changes[field]!, after.value[field], before[field])
          return typeof back === 'string' ? [] : back.normalised
        })
      : [],
  )
  trial.observe('how accepted texts are normalised', 'updateContact', [...new Set(ways)].toSorted())
}

function fail(
  trial: Trial,
  message: string,
  expected: unknown,
  seen: Located<Contact> | undefined,
  field: string,
  sent: Exchange,
): void {
  trial.fail({
    message,
    expected,
    received: seen ? seen.value[field as DrawnField] : 'no such contact in the list',
    exchange: seen?.exchange ?? sent,
    pointer: seen ? `${seen.pointer}/${field}` : '',
  })
}
