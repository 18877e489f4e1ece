import type { Exchange } from '../../engine/exchange.ts'
import { orElse } from '../../engine/or-else.ts'
import { asBoolean, idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { REFUSAL_OF_THE_MOMENT } from '../send-update.ts'
import {
  canBePutBack,
  inForm,
  storedBody,
  UPDATE_BOOLEANS,
  UPDATE_TEXTS,
  type UpdateBody,
  type UpdateField,
} from '../update-body.ts'
import { updatableContacts } from '../learn-updates.ts'
import { acceptsNewValues } from './accepts-new-values.ts'
import { contactsBeforeUpdates } from './as-it-is-now.ts'
import { firstUpdatable, freshText, freshValues, TIED } from './fresh-values.ts'
import { SETTLING_MS } from './follows-updates.ts'
import { searchForUpdated, type Found } from './found-when-updated.ts'
import { isKept, kept } from './kept.ts'
import { updatesThatLeaveOut } from './left-out.ts'
import { pageWithoutNumber, untilShown, walkAgain } from './read-back.ts'
import { listedBeforeUpdates } from './watched-lists.ts'
import { roundTrip, roundTrips, type RoundTrip, type Step } from './round-trip.ts'
import {
  EMBEDDING,
  embeddedContacts,
  datesOf,
  lookByDates,
  lookElsewhere,
  placesOf,
  type Embedded,
  type Embedding,
  type NotFound,
  type Shown,
} from './shown-elsewhere.ts'

/** Changed apart from texts; isGroup last: a target may let nobody update a group any more. */
const APART: readonly UpdateField[] = [...UPDATE_BOOLEANS].toSorted((a) => (a === 'isGroup' ? 1 : -1))

/** As many fields of a contact, each with a new value that is refused, leave no doubt. */
const MANY_FIELDS = 8

/** What became of updates of every field, and of the whole list of contacts meanwhile. */
interface Updated {
  /** The update that changed a field, or the last that was to. */
  readonly trips: ReadonlyMap<UpdateField, RoundTrip>
  /** The list before any update, while each contact's texts were changed, and after the last update. */
  readonly walks: readonly (readonly Located<Schemas['Contact']>[])[]
  /** The other company's list, before any update and later; none without its token. */
  readonly ofTheOther: readonly (readonly Located<Schemas['Contact']>[])[]
  /** The number of the last exchange before the lists were looked at for the last time. */
  readonly until: number
  /** A contact in the whole list, while an update of it was to show there. */
  readonly listed: ReadonlyMap<RoundTrip, Located<Schemas['Contact']>>
  /** The first contact whose texts were changed, where dates find it. */
  readonly dated: readonly (Shown | NotFound)[]
  /** A contact whose texts were changed, where schedules and tags embed it, unless updates of parts tell. */
  readonly embedded: readonly Embedded[]
  /** The answers, where all updates of many fields were refused, and no form of an update lets a new text in. */
  readonly refused: readonly Exchange[]
  /** Whether a search found the first contact by its new values, of what a search looks at; and what is its own. */
  readonly found: Found
}

/** One update that changes every field at once or, where that is refused, one update a field. */
export function updateEveryField(trial: Trial): Promise<Updated> {
  return trial.session.remember('update every field', async () => {
    const trips = new Map<UpdateField, RoundTrip>()
    const listed = new Map<RoundTrip, Located<Schemas['Contact']>>()
    await listedBeforeUpdates(trial)
    const hasOther = trial.session.target.otherAccessToken !== undefined
    const ofOther = hasOther ? await orElse(contactsBeforeUpdates(trial.as('other')), undefined) : undefined
    const ofTheOther = ofOther ? [ofOther] : []
    const contacts = await updatableContacts(trial)
    const areSentAlone = (await updatesThatLeaveOut(trial)).takesParts
    const embedded: Embedded[] = []
    const dated: (Shown | NotFound)[] = []
    const found: Found = new Map()
    const walks = [await contactsBeforeUpdates(trial)]
    await orElse(datesOf(trial, contacts[0]!), [])
    const lookAtTheOther = async (): Promise<void> => {
      if (ofOther) ofTheOther.push((await walkAgain(trial.as('other'))).contacts)
    }
    // What texts change of the other company's contacts they change again when they are put back; a flag may be as it was.
    const isDeclared = trial.session.dataset !== undefined
    // A long list that comes again unchanged is kept once.
    const known = new Map(walks[0]!.map((record) => [record.value, record]))
    const walk = async (): Promise<readonly Located<Schemas['Contact']>[]> =>
      (await walkAgain(trial)).contacts.map((record) => known.get(record.value) ?? record)
    for (const contact of contacts) {
      const changes = await freshValues(trial, contact)
      const fields = (Object.keys(changes) as UpdateField[]).filter((field) => !trips.has(field))
      const free = fields.filter((field) => !APART.includes(field))
      const watching =
        (values: UpdateBody, isWalked: boolean) => async (after: Located<Schemas['Contact']> | undefined) => {
          if (isWalked) walks.push(await untilShown(trial, values, after, walk))
          if (!after || contact !== contacts[0]) return
          if (embedded.length === 0 && !areSentAlone)
            embedded.push(...(await lookElsewhere(trial, idOf(contact.value)!, kept(values, after))))
          if (dated.length === 0) dated.push(...(await lookByDates(trial, contact, kept(values, after))))
          await searchForUpdated(trial, found, values, after, contact.value)
        }
      const values = inForm(changes, free)
      // What is done to others when texts are changed is done again when they are put back, and shows then, unless all
      // contacts have the same: the page of the one tells as much.
      const isPageEnough = !free.some((field) => isAlike(walks[0]!, field))
      let own: Located<Schemas['Contact']> | undefined
      const isOwn = ({ value }: Located<Schemas['Contact']>): boolean => idOf(value) === idOf(contact.value)
      const together = await roundTrip(trial, contact, values, async (after) => {
        const page = isPageEnough ? await untilShown(trial, values, after, () => pageWithoutNumber(trial, contact)) : []
        await watching(values, !page.some(isOwn))(after)
        own = [...page, ...walks.at(-1)!].find(isOwn)
        if (!isDeclared) await lookAtTheOther()
      })
      if (together.accepted && own) listed.set(together, own)
      if (together.accepted) for (const field of free) trips.set(field, together)
      for (const field of fields) {
        if (trips.has(field) || APART.includes(field)) continue
        const own = TIED.includes(field) ? TIED.filter((tied) => tied in changes) : [field]
        const values = inForm(changes, own)
        const trip = await roundTrip(trial, contact, values, watching(values, true))
        // An address may have to be in small letters.
        const small = { email: values.email?.toLowerCase() ?? '' }
        const isTriedSmall = field === 'email' && !trip.accepted
        const last = isTriedSmall ? await roundTrip(trial, contact, small, watching(small, true)) : trip
        for (const one of own) trips.set(one, last)
      }
      const flags = APART.filter((field) => fields.includes(field))
      const updateFlags = async (sets: readonly (readonly UpdateField[])[]): Promise<void> => {
        const steps = sets.map((set) => {
          const values = inForm(changes, set)
          // What flags change of other contacts they change again when they are put back; a copy of them may be as it was.
          const isFirst = contact === contacts[0] && set === sets[0]
          const isWalked = isFirst || set.some((field) => isAlike(walks[0]!, field))
          const watch = watching(values, isWalked)
          const meanwhile: Step['meanwhile'] = async (after) => {
            await watch(after)
            if (isDeclared && set === sets[0]) await lookAtTheOther()
          }
          return { changes: values, meanwhile }
        })
        for (const [at, trip] of (await roundTrips(trial, contact, steps)).entries())
          for (const field of sets[at]!) trips.set(field, trip)
      }
      const others = flags.filter((field) => field !== 'isGroup')
      // Where each is sent alone later, one update does for all of them, if it is accepted.
      const inOne = areSentAlone && others.length > 1
      await updateFlags(inOne ? [others, ...oneByOne(flags.slice(others.length))] : oneByOne(flags))
      const ofAll = inOne ? trips.get(others[0]!) : undefined
      if (ofAll && (!ofAll.accepted || !ofAll.after)) await updateFlags(oneByOne(others))
    }
    const places = areSentAlone ? await placesOf(trial, idOf(contacts[0]?.value)) : embedded
    for (const operation of EMBEDDING)
      if (!places.some((one) => one.operation === operation))
        embedded.push(...(await updateWhereEmbedded(trial, operation, trips)))
    await trial.session.pause(SETTLING_MS)
    walks.push(await walk())
    if (isDeclared) await lookAtTheOther()
    const until = trial.session.evidence.exchanges.at(-1)?.number ?? 0
    const listedLast = new Set(walks.at(-1)!.map(({ value }) => idOf(value)))
    // One that somebody has deleted meanwhile is refused for that.
    const tried = [...new Set(trips.values())].filter(({ contactId }) => listedLast.has(contactId))
    const isUseless =
      tried.length >= MANY_FIELDS &&
      tried.every(isRefused) &&
      !(await acceptsNewValues(trial, contacts[0]!, await freshValues(trial, contacts[0]!)))
    const refused = isUseless ? tried.map(({ exchange }) => exchange) : []
    return { trips, walks, ofTheOther, until, listed, dated, embedded, refused, found }
  })
}

function oneByOne(fields: readonly UpdateField[]): readonly (readonly UpdateField[])[] {
  return fields.map((field) => [field])
}

/** Whether the target was there, and refused an update for what it is. */
function isRefused({ accepted, exchange: { response } }: RoundTrip): boolean {
  return !accepted && response !== undefined && !REFUSAL_OF_THE_MOMENT.has(response.status)
}

/** Updates another contact, which an operation's records embed, in a text that the first one's update has shown to work. */
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
  const field = UPDATE_TEXTS.find((name) => {
    const { sent, after } = trips.get(name) ?? {}
    const isPutBack = stored?.[name] && canBePutBack(name, stored[name])
    return !TIED.includes(name) && isPutBack && sent && after && isKept(name, sent, after.value)
  })
  if (!contact || field === undefined) return []
  const values = { [field]: freshText(trial.random, field, stored![field]!) }
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

/** Whether all contacts show one value, which would be theirs again once it is put back. */
function isAlike(contacts: readonly Located<Schemas['Contact']>[], field: UpdateField): boolean {
  return new Set(contacts.map(({ value }) => JSON.stringify(value[field]))).size === 1
}
