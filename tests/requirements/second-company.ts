import type { OperationId } from '../engine/contract.ts'
import { isForbidden, isSuccess } from '../engine/http/exchange.ts'
import { recordsOf } from '../engine/data/listing.ts'
import { askable, idOf, type ListOperation, type Located, type Schemas } from '../engine/data/records.ts'
import { isTransient } from '../engine/trouble/kinds-of-trouble.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { contactsToTry, learnUpdates, traitsOf } from './checks/updates/learn-updates.ts'
import { bodyOf, LOCKED, updatesSent } from './checks/updates/send-update.ts'
import { requireSettings } from './needs.ts'
import { UPDATE_BOOLEANS, UPDATE_TEXTS, type UpdateBody, type UpdateField } from './checks/updates/update-body.ts'
import { eachFilter } from './checks/filters/exact-filter.ts'
import { asItIsNow } from './checks/after-updates/as-it-is-now.ts'
import { firstUpdatable, freshValues, TIED } from './checks/updates/fresh-values.ts'
import { isFoundBy } from './checks/after-updates/found-when-updated.ts'
import { isKept, kept } from './checks/updates/kept.ts'
import {
  embeddedContacts,
  lookElsewhere,
  staleFields,
  type Embedded,
  type Shown,
} from './checks/after-updates/shown-elsewhere.ts'
import { judgeKnownRecords } from './checks/known-data/known-records.ts'
import { othersList } from './checks/tokens/other-company.ts'
import { judgeOthersOfSecond } from './checks/side-effects/other-contacts.ts'
import { pairing } from './checks/known-data/pairing.ts'
import { failNotReadBack } from './checks/updates/not-read-back.ts'
import { pageWithoutNumber, untilShown } from './checks/updates/read-back.ts'
import { readBacksOf, roundTrip, type RoundTrip } from './checks/updates/round-trip.ts'
import { judgeSentAsItWas } from './checks/updates/sent-as-it-was.ts'
import { searchWithAllFilters } from './checks/search/search-and-filter.ts'
import { searchFinds, searchFindsNothing } from './checks/search/search.ts'
import { updateEveryField } from './checks/updates/update-every-field.ts'
import { judgeDatesOfTheSecond } from './dates.ts'
import { judgeRepeated } from './paging.ts'
import { judgeHasMore, judgeNothingElse, judgeValues } from './known-answers.ts'
import { impliedOfCompanies } from './implied.ts'
import { isList, isOneOf, LISTS, PAGED, PLURAL, SEARCHED } from './operations.ts'
import { judgeEach, judgeSame } from './tags.ts'

/** Records of the second company that are searched for, or fetched, in each way. */
const TRIED = 1

/** Every company's token can do what the first one's can: each operation is tried once more, as the second company. */
export const secondCompany: readonly Requirement[] = [
  ...LISTS.map((operation) =>
    asSecond(
      operation,
      'known',
      `The second company's known ${PLURAL[operation]} are listed as they were loaded, and nothing else is.`,
      (trial) => judgeKnown(trial, operation),
    ),
  ),
  ...(['listTickets', 'listSchedules'] as const).map((operation) =>
    asSecond(
      operation,
      'filters',
      `Each filter returns the second company's ${PLURAL[operation]} that match it, and no others; so do all of them with a search.`,
      async (trial) => {
        await eachFilter(operation)(trial)
        await searchWithAllFilters(trial, operation)
      },
    ),
  ),
  ...SEARCHED.map((operation) =>
    asSecond(
      operation,
      'search',
      `A search finds the second company's ${PLURAL[operation]} with the text, and no others.`,
      async (trial) => {
        await searchFindsNothing(operation)(trial)
        await searchFinds(operation, TRIED)(trial)
      },
    ),
  ),
  asSecond(
    'listContacts',
    'dates',
    "Dates find the second company's contacts created then, and no others.",
    judgeDatesOfTheSecond,
  ),
  asSecond('getTag', 'fetch', 'The second company can fetch its own tags, as it lists them.', async (trial) => {
    await judgeEach(trial, TRIED)
    await judgeSame(trial, TRIED)
  }),
  asSecond(
    'updateContact',
    'update',
    "The second company's update of its own contact is read back, found and shown where the contact is embedded, and changes nothing else of it.",
    judgeUpdate,
    'write',
  ),
]

function asSecond(
  operation: OperationId,
  name: string,
  title: string,
  check: Requirement['check'],
  phase?: Requirement['phase'],
): Requirement {
  const list = isList(operation) ? operation : operation === 'getTag' ? 'listTags' : 'listContacts'
  // Says what the second company lacks, where it is records; where these are known, a list without any is wrong.
  const checkWithRecords = async (trial: Trial): Promise<void> => {
    requireSettings(
      trial,
      'OTHER_ACCESS_TOKEN',
      ...(name === 'known' ? (['DATASET'] as const) : []),
      ...(phase === 'write' ? (['ALLOW_WRITES'] as const) : []),
    )
    if (name !== 'known') await othersList(trial, list)
    await check(trial)
  }
  return impliedOfCompanies(operation, `second-company.${name}`, title, checkWithRecords, {
    operations: list === operation ? [operation] : [operation, list],
    caller: 'other',
    ...(phase && { phase }),
  })
}

/** The data set has the second company's records too; the token may be that of another company all the same. */
async function judgeKnown(trial: Trial, operation: ListOperation): Promise<void> {
  const { matches } = await pairing(trial)
  const isLoaded = LISTS.some((list) => matches[list].pairs.some(({ listed }) => listed !== undefined))
  if (!isLoaded) trial.notExercised("Needs a second company whose records are the data set's.")
  await judgeKnownRecords(trial, operation)
  await judgeValues(trial, operation)
  await judgeNothingElse(trial, operation)
  if (operation === 'listTags') await judgeHasMore(trial)
  if (isOneOf(operation, PAGED)) await judgeRepeated(trial, operation)
}

/** What the main company can update, the second can: the fields that were read back as they were sent, or a text alone. */
async function judgeUpdate(trial: Trial): Promise<void> {
  const { trips, seen } = await updateEveryField(trial.as('main'))
  const works = (field: UpdateField): boolean => {
    const { sent, after, putBack = false } = trips.get(field) ?? {}
    return (
      field !== 'isGroup' && putBack && sent !== undefined && after !== undefined && isKept(field, sent, after.value)
    )
  }
  const tried: RoundTrip[] = []
  const { contacts } = await learnUpdates(trial)
  const [first, ...others] = await contactsToTry(trial, contacts)
  const alike = await mostLikeUpdatableOfTheMain(trial)
  const places = await embeddedContacts(trial)
  const placesOf = ({ value }: Located<Schemas['Contact']>): number => places.get(idOf(value) ?? '')?.length ?? 0
  const byPlaces = (some: readonly Located<Schemas['Contact']>[]): Located<Schemas['Contact']>[] =>
    some.toSorted((a, b) => placesOf(b) - placesOf(a))
  // Of one that nothing embeds, less is seen.
  const candidates = byPlaces([...new Set([first!, ...byPlaces(alike).slice(0, 1), ...alike.slice(0, 1), ...others])])
  const updatable = await firstUpdatable(trial, candidates)
  // What refuses stored values refuses others; of one contact alone, it may be in a state in which it can't be changed.
  for (const listed of new Set([...(updatable ? [updatable] : []), ...candidates])) {
    if (idOf(listed.value) === undefined) continue
    const contact = await asItIsNow(trial, listed)
    const fresh = await freshValues(trial, contact)
    const fields = (Object.keys(fresh) as UpdateField[]).filter(works)
    const text = UPDATE_TEXTS.find((name) => !TIED.includes(name) && fields.includes(name))
    if (text === undefined) continue
    // A value that is refused is no reason for refusing others.
    for (const some of updatable ? [fields, [text]] : [[text]]) {
      const values: UpdateBody = Object.fromEntries(some.map((field) => [field, fresh[field]]))
      let isFound: boolean | undefined
      let embedded: readonly Embedded[] = []
      let page: readonly Located<Schemas['Contact']>[] = []
      const trip = await roundTrip(trial, contact, values, async (after) => {
        if (!after) return
        // A search for a new name shows what no answer that is kept could.
        page = await untilShown(trial, values, after, () => pageWithoutNumber(trial, contact))
        if (seen.found.get('name')) isFound = await isFoundBy(trial, 'name', values, after, contact.value)
        await judgeUnseenByMain(trial, contact, after.value.name)
        embedded = await lookElsewhere(trial, idOf(contact.value)!, kept(values, after))
      })
      trial.count('updates')
      if (trip.accepted) {
        judgeSentAsItWas(trial, trip)
        judgeElsewhere(trial, trip, isFound, embedded)
        await judgeOthersOfSecond(trial, [(await trial.list('listContacts')).records, page], trip)
        const listedNow = page.find(({ value }) => idOf(value) === idOf(contact.value))
        if (listedNow && trip.after)
          judgeListed(trial, { changed: kept(values, trip.after), before: contact.value, now: listedNow })
        return judgeReadBack(trial, some, trip)
      }
      tried.push(trip)
    }
  }
  const [refused] = tried
  if (!refused) return trial.notExercised('Needs a field that the main company can update, and the second shows.')
  if (tried.some(({ exchange }) => exchange.failure || isForbidden(exchange)))
    trial.notExercised('Needs an update that the second company may send, and that is answered.')
  const many = new Set(tried.map(({ contactId }) => contactId)).size
  const { records } = await trial.list('listContacts')
  if (many === 1 && records.length > 1)
    trial.notExercised('Needs two contacts of the second company with a field that the main company can update.')
  if (LOCKED.has(refused.exchange.response!.status) && !(await isOneInAStateOfTheMain(trial, tried)))
    trial.notExercised('Needs a contact of the second company in the state of one that the main company can update.')
  // What the main company's contacts do not show, a target may refuse in every update.
  const taken = new Set(
    updatesSent(trial).flatMap((one) =>
      one.request.caller === 'main' && isSuccess(one) ? Object.keys(bodyOf(one.request) ?? {}) : [],
    ),
  )
  if (tried.some(({ exchange }) => Object.keys(bodyOf(exchange.request) ?? {}).some((field) => !taken.has(field))))
    trial.notExercised('Needs contacts of the second company that show no other fields than those of the main one.')
  if (many === 1 && isTransient(refused.exchange))
    trial.notExercised('Needs a target of which no part is down while contacts are updated.')
  trial.differ(
    {
      message: "no update of the second company's own contacts was accepted",
      expected: 'a success, as the main company gets it',
      received: `status ${refused.exchange.response?.status} for ${many} contact(s)`,
      exchange: refused.exchange,
    },
    { operation: 'listContacts', id: refused.contactId },
  )
}

/** The second company's contacts, those first that share most flags, and the channel, with the one that the main company updated first. */
async function mostLikeUpdatableOfTheMain(trial: Trial): Promise<Located<Schemas['Contact']>[]> {
  const { contacts, form } = await learnUpdates(trial.as('main'))
  const wanted = new Set(form ? traitsOf(contacts[0]!) : [])
  const shared = (one: Located<Schemas['Contact']>): number => traitsOf(one).filter((trait) => wanted.has(trait)).length
  const { records } = await trial.list('listContacts')
  return records.toSorted((a, b) => shared(b) - shared(a))
}

/** Whether a contact that was tried shows every flag, as the main company's updated one does. */
async function isOneInAStateOfTheMain(trial: Trial, tried: readonly RoundTrip[]): Promise<boolean> {
  const { contacts } = await learnUpdates(trial.as('main'))
  const { records } = await trial.list('listContacts')
  return records.some(
    ({ value }) =>
      tried.some(({ contactId }) => contactId === idOf(value)) &&
      UPDATE_BOOLEANS.every((flag) => value[flag] !== undefined && value[flag] === contacts[0]!.value[flag]),
  )
}

function judgeReadBack(trial: Trial, fields: readonly UpdateField[], trip: RoundTrip): void {
  for (const [sent, seen] of readBacksOf(trip))
    for (const field of fields) {
      if (seen && isKept(field, sent, seen.value)) continue
      failNotReadBack(trial, {
        ...trip,
        message: `${field} was accepted from the second company and then not read back as it was sent`,
        field,
        sent,
        seen,
      })
    }
}

/** The list follows the second company's update, as a search does that nobody has asked for before. */
function judgeListed(trial: Trial, shown: Shown): void {
  for (const field of staleFields(shown))
    trial.fail({
      message: `${field} was accepted from the second company, is found by a search, and the list still shows the old one`,
      expected: shown.changed[field],
      received: shown.now.value[field],
      exchange: shown.now.exchange,
      pointer: `${shown.now.pointer}/${field}`,
    })
}

/** What an update makes known to a search is known to its own company alone. */
async function judgeUnseenByMain(trial: Trial, contact: Located<Schemas['Contact']>, name: unknown): Promise<void> {
  const text = askable(name)
  if (text === undefined || name === contact.value.name) return
  const { session } = trial.as('main')
  const probe = await session.attempt('listContacts', { query: { searchParam: text } })
  const found = recordsOf(session, 'listContacts', probe).find(
    ({ value }) => idOf(value) === idOf(contact.value) && value.name === name,
  )
  if (found)
    trial.fail({
      message: "a search of the main company found the second company's contact once it was updated",
      expected: `no contact for "${text}"`,
      received: `the contact ${idOf(found.value)}`,
      exchange: found.exchange,
      pointer: found.pointer,
      once: true,
    })
}

/** A search, and what embeds the contact, follow the second company's update as they follow the main company's. */
function judgeElsewhere(
  trial: Trial,
  { contactId, sent, exchange }: RoundTrip,
  isFound: boolean | undefined,
  embedded: readonly Embedded[],
): void {
  if (isFound === false)
    trial.fail({
      message: "a search does not find the second company's updated contact by its new name",
      expected: `the contact ${contactId} for "${sent.name}"`,
      received: 'not that contact',
      exchange,
    })
  for (const { operation, now, ...one } of embedded)
    for (const field of now ? staleFields({ ...one, now }) : [])
      trial.fail({
        message: `${field} was accepted from the second company, and ${operation} still embeds the old one`,
        expected: one.changed[field],
        received: now!.value[field],
        exchange: now!.exchange,
        pointer: `${now!.pointer}/${field}`,
      })
}
