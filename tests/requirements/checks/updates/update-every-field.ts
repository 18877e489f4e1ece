import type { Exchange } from '../../../engine/http/exchange.ts'
import { orElse } from '../../../engine/or-else.ts'
import { asBoolean, idOf, idsOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { REFUSAL_OF_THE_MOMENT } from './send-update.ts'
import {
  canBePutBack,
  inForm,
  storedBody,
  storedValue,
  UPDATE_BOOLEANS,
  UPDATE_TEXTS,
  type UpdateBody,
  type UpdateField,
} from './update-body.ts'
import { updatableContacts } from './learn-updates.ts'
import { acceptsNewValues } from './accepts-new-values.ts'
import { firstUpdatable, freshText, freshValues, TIED } from './fresh-values.ts'
import { contrastingContact } from './contrasting-contact.ts'
import { SETTLING_MS } from '../side-effects/follows-updates.ts'
import { kept } from './kept.ts'
import { lookAfterAnother, type Lasting } from './lasting.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { isReadBack, roundTrip, roundTrips, type RoundTrip, type Step } from './round-trip.ts'
import { sharedValues } from './shared-values.ts'
import { SeenWhileUpdated } from '../after-updates/seen-while-updated.ts'
import {
  EMBEDDING,
  embeddedContacts,
  lookElsewhere,
  placesOf,
  type Embedded,
  type Embedding,
} from '../after-updates/shown-elsewhere.ts'

/** Changed apart from texts; isGroup last: a target may let nobody update a group any more. */
const APART: readonly UpdateField[] = [...UPDATE_BOOLEANS].toSorted((a) => (a === 'isGroup' ? 1 : -1))

/** As many fields of a contact, each with a new value that is refused, leave no doubt. */
const MANY_FIELDS = 8

/** What became of updates of every field, and what was seen meanwhile. */
interface Updated {
  /** The update that changed a field, or the last that was to. */
  readonly trips: ReadonlyMap<UpdateField, RoundTrip>
  readonly seen: SeenWhileUpdated
  /** The number of the last exchange before the lists were looked at for the last time. */
  readonly until: number
  /** A contact in the whole list, while an update of it was to show there. */
  readonly listed: ReadonlyMap<RoundTrip, Located<Schemas['Contact']>>
  /** What the first update of texts had stored, once another contact was updated. */
  readonly lasting: Lasting | undefined
  /** A contact whose texts were changed, where schedules and tags embed it, unless updates of parts tell. */
  readonly embedded: readonly Embedded[]
  /** The answers, where all updates of many fields were refused, and no form of an update lets a new text in. */
  readonly refused: readonly Exchange[]
}

/** The updates of one contact, of those fields that no other contact's has changed. */
interface OfOneContact {
  readonly trial: Trial
  readonly contact: Located<Schemas['Contact']>
  readonly changes: UpdateBody
  readonly fields: readonly UpdateField[]
  readonly trips: Map<UpdateField, RoundTrip>
  readonly seen: SeenWhileUpdated
}

/** One update that changes every field at once or, where that is refused, one update a field. */
export function updateEveryField(trial: Trial): Promise<Updated> {
  return trial.session.remember('update every field', async () => {
    const seen = await SeenWhileUpdated.begin(trial)
    const trips = new Map<UpdateField, RoundTrip>()
    const listed = new Map<RoundTrip, Located<Schemas['Contact']>>()
    let lasting: Lasting | undefined
    const contacts = await updatableContacts(trial)
    // It is sent what it holds when it is chosen, which must not come between an update of its own and what is read of that.
    await orElse(contrastingContact(trial), undefined)
    for (const contact of contacts) {
      const changes = await freshValues(trial, contact)
      const fields = (Object.keys(changes) as UpdateField[]).filter((field) => !trips.has(field))
      const updates: OfOneContact = { trial, contact, changes, fields, trips, seen }
      const [together, shown, later] = await updateTextsTogether(updates)
      lasting ??= later
      if (together.accepted && shown) listed.set(together, shown)
      await updateTextsApart(updates)
      await updateFlags(updates)
    }
    const { takesParts } = await updatesThatLeaveOut(trial)
    const places = takesParts ? await placesOf(trial, idOf(contacts[0]?.value)) : seen.embedded
    const embedded = [...seen.embedded]
    for (const operation of EMBEDDING)
      if (!places.some((one) => one.operation === operation))
        embedded.push(...(await updateWhereEmbedded(trial, operation, trips)))
    await trial.session.pause(SETTLING_MS)
    await seen.end()
    if (isDeclared(trial)) await seen.lookAtTheOther()
    const until = trial.session.evidence.exchanges.at(-1)?.number ?? 0
    const listedLast = idsOf(seen.walks.at(-1)!)
    // One that somebody has deleted meanwhile is refused for that.
    const tried = [...new Set(trips.values())].filter(({ contactId }) => listedLast.has(contactId))
    const isUseless =
      tried.length >= MANY_FIELDS &&
      tried.every(isRefused) &&
      !(await acceptsNewValues(trial, contacts[0]!, await freshValues(trial, contacts[0]!)))
    const refused = isUseless ? tried.map(({ exchange }) => exchange) : []
    return { trips, seen, until, listed, lasting, embedded, refused }
  })
}

/** What texts change of the other company's contacts they change again when they are put back; a flag may be as it was. */
function isDeclared(trial: Trial): boolean {
  return trial.session.dataset !== undefined
}

/** @returns the update, and the contact as the list showed it meanwhile, and as it was once another one was updated. */
async function updateTextsTogether({
  trial,
  contact,
  changes,
  fields,
  trips,
  seen,
}: OfOneContact): Promise<[RoundTrip, Located<Schemas['Contact']> | undefined, Lasting | undefined]> {
  const texts = fields.filter((field) => !APART.includes(field))
  const values = inForm(changes, texts)
  let shown: Located<Schemas['Contact']> | undefined
  let lasting: Lasting | undefined
  const trip = await roundTrip(trial, contact, values, async (after) => {
    shown = await seen.lookInList(contact, values, after)
    if (!isDeclared(trial)) await seen.lookAtTheOther()
    lasting = await lookAfterAnother(trial, contact, values, after)
  })
  if (trip.accepted) for (const field of texts) trips.set(field, trip)
  return [trip, shown, lasting]
}

/** One update for each text that was refused together with the others. */
async function updateTextsApart({ trial, contact, changes, fields, trips, seen }: OfOneContact): Promise<void> {
  const update = (values: UpdateBody): Promise<RoundTrip> =>
    roundTrip(trial, contact, values, (after) => seen.look(contact, values, after, true))
  for (const field of fields) {
    if (trips.has(field) || APART.includes(field)) continue
    const own = TIED.includes(field) ? TIED.filter((tied) => tied in changes) : [field]
    const values = inForm(changes, own)
    const trip = await update(values)
    // An address may have to be in small letters.
    const isTriedSmall = field === 'email' && !trip.accepted
    const last = isTriedSmall ? await update({ email: values.email?.toLowerCase() ?? '' }) : trip
    for (const one of own) trips.set(one, last)
  }
}

/**
 * Where each flag is sent alone later, and those that are alike are turned apart on the contrasting contact, one update does
 * for all of them but isGroup, if it is accepted; else one a flag.
 */
async function updateFlags({ trial, contact, changes, fields, trips, seen }: OfOneContact): Promise<void> {
  const isFirst = contact === (await updatableContacts(trial))[0]
  const update = async (
    sets: readonly (readonly UpdateField[])[],
    isTold: (field: UpdateField) => boolean = () => true,
  ): Promise<void> => {
    const steps = sets.map((set): Step => {
      const values = inForm(changes, set)
      // What flags change of other contacts they change again when they are put back; a copy of them may be as it was.
      const isWalked = (isFirst && set === sets[0]) || set.some((field) => seen.isAlike(field))
      return {
        changes: values,
        meanwhile: async (after) => {
          await seen.look(contact, values, after, isWalked)
          if (isDeclared(trial) && set === sets[0]) await seen.lookAtTheOther()
        },
      }
    })
    for (const [at, trip] of (await roundTrips(trial, contact, steps)).entries())
      for (const field of sets[at]!.filter(isTold)) trips.set(field, trip)
  }
  const flags = APART.filter((field) => fields.includes(field))
  const others = flags.filter((field) => field !== 'isGroup')
  const contrasting = await orElse(contrastingContact(trial), undefined)
  const areTurnedApart = contrasting !== undefined && idOf(contrasting.value) !== idOf(contact.value)
  const inOne = areTurnedApart && (await updatesThatLeaveOut(trial)).takesParts && others.length > 1
  await update(inOne ? [others, ...oneByOne(flags.slice(others.length))] : oneByOne(flags))
  const ofAll = inOne ? trips.get(others[0]!) : undefined
  if (ofAll && (!ofAll.accepted || !ofAll.after)) await update(oneByOne(others))
  for (const refused of flags.filter((field) => isRefused(trips.get(field)!))) {
    const set = await turnedTogether(trial, contact, changes, refused)
    if (set) await update([set], (field) => field === refused)
  }
}

/**
 * The flags to turn with one that is refused by itself, so that the contact is as another one is: a target may let nobody be
 * open, say, who is not active. None where no other contact shows which these are.
 */
async function turnedTogether(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  changes: UpdateBody,
  refused: UpdateField,
): Promise<readonly UpdateField[] | undefined> {
  const { records } = await trial.list('listContacts')
  const sets = records
    .filter(({ value }) => storedValue(value, refused) === changes[refused])
    .map(({ value }) => UPDATE_BOOLEANS.filter((flag) => storedValue(value, flag) !== storedValue(contact.value, flag)))
    .filter((set) => set.length > 1 && set.every((flag) => changes[flag] !== undefined))
  return sets.toSorted((a, b) => a.length - b.length)[0]
}

function oneByOne(fields: readonly UpdateField[]): readonly (readonly UpdateField[])[] {
  return fields.map((field) => [field])
}

/** Whether the target was there, and refused an update for what it is. */
function isRefused({ accepted, exchange: { response } }: RoundTrip): boolean {
  return !accepted && response !== undefined && !REFUSAL_OF_THE_MOMENT.has(response.status)
}

/** Updates another contact, which an operation's records embed, in all texts that the first ones' updates have shown to work. */
async function updateWhereEmbedded(
  trial: Trial,
  operation: Embedding,
  trips: ReadonlyMap<UpdateField, RoundTrip>,
): Promise<readonly Embedded[]> {
  const places = await embeddedContacts(trial)
  const embeds = ({ value }: Located<Schemas['Contact']>): boolean =>
    places.get(idOf(value) ?? '')?.some((place) => place.operation === operation) === true
  const contact = await firstUpdatable(trial, (await trial.list('listContacts')).records.filter(embeds))
  const stored = contact && storedBody(contact.value)
  const shared = await sharedValues(trial)
  const fields = UPDATE_TEXTS.filter((name) => {
    const isPutBack = stored?.[name] && canBePutBack(name, stored[name], shared)
    return !TIED.includes(name) && isPutBack && isReadBack(trips.get(name), name)
  })
  if (!contact || fields.length === 0) return []
  const values = Object.fromEntries(fields.map((name) => [name, freshText(trial.random, name, stored![name]!)]))
  const embedded: Embedded[] = []
  await roundTrip(trial, contact, values, async (after) => {
    if (after) embedded.push(...(await lookElsewhere(trial, idOf(contact.value)!, kept(values, after))))
  })
  return embedded.filter((one) => one.operation === operation)
}

/** Whether an update has given a contact a flag that no listed one shows: the list may hide such contacts. */
export async function mayHide(trial: Trial, { sent, stored }: RoundTrip): Promise<boolean> {
  const { records } = await trial.list('listContacts')
  return UPDATE_BOOLEANS.some(
    (flag) => sent[flag] !== stored[flag] && !records.some(({ value }) => asBoolean(value[flag]) === sent[flag]),
  )
}
