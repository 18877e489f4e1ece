import { queryOf, type Exchange } from '../../../engine/http/exchange.ts'
import { PAGE_PARAMETER, recordsOf } from '../../../engine/data/listing.ts'
import { orElse } from '../../../engine/or-else.ts'
import {
  asText,
  idOf,
  idsOf,
  sameShown,
  type Located,
  type RecordOf,
  type Schemas,
} from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { EXACT_FILTERS, PLURAL, SEARCHED, type Filtered, type Searched } from '../../operations.ts'
import { requireSettings } from '../../needs.ts'
import { triedIds, updatesSent } from '../updates/send-update.ts'
import { randomWord } from '../../unknown-value.ts'
import { formatFor } from '../dates/date-format-discovery.ts'
import { createdContacts, FIRST, LAST, rangeQuery, stretch } from '../dates/date-ranges.ts'
import { datesOfNobody } from '../dates/dates-on-later-pages.ts'
import { discriminatingValues } from '../filters/exact-filter.ts'
import { matcher } from '../filters/matching.ts'
import { judgeOwnFound } from './own-found.ts'
import { basisOfSearch } from '../search/search.ts'
import { searchable } from '../search/searchable.ts'
import { updateEveryField } from '../updates/update-every-field.ts'

type Query = Readonly<Record<string, string>>

/** The filters of each list, which are looked at one by one: an update may leave the index of any of them behind. */
const FILTERS: Readonly<Record<Searched, readonly string[]>> = {
  listContacts: ['date', 'dateStart', 'dateEnd'],
  ...EXACT_FILTERS,
}

/** So many contacts that dates bring and have not brought before leave no doubt; fewer may be somebody else's doing. */
const SEVERAL = 3

/** A query that was answered before any update, with the first page of what it found. */
interface Asked {
  readonly query: Query
  /** Its parameters but for the page. */
  readonly names: string
  readonly records: readonly Located<RecordOf<Searched>>[]
  /** Whether it found no more than these. */
  readonly isWhole: boolean
  /** One that is not of an updated contact, if any. */
  readonly found: Located<RecordOf<Searched>> | undefined
  /** The number of the exchange. */
  readonly number: number
}

/** Lists are filtered and searched after updates as they were before, and find what is the updated contacts' own. */
export async function judgeReadAsBefore(trial: Trial): Promise<void> {
  requireSettings(trial, 'ALLOW_WRITES')
  if (updatesSent(trial).length === 0) await trial.each(SEARCHED, (operation) => askSome(trial, operation))
  await updateEveryField(trial)
  for (const operation of SEARCHED) {
    const asked = await askedBefore(trial, operation)
    const searched = asked.find(({ names, found, isWhole }) => found && isWhole && names === 'searchParam')
    const again = [...FILTERS[operation].flatMap((name) => mostTelling(operation, asked, name)), searched]
    await trial.each(again, async (one) => {
      if (one) await judgeAgain(trial, operation, one)
    })
    if (asked.some(({ names, records }) => records.length === 0 && names === 'searchParam'))
      await judgeNothingFound(trial, operation)
    if (isFiltered(operation)) await judgeOwnFound(trial, operation)
  }
  if (!trial.examined['queries'])
    trial.notExercised('Needs a filter or a search that found something before any update.')
}

function isFiltered(operation: Searched): operation is Filtered & Searched {
  return operation in EXACT_FILTERS
}

/** Where nothing else has been asked for, as in a part of a run: filters, searches for texts, and one for a random text. */
async function askSome(trial: Trial, operation: Searched): Promise<void> {
  // Some may be of the contacts that are updated then.
  const found = await searchable(trial, operation, 'any')
  const queries = [
    ...(isFiltered(operation) ? await someValues(trial, operation) : await someDates(trial)),
    ...found.map(({ texts }) => ({ searchParam: texts[0]! })),
    { searchParam: randomWord(trial.random) },
  ]
  await trial.each(queries, (query) => trial.session.attempt(operation, { query }))
}

/** Each exact filter, by two values that some records hold and others do not: the first may be the updated contact's. */
async function someValues(trial: Trial, operation: Filtered): Promise<readonly Query[]> {
  const values = await trial.each(EXACT_FILTERS[operation], async (field) =>
    (await discriminatingValues(trial, operation, field as never)).slice(0, 2).map((value) => ({ [field]: value })),
  )
  return values.flat()
}

/** A creation date, and each end of a range alone, in the formats that are understood: such as find somebody, and nobody. */
async function someDates(trial: Trial): Promise<readonly Query[]> {
  const [ofDay, ofRange] = await trial.each(['date', 'range'] as const, (one) =>
    orElse(formatFor(trial, one), undefined),
  )
  const created = await orElse(createdContacts(trial), [])
  if (created.length === 0) return []
  const [start, end] = [stretch(created, ...LAST).start, stretch(created, ...FIRST).end]
  return [
    ...(await orElse(datesOfNobody(trial), [])).map(({ query }) => query),
    ...(ofDay?.effect === 'understood' ? [ofDay.query] : []),
    ...(ofRange?.effect === 'understood' ? [{ start }, { end }].map((one) => rangeQuery(one, ofRange.format)) : []),
  ]
}

/**
 * Of the queries by one filter that found something, the one that found least: most others must not be found by it. What
 * dates must not find, a contact does not tell by itself: there is one that found nobody as well.
 */
function mostTelling(operation: Searched, asked: readonly Asked[], name: string): readonly (Asked | undefined)[] {
  const ofName = asked.filter(({ names }) => names === name).toSorted((a, b) => a.records.length - b.records.length)
  const ofNobody = operation === 'listContacts' && ofName[0]?.records.length === 0 ? [ofName[0]] : []
  return [ofName.find(({ found }) => found), ...ofNobody]
}

async function askedBefore(trial: Trial, operation: Searched): Promise<readonly Asked[]> {
  const { pages, pageSize, paged, firstPage } = await trial.list(operation)
  // What leaves out some of each page may have short ones anywhere.
  const isFilled = pages.slice(0, -1).every((page) => page.records.length === pageSize)
  const updated = triedIds(trial)
  const first = updatesSent(trial)[0]?.number ?? 0
  return trial.session.evidence.answers.flatMap((answer) => {
    const { operation: one, request, number } = answer.exchange
    if (one !== operation || !answer.usable || number > first || request.caller !== trial.session.caller) return []
    const query = queryOf(answer.exchange)
    const names = Object.keys(query).filter((name) => name !== 'pageNumber')
    const records = recordsOf(trial.session, operation, answer)
    if (paged && ![undefined, String(firstPage)].includes(query['pageNumber'])) return []
    const found = records.find(({ value }) => !updated.has(contactOf(value)))
    const isWhole = !paged || (isFilled && records.length < pageSize)
    return [{ query, names: names.join(), records, isWhole, found, number }]
  })
}

/** The id of the contact that a record is, or belongs to. */
function contactOf(record: object): string {
  return asText((record as { readonly contactId?: unknown }).contactId) ?? idOf(record) ?? ''
}

/** Asks for the same once more: what was found is found again, and nothing that the filter does not ask for. */
async function judgeAgain(trial: Trial, operation: Searched, asked: Asked): Promise<void> {
  const probe = await trial.session.attempt(operation, { query: asked.query })
  trial.count('queries')
  if (!probe.success) return
  const shown = recordsOf(trial.session, operation, probe)
  if (asked.found) await judgeFoundStill(trial, operation, asked, asked.found, probe.exchange, shown)
  if (operation === 'listContacts') judgeDates(trial, asked, probe.exchange, shown)
  else judgeValues(trial, operation, asked, shown)
}

async function judgeFoundStill(
  trial: Trial,
  operation: Searched,
  { query, names }: Asked,
  found: Located<RecordOf<Searched>>,
  exchange: Exchange,
  shown: readonly Located<RecordOf<Searched>>[],
): Promise<void> {
  const id = idOf(found.value)
  // What is updated, or comes in, may come first, and what was there go to the next page.
  const { pageSize, paged, firstPage } = await trial.list(operation)
  const ids = idsOf(shown)
  if (shown.length >= pageSize || ids.has(id)) return
  const next = paged ? { ...query, [PAGE_PARAMETER]: String(firstPage + 1) } : undefined
  const beyond = next && recordsOf(trial.session, operation, await trial.session.attempt(operation, { query: next }))
  if (beyond?.some(({ value }) => !ids.has(idOf(value)))) return
  trial.differ(
    {
      message: `after updates of contacts, ${names} no longer finds ${PLURAL[operation]} that it found before`,
      expected: `the record ${id}, as in exchange ${found.exchange.number}`,
      received: `${shown.length} other record(s)`,
      exchange,
    },
    ...basisOfSearch(operation, found.value),
  )
}

/** A record that holds another value than the one asked for is none that was asked for, whatever others do meanwhile. */
function judgeValues(
  trial: Trial,
  operation: Searched,
  { query, names, records }: Asked,
  shown: readonly Located<RecordOf<Searched>>[],
): void {
  if (!FILTERS[operation].includes(names)) return
  const matches = matcher({ [names]: query[names] })
  const isOther = ({ value }: Located<RecordOf<Searched>>): boolean => matches(value) === false
  // What was so before any update is the filter's own fault.
  if (records.some(isOther)) return
  for (const one of shown)
    if (isOther(one))
      trial.fail({
        message: `after updates of contacts, ${PLURAL[operation]} whose ${names} is not the one asked for are returned`,
        expected: query[names],
        received: (one.value as Query)[names],
        exchange: one.exchange,
        pointer: `${one.pointer}/${names}`,
      })
}

/**
 * Dates find no contact that they did not find before, when it was listed just as it is now: several, or one that was
 * updated. What is cut short shows others when their order changes, and not more.
 */
function judgeDates(
  trial: Trial,
  { names, records, isWhole, number }: Asked,
  exchange: Exchange,
  shown: typeof records,
): void {
  if (!FILTERS.listContacts.includes(names) || !isWhole || shown.length <= records.length) return
  const before = idsOf(records)
  const listed = new Map(
    everyRecord(trial, 'listContacts', trial.session.caller)
      .filter((one) => one.exchange.number < number)
      .map(({ record }) => [idOf(record), record]),
  )
  const others = shown.filter(({ value }) => {
    const [id, was] = [idOf(value), listed.get(idOf(value))]
    return id !== undefined && !before.has(id) && was !== undefined && isAsBefore(was, value)
  })
  const updated = triedIds(trial)
  const sure = others.length >= SEVERAL ? others : others.filter(({ value }) => updated.has(idOf(value)!))
  for (const { value, pointer } of sure)
    trial.fail({
      message: `after updates of contacts, ${names} finds contacts that it did not find before`,
      expected: `the ${records.length} contact(s) that exchange ${number} found`,
      received: (value as Schemas['Contact']).createdAt,
      exchange,
      pointer: `${pointer}/createdAt`,
    })
}

/** Whether a contact shows what it showed before, but for when it was updated: dates may leave out some, such as inactive ones. */
function isAsBefore(was: object, { updatedAt: _updatedAt, ...now }: Schemas['Contact']): boolean {
  return now.createdAt !== undefined && sameShown(now, was)
}

async function judgeNothingFound(trial: Trial, operation: Searched): Promise<void> {
  const probe = await trial.session.attempt(operation, { query: { searchParam: randomWord(trial.random) } })
  trial.count('queries')
  const found = probe.success ? recordsOf(trial.session, operation, probe) : []
  if (found.length > 0)
    trial.fail({
      message: `after updates of contacts, a search for a random text finds ${PLURAL[operation]}`,
      expected: 'no record, as before',
      received: `${found.length} record(s)`,
      exchange: probe.exchange,
    })
}
