import type { BaseListing, Listing } from '../../../engine/data/listing.ts'
import { valueAt } from '../../../engine/judging/evidence.ts'
import { orElse } from '../../../engine/or-else.ts'
import { asText, idOf, idsOf, type Located, type RecordOf, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL, type PAGED } from '../../operations.ts'
import { heldAsFound, placesOf, plain } from './found-as-others.ts'
import { foundByChance } from './found-by-chance.ts'
import { judgeRepeated, orderOf } from '../filters/matching.ts'
import { countsOfParts, partsOf } from './name-parts.ts'
import { judgeBehindTheOnlyPage } from '../lists/only-page.ts'
import { searchable } from './searchable.ts'

/** Letters of a text to search for; some searches take three at least. */
const LENGTHS = [3, 2, 1]

/** Share of what a search finds that may be found for a text that no place of it shows. */
const MOST_UNSEEN = 0.1

type Paged = (typeof PAGED)[number]

/** What a search is likely to look at besides names and messages. */
const LIKELY_SEARCHED: Readonly<Record<Paged, readonly string[]>> = {
  listContacts: ['email', 'number'],
  listSchedules: ['contact'],
}

/** Parameters that are given beside a search. */
export interface Beside<O extends Paged> {
  /** What they are, in words. */
  readonly what: string
  readonly query: Readonly<Record<string, string>>
  /** Whether they find a record; undefined where it does not tell. */
  readonly matches: (record: RecordOf<O>) => boolean | undefined
}

/**
 * A search returns its findings on every page. In which texts it looks, and how, is open; but what holds the text in all
 * the ways in which a record holds it that was found is found as well, be it on the last page.
 */
export function searchPages<O extends Paged>(operation: O): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    if (all.lacks !== undefined) trial.notExercised(all.lacks)
    const texts = textsOfPages(all)
    if (texts.length === 0) return judgeSearchOfOnePage(trial, operation)
    const searched = await searchForPages(trial, operation, all, texts)
    await judgeRepeated(trial, operation, searched.found)
    await judgeLeftOut(trial, operation, all.records, searched)
    if (Object.keys(trial.examined).length > 0) return
    const hidden = notShown(operation, all.records)
    trial.notExercised(
      hidden.length > 0
        ? `Needs ${PLURAL[operation]} that show their ${hidden.join(' and ')}, at which a search may look too.`
        : `Needs more ${PLURAL[operation]} than a page that hold a text in the same way.`,
    )
  }
}

/** A search together with other parameters means all of them on every page: neither it nor they are lost on a later one. */
export async function judgeSearchPagesBeside<O extends Paged>(
  trial: Trial,
  operation: O,
  { what, query, matches }: Beside<O>,
): Promise<void> {
  const all = await trial.list(operation)
  if (all.lacks !== undefined) trial.notExercised(all.lacks)
  const inside = all.records.filter(({ value }) => matches(value) === true)
  // Where every record holds the text, nothing shows that the search is lost.
  const isHeldByAll = (text: string): boolean => inside.every(({ value }) => placesOf(value, text).length > 0)
  // Nor, where nothing else holds it, that the rest is: of much that does, some comes on each page.
  const outside = all.records.filter(({ value }) => matches(value) === false)
  const isHeldBy =
    (least: number) =>
    (text: string): boolean => {
      const places = new Set(inside.flatMap(({ value }) => placesOf(value, text)))
      return outside.filter(({ value }) => placesOf(value, text).some((place) => places.has(place))).length >= least
    }
  const narrowed = { ...all, records: inside }
  const parts = [all.pageSize, 1, 0]
    .flatMap((least) => partsOfPages(narrowed, isHeldBy(least)))
    .toSorted((a, b) => Number(isHeldByAll(a)) - Number(isHeldByAll(b)))
  const texts = [...new Set([...parts, ...beginningsOfPages(narrowed)])]
  if (texts.length === 0) return judgeSearchOfOnePage(trial, operation, query)
  const searched = await searchForPages(trial, operation, all, texts, query)
  await judgeRepeated(trial, operation, searched.found)
  await judgeLeftOut(trial, operation, inside, searched)
  const { found, text, onFirst } = searched
  for (const { value, exchange, pointer } of found.records) {
    const id = idOf(value)
    if (onFirst.has(id)) continue
    trial.count(`${PLURAL[operation]} on later pages`)
    const place = { record: id, exchange, pointer }
    if (matches(value) === false)
      trial.fail({
        message: `a later page of a search ignored ${what}`,
        expected: query,
        received: `the record ${id}`,
        ...place,
      })
    else if (placesOf(value, text).length === 0 && (await isLeftOutAlone(trial, operation, text, id)))
      trial.differ(
        {
          message: `a later page ignored the search that was given beside ${what}`,
          expected: 'a record that the search alone finds',
          received: `the record ${id}`,
          ...place,
        },
        { operation, id },
        operation,
      )
  }
}

/** The search for a text that some record certainly holds, where one page holds all records. */
async function judgeSearchOfOnePage(
  trial: Trial,
  operation: Paged,
  query: Readonly<Record<string, string>> = {},
): Promise<void> {
  const lacks = `Needs more than a page of ${PLURAL[operation]} with a part of a contact's name in common.`
  const texts = (await searchable(trial, operation, 'certain')).flatMap((one) => one.texts)
  if (texts.length === 0) trial.notExercised(lacks)
  const queries = texts.map((searchParam) => ({ searchParam, ...query }))
  await judgeBehindTheOnlyPage(trial, operation, queries, lacks)
}

/** Whether a search alone, which may look at what is not shown, does not find a record. */
async function isLeftOutAlone(trial: Trial, operation: Paged, text: string, id: string | undefined): Promise<boolean> {
  const alone = await trial.searched(operation, text, {}, { toTheEnd: true })
  return alone.complete && !alone.byId.has(id ?? '')
}

interface SearchedPages<O extends Paged> {
  /** What was searched for, as it was sent. */
  readonly text: string
  readonly found: Listing<RecordOf<O>>
  /** The ids on its first page. */
  readonly onFirst: ReadonlySet<string | undefined>
}

/** Searches for one text after another until it finds more than a page. */
async function searchForPages<O extends Paged>(
  trial: Trial,
  operation: O,
  { pageSize }: BaseListing<RecordOf<O>>,
  texts: readonly string[],
  query?: Readonly<Record<string, string>>,
): Promise<SearchedPages<O>> {
  for (const text of texts) {
    const found = await trial.searched(operation, text, query, { toTheEnd: !query })
    const first = found.pages[0]?.records ?? []
    // Pages of a search may be shorter than those of the list.
    if ((first.length >= pageSize || found.pages.length > 1) && found.complete)
      return { text, found, onFirst: idsOf(first) }
  }
  return trial.notExercised(
    `Needs a search that finds more than a page of ${PLURAL[operation]}, or more of them, with longer texts in common; none for "${[...new Set(texts)].join('", "')}" did.`,
  )
}

/** A text that a search finds more than a page by; undefined where none is known. */
export async function textOfPages(trial: Trial, operation: Paged): Promise<string | undefined> {
  const all = await trial.list(operation)
  return (await orElse(searchForPages(trial, operation, all, textsOfPages(all)), undefined))?.text
}

/** What a search is likely to look at and no record shows: any may have been found for it. */
function notShown(operation: Paged, records: readonly Located<object>[]): readonly string[] {
  return LIKELY_SEARCHED[operation].filter((member) => records.every(({ value }) => !(member in value)))
}

/** Judges whether records behind the first page are found that hold the text as others do. */
async function judgeLeftOut<O extends Paged>(
  trial: Trial,
  operation: O,
  records: readonly Located<RecordOf<O>>[],
  { text, found, onFirst }: SearchedPages<O>,
): Promise<void> {
  const first = found.pages[0]!.records
  const hides = notShown(operation, records).length > 0
  // What a search finds by texts that are not shown, or by what is like them, tells nothing of those that are.
  const unseen = first.filter(({ value }) => placesOf(value, text).length === 0)
  if (unseen.length > (hides ? 0 : first.length * MOST_UNSEEN)) return
  const isByName = ({ value }: Located<object>): boolean => placesOf(value, text).every((place) => place === '/name')
  const witnesses = hides ? first.filter(isByName) : first
  const isByChance = foundByChance(records, text, found.records)
  // Nothing tells then how many are found for what is not shown.
  const isHeldByAll = records.every(({ value }) => placesOf(value, text).length > 0)
  const told = heldAsFound(records, plain(text), witnesses).filter(({ noMore }) => !isByChance(noMore))
  const behind = told.flatMap(({ holders }) => holders).filter(({ value }) => !onFirst.has(idOf(value)))
  const missing = behind.filter(({ value }) => !found.byId.has(idOf(value) ?? ''))
  const leftOut: string[] = []
  for (const { value } of missing)
    // What all hold shows too little of what a search looks at.
    if (!isHeldByAll || (await isFoundByItself(trial, operation, value, text))) leftOut.push(idOf(value) ?? '')
  // Where none of those that are missing tells anything, those that are found could not have failed either.
  if (behind.length === 0 || (leftOut.length === 0 && missing.length > 0)) return
  trial.count(`${PLURAL[operation]} behind the first page`, behind.length)
  for (const id of leftOut)
    trial.differ(
      {
        message: `a search that fills its first page left out ${PLURAL[operation]} on the next`,
        expected: `the record ${id}, which holds the text as others do that were found`,
        received: `${found.records.length} other record(s) on ${found.pages.length} page(s)`,
        exchange: found.exchange!,
      },
      { operation, id },
      operation,
      ...orderOf(operation, found),
    )
}

/** Whether a search for all of a text of a record that holds another finds the record. */
async function isFoundByItself<O extends Paged>(
  trial: Trial,
  operation: O,
  record: RecordOf<O>,
  text: string,
): Promise<boolean> {
  const texts = placesOf(record, text).flatMap((place) => asText(valueAt(record, place)) ?? [])
  const searches = await Promise.all([...new Set(texts)].map((one) => trial.searched(operation, one)))
  return searches.some(({ byId }) => byId.has(idOf(record) ?? ''))
}

function textsOfPages(all: BaseListing<object>): readonly string[] {
  return [...partsOfPages(all), ...beginningsOfPages(all)]
}

/**
 * Parts of texts, one of each kind that a search may look at, that more records have than fill a page.
 * @param isTelling whether a part is of use.
 */
export function partsOfPages(
  all: BaseListing<object>,
  isTelling: (part: string) => boolean = () => true,
): readonly string[] {
  return TEXTS.flatMap((textOf) => partOfPages(all, textOf, isTelling) ?? [])
}

/** A part of a name, or of another text, that more records have than fill a page; undefined where there are no such. */
export function partOfPages(
  { records, paged, pageSize }: BaseListing<object>,
  textOf: (record: object) => string = nameOf,
  isTelling: (part: string) => boolean = () => true,
): string | undefined {
  const texts = records.map(({ value }) => textOf(value))
  return paged ? frequent(texts, pageSize, partsOf, isTelling) : undefined
}

/** Beginnings of texts, and of words, and whole words, that more records have than fill a page: a search may look at these alone. */
function beginningsOfPages({ records, paged, pageSize }: BaseListing<object>): readonly string[] {
  if (!paged) return []
  return TEXTS.flatMap((textOf) => {
    const texts = records.map(({ value }) => textOf(value))
    // At letter case, too.
    const ofText = frequent(texts, pageSize, (text, length) => [text.slice(0, length)].filter(isOfLetters))
    const ofWord = frequent(texts, pageSize, (text, length) =>
      wordsOf(text)
        .filter((word) => word.length >= length)
        .map((word) => word.slice(0, length)),
    )
    const ofWholeWord = frequent(texts, pageSize, (text) => wordsOf(text).filter(isOfLetters))
    return [ofText, ofWord, ofWholeWord].filter((beginning) => beginning !== undefined)
  })
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\p{L}+/gu) ?? []
}

function isOfLetters(text: string): boolean {
  return /^\p{L}{3,}$/u.test(text)
}

/** The name of a contact, or of a schedule's. */
function nameOf(record: object): string {
  const { name, contact } = record as Schemas['Contact'] & Schemas['Schedule']
  return asText(name) ?? asText(contact?.name) ?? ''
}

/** The e-mail address of a contact, or the first message of a schedule. */
function ownTextOf(record: object): string {
  const { email, flow } = record as Schemas['Contact'] & Schemas['Schedule']
  return asText(email) ?? (Array.isArray(flow) ? asText(flow[0]?.content) : undefined) ?? ''
}

/** Texts that a search may look at, the likeliest first. */
const TEXTS = [nameOf, ownTextOf]

/** The longest part of a text that is in more texts than fill a page; of several the most frequent. */
function frequent(
  names: readonly string[],
  pageSize: number,
  partsOf: (name: string, length: number) => Iterable<string>,
  isTelling: (part: string) => boolean = () => true,
): string | undefined {
  for (const length of LENGTHS) {
    const counts = countsOfParts(names, (name) => partsOf(name, length))
    const most = [...counts]
      .filter(([, count]) => count > pageSize)
      .toSorted(([a, some], [b, others]) => others - some || a.localeCompare(b))
      .find(([part]) => isTelling(part))
    if (most) return most[0]
  }
  return undefined
}
