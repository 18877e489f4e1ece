import type { Reading } from '../http/answer.ts'
import { isHang, NOT_FOUND, requestLine, type Exchange } from '../http/exchange.ts'
import { orElse } from '../or-else.ts'
import { idOf, type ListOperation, type Located, type RecordOf } from './records.ts'
import type { Probe, Session } from '../judging/session.ts'

/** What a walk lacks that came to its limit. */
export const ENDLESS = 'Needs a list that ends within MAX_PAGES; raise it to reach the end.'

/** The query parameter by which a paged list is asked for one of its pages. */
export const PAGE_PARAMETER = 'pageNumber'

/** What a walk lacks whose pages came too late, or never. */
export const SLOW = 'Needs pages that are answered in time; raise REQUEST_TIMEOUT_MS where they are only slow.'

/** Numbers that the first page may have. */
const FIRST_PAGES = ['0', '1']

/** So many records of one filtered answer are judged: a run asks for a hundred of them, and each may be the whole list. */
export const SAMPLE = 5_000
const SAMPLED = `Needs filtered answers of at most ${SAMPLE} records; longer ones are sampled.`

/** One page of a list, or the whole answer of a list that has no pages. */
export interface Page<T> {
  readonly number: number | undefined
  readonly exchange: Exchange
  readonly records: readonly Located<T>[]
  /** Whether it holds nothing but records. */
  readonly readable: boolean
  /** Whether it holds more records than these. */
  readonly isSampled: boolean
}

/** A list as it was walked. */
export interface Listing<T> {
  /** By what it was filtered. */
  readonly query: Readonly<Record<string, string>>
  readonly pages: readonly Page<T>[]
  /** Every record once, in the order of its first appearance. */
  readonly records: readonly Located<T>[]
  /** Records that a page brought although an earlier page, or the same one, had brought them. */
  readonly repeated: readonly Located<T>[]
  /** The pages asked for after the last that brought something new, as far as they were answered. */
  readonly beyond: readonly Page<T>[]
  /** Whether all of it was read: what isn't there is not in the list. */
  readonly complete: boolean
  /** Where it isn't complete: what would be needed, in a sentence. */
  readonly lacks?: string
  /** Whether several pages were asked for, past which a record that moves from one to another may have slipped. */
  readonly walked: boolean
  readonly byId: ReadonlyMap<string, Located<T>>
  /** The answer with which the list begins; undefined where it was refused. */
  readonly exchange: Exchange | undefined
  /** The answer that refused it. */
  readonly refusal?: Exchange
}

/** A list of the target without any filter, and how it is paged. */
export interface BaseListing<T> extends Listing<T> {
  readonly paged: boolean
  /** Number of the first page, where the list is paged and has records. */
  readonly firstPage: number
  /** Whether a list with records, this one or the main company's, has shown which page is the first. */
  readonly showsFirstPage: boolean
  /** Records on the longest page. */
  readonly pageSize: number
}

/** Whether an operation takes a page number. */
function isPaged(session: Session, operation: ListOperation): boolean {
  return session.contract.operation(operation).queryParameters.includes(PAGE_PARAMETER)
}

/**
 * The unfiltered list of an operation, walked to its end once per pass.
 * @throws Unanswered where the plain request has no usable answer.
 */
export function baseListing<O extends ListOperation>(
  session: Session,
  operation: O,
): Promise<BaseListing<RecordOf<O>>> {
  return session.remember(`base ${operation}`, async () => {
    const plain = await session.ask(operation)
    if (isPaged(session, operation)) return learnPages(session, operation, recordsOf(session, operation, plain))
    const page = pageOf<RecordOf<O>>(session, operation, undefined, { ...plain, success: true })!
    return { ...assemble([page]), paged: false, firstPage: 1, showsFirstPage: false, pageSize: page.records.length }
  })
}

type Answered = Pick<Probe, 'exchange' | 'success'> & { readonly body?: unknown }

export interface WalkOptions {
  /** Ids that should appear: a short page ends the walk only once they have. */
  readonly wanted?: ReadonlySet<string>
  /** Asks on until a page brings nothing new, whatever the pages' length. */
  readonly toTheEnd?: boolean
  /** Whether the target may refuse the query's values, or say that nothing is found: that is then a list without records. */
  readonly refusable?: boolean | 'as not found'
}

/**
 * Walks a filtered list.
 * @throws Unanswered where a page that must be there has no usable answer.
 */
export async function filteredListing<O extends ListOperation>(
  session: Session,
  operation: O,
  query: Readonly<Record<string, string>>,
  options: WalkOptions = {},
): Promise<Listing<RecordOf<O>>> {
  const base = await baseListing(session, operation)
  // Without a number, the first page is answered, whichever that is.
  const number = base.showsFirstPage ? base.firstPage : undefined
  const { first, refusal } = await firstPageOf(session, operation, query, number, options)
  const pages: Page<RecordOf<O>>[] = first ? [first] : []
  const isSampled = first?.isSampled === true
  if (!first || !base.paged || isSampled) {
    const lacks = isSampled ? SAMPLED : refusal && isHang(refusal) ? SLOW : undefined
    return assemble(pages, { query, lacks, ...(refusal && { refusal }) })
  }
  const seen = new Set(pages[0]!.records.map(keyOf))
  // Where pages before the last are of several lengths, a short one is no end; two pages of the second company's show none.
  const ofMain = session.caller === 'other' ? await listingOfMain(session, operation) : undefined
  const isEven = [base, ...(ofMain ? [ofMain] : [])].every(hasEvenPages)
  for (let next = (number ?? 0) + 1; ; next++) {
    const last = pages.at(-1)!
    // A list of one page, which hides some records, may be no longer than the first page of what a query finds.
    const isLone = base.pages.length === 1 && last.records.length < base.records.length
    const short = isEven && (last.records.length < base.pageSize || isLone)
    const found = [...(options.wanted ?? [])].every((id) => seen.has(id))
    if (last.records.length === 0 || (short && found && !options.toTheEnd)) return assemble(pages, { query })
    if (pages.length >= session.settings.maxPages) return assemble(pages, { query, lacks: ENDLESS })
    const probe = await pageProbe(session, operation, String(next), query)
    const page = pageOf<RecordOf<O>>(session, operation, next, probe)
    if (!page) {
      // A target that answers past the end, each time, has no reason to refuse a page that the whole list has; that none
      // is found there, it may say of any search.
      const isWithin = probe.status !== NOT_FOUND && next <= (base.pages.at(-1)?.number ?? 0)
      if (base.beyond.length > 1 && isWithin) await session.ask(operation, { query: withPage(query, next) })
      return assemble(pages, { query, lacks: isHang(probe.exchange) ? SLOW : undefined })
    }
    const fresh = page.records.filter((record) => !seen.has(keyOf(record)))
    // Where page 0 may be another name of page 1, the next one tells.
    if (fresh.length === 0 && next === 1 && base.pages.length <= 1) continue
    // A page that only repeats is the end too, or what lies between has moved on.
    if (fresh.length === 0) return assemble(pages, { query, beyond: [page] })
    for (const record of fresh) seen.add(keyOf(record))
    pages.push(page)
  }
}

function hasEvenPages({ pages, pageSize }: BaseListing<unknown>): boolean {
  return pages.slice(0, -1).every(({ records }) => records.length === pageSize)
}

async function firstPageOf<O extends ListOperation>(
  session: Session,
  operation: O,
  filters: Readonly<Record<string, string>>,
  number: number | undefined,
  { refusable }: WalkOptions,
): Promise<{ readonly first?: Page<RecordOf<O>>; readonly refusal?: Exchange }> {
  const query = number === undefined ? filters : withPage(filters, number)
  const mayRefuse =
    refusable === 'as not found' ? (await session.attemptOnce(operation, { query })).status === NOT_FOUND : refusable
  const answer = mayRefuse
    ? await session.attemptOnce(operation, { query })
    : { ...(await session.ask(operation, { query })), success: true }
  const first = pageOf<RecordOf<O>>(session, operation, number, answer, SAMPLE)
  return first ? { first } : { refusal: answer.exchange }
}

/** A page of a list, asked for openly: undefined where it is refused, as a page past the end may be. */
async function openPage<O extends ListOperation>(
  session: Session,
  operation: O,
  number: number,
): Promise<Page<RecordOf<O>> | undefined> {
  return pageOf(session, operation, number, await pageProbe(session, operation, String(number)))
}

/** The answer to a page number of any kind, sent once per pass. */
export function pageProbe(
  session: Session,
  operation: ListOperation,
  number: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Probe> {
  const call = { query: withPage(query, number) }
  return session.remember(`page ${operation} ${JSON.stringify(call)}`, async () => {
    const probe = await session.attemptOnce(operation, call)
    // Whether there is such a page decides how the list is taken to be paged: a slow answer must not. A later one that
    // hangs may be past the end, and must leave patience for the next, which tells.
    return FIRST_PAGES.includes(number) && isHang(probe.exchange) ? session.attempt(operation, call) : probe
  })
}

/** The records of an answer, each with its place. */
export function recordsOf<O extends ListOperation>(
  session: Session,
  operation: O,
  reading: Pick<Reading, 'body' | 'exchange'>,
): readonly Located<RecordOf<O>>[] {
  return pageOf<RecordOf<O>>(session, operation, undefined, { ...reading, success: true })?.records ?? []
}

async function learnPages<O extends ListOperation>(
  session: Session,
  operation: O,
  plain: readonly Located<RecordOf<O>>[],
): Promise<BaseListing<RecordOf<O>>> {
  const walk = walkFrom(
    session,
    operation,
    1,
    session.caller === 'other' && (await endsWithEmptyPages(session, operation)),
  )
  // What page 0 is, one company's list tells: the other's begins with page 1 where that alone is the plain list.
  const isKnown =
    session.caller === 'other' && isSamePage((await walk).pages[0]?.records, plain) && !isAnyPage(await walk)
  const [zero, fromOne] = await Promise.all([isKnown ? undefined : openPage(session, operation, 0), walk])
  const pageOne = fromOne.pages[0]?.records ?? []
  const zeroKeys = new Set(zero?.records.map(keyOf))
  const reached = new Set(fromOne.records.map(keyOf))
  // Page 0 that repeats page 1, but for what has moved meanwhile, or is the whole list, isn't the first, as long as pages differ.
  const repeatsPageOne = shareOf(zeroKeys, pageOne) > 0.5
  // It is the first where it brings what no later page does, or what is answered without a number and page 1 is not;
  // on a busy target, its records may have moved on to later pages meanwhile.
  const bringsNew = [...zeroKeys].some((key) => !reached.has(key))
  const isPlain = shareOf(zeroKeys, plain) > 0.5 && shareOf(new Set(pageOne.map(keyOf)), plain) < 0.5
  // One company's pages begin as the other's do; what is told by records that change places is told once.
  const main = session.caller === 'other' ? await listingOfMain(session, operation) : undefined
  const isFirstOfMain = main?.showsFirstPage && zero ? main.firstPage === 0 : undefined
  const zeroIsFirst = isFirstOfMain ?? (repeatsPageOne ? isAnyPage(fromOne) : bringsNew || isPlain)
  // A page past the end may be the first page again, or the end of the list and a part of what comes before it.
  const repeated = new Set(fromOne.repeated)
  const isNew = (record: Located<RecordOf<O>>): boolean => !zeroKeys.has(keyOf(record)) && !repeated.has(record)
  const end = fromOne.pages.findLastIndex(({ records }) => records.some(isNew)) + 1
  const listing = zeroIsFirst ? assemble([zero!, ...fromOne.pages.slice(0, end)], fromOne) : fromOne
  // An empty list does not tell with which page it begins; one with a filter begins with the same as the main company's.
  const asMain = listing.records.length === 0 ? main : undefined
  return {
    ...listing,
    paged: true,
    firstPage: asMain?.firstPage ?? (zeroIsFirst ? 0 : 1),
    showsFirstPage: asMain?.showsFirstPage ?? listing.records.length > 0,
    pageSize: listing.pages.reduce((longest, { records }) => Math.max(longest, records.length), 0),
  }
}

function listingOfMain(session: Session, operation: ListOperation): Promise<BaseListing<unknown> | undefined> {
  return orElse(baseListing(session.as('main'), operation), undefined)
}

/** Whether the main company's list has shown that what is past the end are pages without records. */
async function endsWithEmptyPages(session: Session, operation: ListOperation): Promise<boolean> {
  const main = await listingOfMain(session, operation)
  return main !== undefined && main.beyond.length > 1 && main.beyond.every(isEmptyPage)
}

function isEmptyPage({ readable, records }: Page<unknown>): boolean {
  return readable && records.length === 0
}

/** Whether all records are on one page, and past it again: each number may be past the end then, but 0. */
function isAnyPage({ pages, beyond }: Listing<unknown>): boolean {
  return pages.length === 1 && beyond.some(({ records }) => records.length > 0)
}

function isSamePage<T>(some: readonly Located<T>[] = [], others: readonly Located<T>[]): boolean {
  return some.length > 0 && some.length === others.length && shareOf(new Set(some.map(keyOf)), others) === 1
}

/** The share of records that are among those with some keys; none where there are no records. */
function shareOf<T>(keys: ReadonlySet<string>, records: readonly Located<T>[]): number {
  return records.filter((record) => keys.has(keyOf(record))).length / Math.max(1, records.length)
}

/**
 * Walks until two pages in a row bring nothing new; a refused page that an answered one follows is judged as an answer.
 * @param isKnownEnd whether one page without records is known to be past the end.
 */
async function walkFrom<O extends ListOperation>(
  session: Session,
  operation: O,
  first: number,
  isKnownEnd: boolean,
): Promise<Listing<RecordOf<O>>> {
  const pages: Page<RecordOf<O>>[] = []
  const seen = new Set<string>()
  let idle: { number: number; page: Page<RecordOf<O>> | undefined }[] = []
  let lacks: string | undefined
  // Silence tells nothing of an end, and answers no valid call.
  const judgeSilence = async (skipped: typeof idle): Promise<boolean> => {
    const probes = await Promise.all(skipped.map(({ number }) => pageProbe(session, operation, String(number))))
    if (!probes.every(({ exchange }) => isHang(exchange))) return false
    session.judge(probes[0]!.exchange)
    return true
  }
  const judgeRefused = async (): Promise<void> => {
    for (const skipped of idle) {
      if (skipped.page) continue
      const { exchange } = await pageProbe(session, operation, String(skipped.number))
      if (isHang(exchange)) {
        // Asked for once more, it is judged where it hangs again.
        const late = await session.ask(operation, { query: withPage({}, skipped.number) })
        skipped.page = pageOf(session, operation, skipped.number, { ...late, success: true })
      } else {
        session.judge(exchange)
        lacks ??= unusable(exchange)
      }
    }
  }
  for (let number = first; pages.length < session.settings.maxPages; number++) {
    const page = await openPage(session, operation, number)
    const fresh = page?.records.filter((record) => !seen.has(keyOf(record))) ?? []
    if (!page || fresh.length === 0) {
      idle.push({ number, page })
      if (idle.length < 2 && !(isKnownEnd && page && isEmptyPage(page))) continue
      if (page) await judgeRefused()
      const late = idle[0]!.page?.records.some((record) => !seen.has(keyOf(record)))
      if ((await judgeSilence(idle)) || late) lacks ??= SLOW
      return assemble(pages, { lacks, beyond: idle.flatMap((one) => one.page ?? []) })
    }
    await judgeRefused()
    pages.push(...idle.flatMap((skipped) => skipped.page ?? []))
    idle = []
    for (const record of fresh) seen.add(keyOf(record))
    pages.push(page)
  }
  return assemble(pages, { lacks: ENDLESS })
}

function assemble<T>(
  pages: readonly Page<T>[],
  {
    query = {},
    lacks,
    beyond = [],
    refusal,
  }: Partial<Pick<Listing<T>, 'query' | 'beyond' | 'refusal'>> & { lacks?: string | undefined } = {},
): Listing<T> {
  const byKey = new Map<string, Located<T>>()
  const repeated: Located<T>[] = []
  for (const page of pages)
    for (const record of page.records) {
      const key = keyOf(record)
      if (byKey.has(key)) repeated.push(record)
      else byKey.set(key, record)
    }
  const [only] = pages
  const records = pages.length === 1 && repeated.length === 0 ? only!.records : [...byKey.values()]
  let byId: Map<string, Located<T>> | undefined
  const walked = pages.length + beyond.length > 1
  const unread = [...pages, ...beyond].find(({ readable }) => !readable)
  const lack = lacks ?? (unread && unusable(unread.exchange))
  return {
    query,
    pages,
    records,
    repeated,
    beyond,
    complete: lack === undefined,
    ...(lack !== undefined && { lacks: lack }),
    walked,
    // Made when it is asked for: not every list is compared with others.
    get byId() {
      return (byId ??= indexed(records))
    },
    exchange: pages[0]?.exchange,
    ...(refusal && { refusal }),
  }
}

function indexed<T>(records: readonly Located<T>[]): Map<string, Located<T>> {
  const byId = new Map<string, Located<T>>()
  for (const record of records) {
    const id = idOf(record.value)
    if (id !== undefined) byId.set(id, record)
  }
  return byId
}

/** Why nothing can be concluded from what an answer lacks, in a sentence. */
export function unusable(exchange: Exchange): string {
  return `${requestLine(exchange)} gave no answer that can be used in full (exchange ${exchange.number}); see the answer and field requirements.`
}

/** Where the records of a page are. */
interface Place {
  readonly exchange: Exchange
  readonly member: string
  readonly list: readonly unknown[]
}

/** A record in its place: as small as can be, as a list may have very many. */
class Listed<T> implements Located<T> {
  readonly #place: Place
  readonly #index: number

  constructor(place: Place, index: number) {
    this.#place = place
    this.#index = index
  }

  get value(): T {
    return this.#place.list[this.#index] as T
  }

  get exchange(): Exchange {
    return this.#place.exchange
  }

  get pointer(): string {
    return `/${this.#place.member}/${this.#index}`
  }
}

/**
 * A page as it was answered; undefined where it was refused.
 * @param most of its records: of a longer page, as many from all over it.
 */
function pageOf<T>(
  session: Session,
  operation: ListOperation,
  number: number | undefined,
  answer: Answered,
  most = Infinity,
): Page<T> | undefined {
  const member = session.contract.operation(operation).listMember!
  const { exchange, success, body } = answer
  const list = success ? (body as Record<string, unknown> | null | undefined)?.[member] : undefined
  if (!Array.isArray(list)) return undefined
  const place: Place = { exchange, member, list }
  const step = Math.max(1, list.length / most)
  const records: Listed<T>[] = []
  // By index, as entries() would allocate a pair for each record.
  for (let at = 0; at < list.length; at += step) {
    const index = Math.floor(at)
    if (isRecord(list[index])) records.push(new Listed(place, index))
  }
  return { number, exchange, records, readable: list.every(isRecord), isSampled: step > 1 }
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function keyOf<T>(record: Located<T>): string {
  return idOf(record.value) ?? JSON.stringify(record.value)
}

function withPage(query: Readonly<Record<string, string>>, number: number | string): Record<string, string> {
  return { ...query, [PAGE_PARAMETER]: String(number) }
}
