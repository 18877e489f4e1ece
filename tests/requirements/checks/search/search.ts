import { isHang, queryOf, type Exchange } from '../../../engine/http/exchange.ts'
import { unusable } from '../../../engine/data/listing.ts'
import { orElse } from '../../../engine/or-else.ts'
import { askable, asText, idOf, isObject, type Schemas } from '../../../engine/data/records.ts'
import { Unanswered } from '../../../engine/trouble/unanswered.ts'
import type { Basis } from '../../../engine/data/snapshot.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { EXACT_FILTERS, PLURAL, STATUSES, type Filtered, type FilterOf, type Searched } from '../../operations.ts'
import { CYRILLIC, randomDigits, randomTextWithSigns, randomWord } from '../../unknown-value.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { tellsCapitals } from './capitals.ts'
import { mayBeCapped } from './capped-search.ts'
import { mayLackSome } from '../lists/cut-short.ts'
import { formatFor } from '../dates/date-format-discovery.ts'
import { discriminatingValues } from '../filters/exact-filter.ts'
import { filterValue } from '../filters/filter-value.ts'
import { placesOf } from './found-as-others.ts'
import { judgeLongerText } from './longer-text.ts'
import { judgeWithoutNumber, orderOf } from '../filters/matching.ts'
import { judgeNamesakes } from './namesakes.ts'
import { judgeNamesWithSigns } from './names-with-signs.ts'
import { judgeOwnTexts } from './own-texts.ts'
import { judgePassedOver, type PassedOver } from './passed-over.ts'
import { judgeSearchForAPart } from './search-for-a-part.ts'
import { everySearchable, searchable, type Searchable } from './searchable.ts'

/** Texts of every kind that tend to break a search. */
const ANY_TEXT = [
  '5511987654321',
  'long text '.repeat(30),
  `O'Neill; -- 100%_ "([*+?\\ $1 <b>&amp;</b> Ñandú 名前 Ωμέγα 😀 a.b@c, d:e! #f ^g|h {i} ~j=k]\n`,
] as const

const REFUSED = /^4/
/** Enough of a name to be searched for. */
const SMALL_LETTERS = /\p{Ll}{4,}/gu
/** Contacts that show that a search looks at names. */
const WITNESSES = 2
/** A text without a sign that a search may refuse. */
const PLAIN = /^[\p{L}\p{M}\p{N} ]{1,20}$/u

/** What became of searches for the texts of one record. */
interface SearchedFor<O extends Searched> {
  /** The record, where its name found it. */
  readonly named?: Searchable<O>
  /** The texts that found nothing, where another one found the record. */
  readonly passedOver?: readonly PassedOver<O>[]
  /** Where no text found it. */
  readonly lost?: Parameters<Trial['differ']>
}

/**
 * A search for what a record certainly says finds the record.
 * @param most how many records are searched for, where it is fewer than usual.
 */
export function searchFinds<O extends Searched>(operation: O, most?: number): (trial: Trial) => Promise<void> {
  return async (trial) => {
    await trial.list(operation)
    const tried = (await searchable(trial, operation, 'certain')).slice(0, most)
    if (tried.length === 0)
      trial.notExercised(
        `Needs ${PLURAL[operation]} whose ${operation === 'listContacts' ? 'name is' : "contact's name and own text are"} plain text with a word of four letters.`,
      )
    if (tried.length > 1 && new Set(tried.flatMap(({ texts }) => texts)).size === tried[0]!.texts.length)
      trial.notExercised(`Needs ${PLURAL[operation]} with different texts.`)
    // Where few are searched for, it is by their own texts; parts of their names are searched for beside filters.
    const inTurn = (texts: readonly string[]) => (most === undefined ? texts : texts.toReversed())
    const search = (one: Searchable<O>): Promise<SearchedFor<O>> =>
      searchForOne(trial, operation, one, inTurn(one.texts), one === tried[0])
    const searches = await trial.each(tried, search).catch((error: unknown) => {
      const silent = error instanceof Unanswered ? silentSearch(trial, operation) : undefined
      if (!silent) throw error
      trial.fail({
        message: `no search for ${PLURAL[operation]} was answered`,
        expected: 'an answer',
        received: silent.failure!.message,
        exchange: silent,
      })
      return []
    })
    const named = searches.flatMap((one) => one.named ?? [])
    const lost = searches.flatMap((one) => (one.lost ? [one.lost] : []))
    // Which texts a search looks at is open: not at names, where none is found by its own.
    const isByOthers =
      lost.length > 0 &&
      named.length === 0 &&
      (await isFoundByNumber(trial, operation, tried)) &&
      !(await areFoundBySmallLetters(trial))
    if (!isByOthers) for (const finding of lost) trial.differ(...finding)
    for (const one of searches.flatMap(({ passedOver = [] }) => passedOver))
      await judgePassedOver(trial, operation, one, named)
    if (operation in EXACT_FILTERS) {
      await judgeSearchForAPart(trial, operation)
      await judgeNamesakes(trial, operation)
    }
    await judgeOwnTexts(trial, operation, tried)
    if (most === undefined) await judgeNamesWithSigns(trial, operation, named)
  }
}

/** Searches for one record by its texts, until one finds it; of the first record, the search is asked for without a page as well. */
async function searchForOne<O extends Searched>(
  trial: Trial,
  operation: O,
  candidate: Searchable<O>,
  inTurn: readonly string[],
  isFirst: boolean,
): Promise<SearchedFor<O>> {
  const all = await trial.list(operation)
  const page = all.paged ? all.firstPage : undefined
  const isRefused = async (text: string): Promise<boolean> => {
    const { status, exchange } = await trial.session.attemptOnce(operation, { query: searchQuery(text, page) })
    return REFUSED.test(String(status)) || exchange.failure?.kind === 'dropped'
  }
  const { record } = candidate
  const [name] = candidate.texts
  // What a search finds by another text, it does not show of one that tells how capitals are compared.
  const tells = (text: string): boolean => tellsCapitals(text, text === name)
  const texts = inTurn.toSorted((a, b) => Number(tells(b)) - Number(tells(a)))
  const id = idOf(record.value)!
  const passedOver: PassedOver<O>[] = []
  const order = new Set<Basis>()
  let unanswered: Unanswered | undefined
  for (const text of texts) {
    const found = await trial.searched(operation, text, {}, { wanted: new Set([id]) }).catch((error: unknown) => {
      if (!(error instanceof Unanswered) || text === texts[0]) throw error
      unanswered = error
    })
    if (!found) break
    if (found.exchange) trial.count('searches')
    for (const basis of orderOf(operation, found)) order.add(basis)
    if (found.byId.has(id)) {
      if (isFirst) await judgeWithoutNumber(trial, operation, { searchParam: text }, found)
      const isByName = text === name && !isFoundElsewhere(operation, record.value, text)
      return { passedOver, ...(isByName && { named: candidate }) }
    }
    if (mayLackSome(all, found)) return {}
    // Which signs are refused, and from which length on, is open, and whether the text would have been found.
    if (!found.exchange && !PLAIN.test(text) && (await isRefused(text))) return {}
    // A text that is refused has no answer here, and one that finds others may be cut short.
    if (tells(text) && found.exchange && found.records.length === 0)
      passedOver.push({ candidate, text, exchange: found.exchange })
  }
  if (await isFoundInItsState(trial, operation, candidate)) return {}
  const query = searchQuery(texts[0]!, page)
  const { exchange, status, success, body } = await trial.session.attempt(operation, { query })
  // A search that was not answered may have been one that finds it, unless none is.
  if (unanswered && !exchange.failure) throw unanswered
  // Which values are refused is open.
  if (status !== undefined && REFUSED.test(String(status)) && !texts.some((text) => PLAIN.test(text))) return {}
  const { listMember } = trial.session.contract.operation(operation)
  const list = (body as Record<string, unknown> | null | undefined)?.[listMember!]
  if (success && !Array.isArray(list)) trial.notExercised(unusable(exchange))
  const finding = {
    message: `a search for ${operation === 'listContacts' ? "a contact's full name" : "a record's own text, and for its contact's name,"} did not find it`,
    expected: `the record ${id}, for ${texts.map((text) => `"${text}"`).join(' or ')}`,
    received: Array.isArray(list)
      ? `${list.length} other record(s)`
      : (exchange.failure?.message ?? `status ${status}`),
    exchange,
  }
  return { lost: [finding, ...basisOfSearch(operation, record.value), ...order] }
}

/** Whether a contact holds its name in its number or its address as well, by which it may have been found. */
function isFoundElsewhere(operation: Searched, record: object, name: string): boolean {
  return operation === 'listContacts' && placesOf(record, name).some((place) => place !== '/name')
}

/** Whether a search finds a contact by its number or its e-mail address, and not by any text. */
async function isFoundByNumber<O extends Searched>(
  trial: Trial,
  operation: O,
  tried: readonly Searchable<O>[],
): Promise<boolean> {
  if (operation !== 'listContacts') return false
  for (const field of ['number', 'email'] as const) {
    const shown = tried.flatMap(({ record: { value } }) => {
      const [id, text] = [idOf(value), askable((value as Schemas['Contact'])[field])]
      return id === undefined || text === undefined ? [] : [{ id, text }]
    })
    const [one] = shown
    if (!one) continue
    trial.count('searches')
    if (await trial.finds(operation, one.text, one.id))
      return !(await trial.searched(operation, randomWord(trial.random))).byId.has(one.id)
  }
  return false
}

/**
 * Whether a search finds contacts by small letters inside their names that they hold nowhere else, but for addresses that it
 * does not find them by: it looks at names.
 */
async function areFoundBySmallLetters(trial: Trial): Promise<boolean> {
  const every = await everySearchable(trial, 'listContacts', 'certain')
  // Where no address is shown, one may hold them.
  if (every.every(({ record: { value } }) => askable(value.email) === undefined)) return false
  const some = every.flatMap(({ record: { value } }) => {
    const parts = value.name?.match(SMALL_LETTERS)?.map((part) => ({ part, places: placesOf(value, part) })) ?? []
    const own =
      parts.find(({ places }) => places.every((place) => place === '/name')) ??
      parts.find(({ places }) => places.every((place) => ['/name', '/email'].includes(place)))
    return own ? [{ value, id: idOf(value)!, inside: own.part, isInAddress: own.places.includes('/email') }] : []
  })
  if (some.length < WITNESSES) return false
  const witnesses = some.toSorted((a, b) => Number(a.isInAddress) - Number(b.isInAddress)).slice(0, WITNESSES)
  const byName = await trial.each(witnesses, async ({ value, id, inside, isInAddress }) => {
    const isFound = await trial.finds('listContacts', inside, id)
    return isFound && !(isInAddress && (await trial.finds('listContacts', askable(value.email)!, id)))
  })
  return byName.every(Boolean)
}

/** A search of a list that was waited for as long as a request may take, where all of them hung. */
function silentSearch({ session }: Trial, operation: Searched): Exchange | undefined {
  const searches = session.evidence.exchanges.filter(
    (one) =>
      one.operation === operation &&
      one.request.caller === session.caller &&
      new URL(one.request.url).searchParams.has('searchParam'),
  )
  return searches.every(isHang) ? searches.find(({ failure }) => failure?.kind === 'timeout') : undefined
}

/** Whether a search alone finds records of some state, and for these texts no more than it brings: it then does not keep to others. */
async function isStateSearched(
  trial: Trial,
  operation: Searched,
  status: unknown,
  texts: readonly string[],
): Promise<boolean> {
  const isFoundAlone = everyRecord(trial, operation, trial.session.caller).some(
    ({ record, exchange }) => record.status === status && Object.keys(queryOf(exchange)).join() === 'searchParam',
  )
  if (status === undefined || !isFoundAlone) return false
  const capped = await trial.each(texts, async (text) =>
    mayBeCapped(trial, operation, await trial.searched(operation, text)),
  )
  return !capped.some(Boolean)
}

/** A search may keep to a state, such as tickets that are not closed, where a filter reaches the others. */
export async function isFoundInItsState<O extends Searched>(
  trial: Trial,
  operation: O,
  { record, texts }: Pick<Searchable<O>, 'record' | 'texts'>,
): Promise<boolean> {
  if (operation !== 'listTickets') return false
  const { status: shown } = record.value as { readonly status?: unknown }
  const id = idOf(record.value)!
  if (await isStateSearched(trial, operation, shown, texts)) return false
  // A ticket that shows no status is in one all the same.
  for (const status of typeof shown === 'string' ? [shown] : STATUSES)
    for (const text of texts) if (await trial.finds(operation, text, id, { status })) return true
  return false
}

/** What a record's being found rests on: itself, and the name that was searched for, which may be a contact's. */
export function basisOfSearch(operation: Searched, record: object): readonly Basis[] {
  const id = idOf(record)
  const contactId = operation === 'listContacts' ? id : asText((record as Schemas['Schedule']).contactId)
  return [
    { operation, id },
    { operation: 'listContacts', id: contactId ?? id },
  ]
}

/**
 * A random text finds nothing, on the first page and on the whole list's last: a search is forgotten from some page on, where
 * nothing is left of a text in another script, for one with signs, or for digits, which may be taken for another parameter.
 */
export function searchFindsNothing(operation: Searched): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    if (all.records.length === 0) trial.notExercised(`Needs ${PLURAL[operation]}; the target lists none.`)
    const last = all.paged ? Math.max(all.firstPage + 1, all.pages.at(-1)?.number ?? 0) : undefined
    const filter = operation in EXACT_FILTERS ? EXACT_FILTERS[operation as Filtered][0] : undefined
    const value = filter && all.records.map((one) => asText((one.value as Schemas['Ticket'])[filter])).find(Boolean)
    const queries: Record<string, string>[] = [
      searchQuery(randomWord(trial.random), undefined),
      ...(trial.session.caller === 'main'
        ? [
            searchQuery(randomWord(trial.random, CYRILLIC), last),
            searchQuery(randomDigits(trial.random), undefined),
            searchQuery(randomTextWithSigns(trial.random), undefined),
          ]
        : []),
      // What no search finds may be taken for no search where a filter is given, too.
      ...(filter && value ? [{ ...searchQuery(randomWord(trial.random), undefined), [filter]: value }] : []),
    ]
    const { listMember } = trial.session.contract.operation(operation)
    for (const query of queries) {
      const probe = await trial.session.attempt(operation, { query })
      trial.count('searches')
      const list = (probe.body as Record<string, unknown> | null | undefined)?.[listMember!]
      if (probe.success && Array.isArray(list) && list.some(isObject))
        trial.fail({
          message: `a search for a random text found ${PLURAL[operation]}`,
          expected: 'no record',
          received: `${list.length} record(s)`,
          exchange: probe.exchange,
          pointer: `/${listMember}/0`,
        })
    }
    if (trial.session.caller === 'main') await judgeLongerText(trial, operation)
  }
}

/** Text of any kind is searched for or refused; it is never a server error. An empty one is sent with a filter, if there are any. */
export function anyText(operation: Searched): (trial: Trial) => Promise<void> {
  return async (trial) => {
    await trial.session.ask(operation)
    const beside = operation === 'listContacts' ? await someDays(trial) : await filterBesideNothing(trial, operation)
    const asked = [
      { searchParam: '', ...(operation !== 'listContacts' && beside) },
      ...ANY_TEXT.map((searchParam) => ({ searchParam })),
      // With another parameter, the text may be put into another question.
      { searchParam: ANY_TEXT.at(-1)!, ...beside },
    ]
    await trial.each(asked, async (query) => {
      const { exchange, status } = await trial.session.attemptOnce(operation, { query })
      trial.count('searches')
      // A dropped connection is a refusal, as of a gateway that lets no markup in.
      if (exchange.failure?.kind === 'dropped') return
      // What is met by an error with any text does not take the one parameter beside the other.
      const isOfTheText = async (): Promise<boolean> => {
        const plain = { ...query, searchParam: randomWord(trial.random) }
        return (
          Object.keys(query).length === 1 ||
          !isNoAnswer((await trial.session.attempt(operation, { query: plain })).status)
        )
      }
      if (isNoAnswer(status) && (await isOfTheText()))
        trial.fail({
          message: `a search text was ${status === undefined ? 'not answered' : 'answered with a server error'}`,
          expected: 'a success, or a refusal below 500',
          received: status === undefined ? exchange.failure!.message : `status ${status}`,
          exchange,
        })
    })
  }
}

function isNoAnswer(status: number | undefined): boolean {
  return status === undefined || status >= 500
}

/** A range of dates that the target has understood, if it understands any. */
async function someDays(trial: Trial): Promise<Readonly<Record<string, string>>> {
  const choice = await orElse(formatFor(trial, 'range'), undefined)
  return choice?.effect === 'understood' ? choice.query : {}
}

/** A value of a filter that some records hold and others do not, to be asked for beside an empty search. */
export async function filterBesideNothing<O extends Searched & Filtered>(
  trial: Trial,
  operation: O,
): Promise<Readonly<Record<string, string>>> {
  for (const field of EXACT_FILTERS[operation] as readonly FilterOf<O>[]) {
    const values = await discriminatingValues(trial, operation, field)
    const value = values.find((one) => filterValue({ [field]: one }, field) !== undefined)
    if (value !== undefined) return { [field]: value }
  }
  return {}
}

function searchQuery(text: string, page: number | undefined): Record<string, string> {
  return { searchParam: text, ...(page !== undefined && { pageNumber: String(page) }) }
}
