import type { OperationId } from '../engine/contract.ts'
import type { Company } from '../engine/http/credentials.ts'
import { queryOf } from '../engine/http/exchange.ts'
import { pageProbe, recordsOf } from '../engine/data/listing.ts'
import { orElse } from '../engine/or-else.ts'
import {
  askable,
  asText,
  idOf,
  idsOf,
  isObject,
  sameValue,
  valuesOf,
  type ListOperation,
  type Located,
  type RecordOf,
  type Schemas,
} from '../engine/data/records.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { allOfOne } from './checks/filters/all-of-one.ts'
import { formatFor } from './checks/dates/date-format-discovery.ts'
import { choose } from './checks/combinations.ts'
import { createdContacts, rangeQuery, stretch } from './checks/dates/date-ranges.ts'
import { entriesOf, matcher, type Criteria } from './checks/filters/matching.ts'
import {
  companyIdOf,
  namingCompanyOf,
  othersList,
  reportOthers,
  type Companies,
} from './checks/tokens/other-company.ts'
import { saysMore } from './checks/known-data/known-records.ts'
import { fetchTag } from './checks/lists/fetched-tag.ts'
import { reportShownByRefusals } from './checks/tokens/refused-with-a-record.ts'
import { partsOfPages } from './checks/search/search-pages.ts'
import { searchable } from './checks/search/searchable.ts'
import { judgeUpdateOfAStranger } from './checks/updates/update-of-a-stranger.ts'
import { everyRecord } from '../engine/data/every-record.ts'
import { impliedOfCompanies } from './implied.ts'
import {
  EXACT_FILTERS,
  LISTS,
  PLURAL,
  READING,
  SEARCHED,
  type Filtered,
  type FilterOf,
  type PAGED,
} from './operations.ts'

/** The other company's values that are asked for, by each filter. */
const VALUES_TRIED = 1

/** Bodies of a success by which no tag is fetched. */
const NOTHING: ReadonlySet<string> = new Set(['', 'null', '{}', '[]'])

/** What records hold other records in. */
const EMBEDDED = ['contact', 'contacts', 'groups']

/** The workspace belongs to one company: its token reaches that company's records and no other's. */
export const isolation: readonly Requirement[] = [
  ...READING.map((operation) =>
    isolated(
      operation,
      'one-company',
      'All records, embedded ones too, carry one company.',
      (trial) => judgeOneCompany(trial, operation),
      'review',
    ),
  ),
  ...LISTS.map((operation) =>
    isolated(
      operation,
      'lists',
      `The two companies' lists of ${PLURAL[operation]} have no record in common.`,
      (trial) => judgeLists(trial, operation),
    ),
  ),
  ...SEARCHED.map((operation) =>
    isolated(operation, 'search', `A search finds no ${PLURAL[operation]} of the other company.`, (trial) =>
      judgeSearch(trial, operation),
    ),
  ),
  ...(['listTickets', 'listSchedules'] as const).map((operation) =>
    isolated(
      operation,
      'filter',
      `A filter by a value of the other company's finds none of its ${PLURAL[operation]}.`,
      (trial) => judgeFilter(trial, operation),
    ),
  ),
  isolated('getTag', 'by-id', "The other company's tag cannot be fetched.", judgeTag),
  isolated(
    'updateContact',
    'update',
    "An update does not reach the other company's contact.",
    judgeUpdateOfAStranger,
    'write',
  ),
]

function isolated(
  operation: OperationId,
  name: string,
  title: string,
  check: Requirement['check'],
  phase?: Requirement['phase'],
): Requirement {
  return impliedOfCompanies(operation, `isolation.${name}`, title, check, phase && { phase })
}

async function judgeOneCompany(trial: Trial, operation: OperationId): Promise<void> {
  const company = await companyIdOf(trial, 'main')
  if (company === undefined) return trial.notExercised('Needs records that show companyId.')
  judgeCompanyOf(trial, operation, 'main', company)
  // What the second company gets is its own alone, too.
  const other = trial.session.target.otherAccessToken === undefined ? undefined : await companyIdOf(trial, 'other')
  if (other !== undefined && other !== company) judgeCompanyOf(trial, operation, 'other', other)
  if (!trial.examined['records']) trial.notExercised(`Needs answers of ${operation} with records that show companyId.`)
}

function judgeCompanyOf(trial: Trial, operation: OperationId, caller: Company, company: string): void {
  const judge = (record: unknown, exchange: Located<unknown>['exchange'], pointer: string): void => {
    if (typeof record !== 'object' || record === null) return
    if (Array.isArray(record)) return record.forEach((one, index) => judge(one, exchange, `${pointer}/${index}`))
    const { companyId } = record as { companyId?: unknown }
    if (asText(companyId) !== undefined) {
      trial.count('records')
      if (asText(companyId) !== company)
        trial.fail({
          message: 'records of another company were returned',
          expected: company,
          received: companyId,
          exchange,
          pointer: `${pointer}/companyId`,
        })
    }
    for (const key of EMBEDDED) judge((record as Record<string, unknown>)[key], exchange, `${pointer}/${key}`)
  }
  for (const { record, exchange, pointer } of everyRecord(trial, operation, caller)) judge(record, exchange, pointer)
}

async function judgeLists(trial: Trial, operation: ListOperation): Promise<void> {
  const others = await othersList(trial, operation)
  const mine = await trial.list(operation)
  trial.count("the other company's records", others.length)
  const companies = { others, own: mine.records, isWhole: mine.complete }
  reportOthers(trial, operation, 'the list', mine.records, companies)
  await askInTheirName(trial, operation, {}, companies)
}

/** Whose workspace it is, the token says: no parameter does, and no header. */
async function askInTheirName(
  trial: Trial,
  operation: ListOperation,
  query: Readonly<Record<string, string>>,
  companies: Companies,
): Promise<void> {
  for (const call of namingCompanyOf(companies.others[0]?.value, { query })) {
    const asked = await trial.session.attempt(operation, call)
    const shown = asked.success ? recordsOf(trial.session, operation, asked) : []
    reportOthers(trial, operation, 'a request that names the other company', shown, companies)
    reportShownByRefusals(trial, [asked.exchange], valuesIn(companies.others), valuesIn(companies.own))
  }
}

/** A search may look at several texts, and forget the company for one of them: each kind is tried. */
async function judgeSearch(trial: Trial, operation: (typeof SEARCHED)[number]): Promise<void> {
  await othersList(trial, operation)
  const other = trial.as('other')
  const others: readonly Located<RecordOf<(typeof SEARCHED)[number]>>[] = (await other.list(operation)).records
  const contacts = operation === 'listTickets' ? await orElse(othersList(trial, 'listContacts'), []) : []
  const known = new Map(contacts.map(({ value }) => [idOf(value), value]))
  type Any = Schemas['Contact'] & Schemas['Ticket'] & Schemas['Schedule']
  const kinds: readonly ((record: Any) => unknown)[] = [
    ({ name, lastMessage, flow }) => name ?? lastMessage ?? flow?.[0]?.content,
    ({ lastMessage, flow }) => /\d{5,}/.exec(String(lastMessage ?? flow?.[0]?.content))?.[0],
    ({ contact, contactId }) => contact?.name ?? known.get(asText(contactId))?.name,
    ({ email }) => email,
    ({ number, contact, contactId }) => number ?? contact?.number ?? known.get(asText(contactId))?.number,
  ]
  // What is kept of the answer to the other company, which searches for this one, is none for a stranger.
  const [first] = await orElse(searchable(other, operation, 'certain'), [])
  const sought = first?.texts.at(-1)
  if (sought !== undefined) await orElse(other.searched(operation, sought), undefined)
  const texts = kinds.flatMap((textOf) => {
    const ofKind = others.flatMap(({ value }) => askable(textOf(value as Any)) ?? [])
    const telling = ofKind.filter((text) => /\p{L}{3}|\d{5}/u.test(text))
    return sought !== undefined && telling.includes(sought) ? [sought] : trial.random.helpers.arrayElements(telling, 1)
  })
  if (texts.length === 0)
    trial.notExercised(`Needs ${PLURAL[operation]} of the second company with a text to search for.`)
  const { records: own, complete: isWhole } = await trial.list(operation)
  // What looks like an id may be looked up by it.
  texts.push(...trial.random.helpers.arrayElements(valuesOf(others, 'id'), 1))
  const queries = texts.map((text) => ({ searchParam: text }))
  for (const query of [
    ...queries,
    ...(operation === 'listContacts' ? await orElse(withDates(trial, texts), []) : []),
  ]) {
    trial.count('searches')
    const found = await trial.filtered(operation, query, { refusable: true })
    reportOthers(trial, operation, 'a search', found.records, { others, own, isWhole })
    if (query === queries[0] || Object.keys(query).length > 1)
      await askInTheirName(trial, operation, query, { others, own, isWhole })
  }
  const searches = trial.session.evidence.exchanges.filter(
    ({ request, operation: asked }) =>
      asked === operation &&
      request.caller === 'main' &&
      texts.includes(new URL(request.url).searchParams.get('searchParam') ?? ''),
  )
  reportShownByRefusals(trial, searches, valuesIn(others), valuesIn(own))
  if (operation !== 'listTickets') await judgeNextPage(trial, operation)
  // Nor does the other company's token reach further: what is kept of the answer to the one is none for the other.
  if (operation === 'listSchedules') return
  const [mine] = await searchable(trial, operation, 'certain')
  const text = mine?.texts[0]
  if (text === undefined) return
  await trial.session.attemptOnce(operation, { query: { searchParam: text } })
  await reach(trial, operation, { searchParam: text }, own)
}

/** Nor is the company forgotten on the next page of a search, of which the other company has one too. */
async function judgeNextPage(trial: Trial, operation: (typeof PAGED)[number]): Promise<void> {
  const others = await trial.as('other').list(operation)
  const { records: own, complete: isWhole, firstPage } = await trial.list(operation)
  for (const text of partsOfPages(others)) {
    const probe = await pageProbe(trial.session, operation, String(firstPage + 1), { searchParam: text })
    const found = probe.success ? recordsOf(trial.session, operation, probe) : []
    trial.count('next pages')
    reportOthers(trial, operation, "a search's next page", found, { others: others.records, own, isWhole })
    // The search looks at texts of this kind.
    if (found.length > 0) return
  }
}

/** Asks for the main company's records with the other's token. */
async function reach(
  trial: Trial,
  operation: ListOperation,
  query: Record<string, string>,
  own: readonly Located<unknown>[],
): Promise<void> {
  const others = await othersList(trial, operation)
  trial.count('requests of the second company')
  const { session } = trial.as('other')
  const probe = await session.attempt(operation, { query })
  const found = probe.success ? recordsOf(session, operation, probe) : []
  reportOthers(trial, operation, "the other company's request", found, { others: own, own: others, isWhole: false })
}

/**
 * Searches for contacts of the other company, together with dates between which all its contacts were created, with the
 * first of these alone, and with the day on which the contact was created that is searched for.
 */
async function withDates(trial: Trial, [text, ...others]: readonly string[]): Promise<Record<string, string>[]> {
  const created = await createdContacts(trial.as('other'))
  const [range, date] = [await formatFor(trial, 'range'), await formatFor(trial, 'date')]
  const whole = range.effect === 'understood' ? rangeQuery(stretch(created, 0, 1), range.format) : undefined
  const ranges = whole ? [whole, { dateStart: whole['dateStart']! }] : []
  const days = [text!, ...others].flatMap((searchParam) => {
    const sought = created.find(({ contact: { value } }) => [value.name, value.number].includes(searchParam))
    return sought && date.effect === 'understood' ? [{ searchParam, date: date.format.write(sought.at.earliest) }] : []
  })
  return [...ranges.map((dates) => ({ searchParam: text!, ...dates })), ...days]
}

async function judgeFilter<O extends Filtered>(trial: Trial, operation: O): Promise<void> {
  const others = await othersList(trial, operation)
  const mine = await trial.list(operation)
  const values = (EXACT_FILTERS[operation] as readonly FilterOf<O>[]).flatMap((field) => {
    const own = new Set(valuesOf(mine.records, field as never))
    const theirs = valuesOf(others, field as never).filter((value) => !own.has(value))
    return theirs.slice(0, VALUES_TRIED).map((value) => ({ [field]: value }))
  })
  // The question is literally one that the other company has asked: what is kept of the answer is none for a stranger.
  const queries = await trial.each(values, async (query) => {
    const { exchange } = await trial.as('other').filtered(operation, query, { refusable: true })
    return exchange ? queryOf(exchange) : query
  })
  if (queries.length === 0)
    trial.notExercised(`Needs ${PLURAL[operation]} of the second company with a contact of its own.`)
  // What is forgotten where several parameters are given shows where all of them are, or where just these two are.
  const ofOne = await allOfOne(trial.as('other'), operation)
  const pairs = choose(Object.entries(ofOne[0] ?? {}), 2).map((two) => Object.fromEntries(two))
  await trial.each([...queries, ...ofOne, ...pairs], async (query) => {
    trial.count('requests')
    const probe = await trial.session.attempt(operation, { query })
    // A value of the other company's may be refused, but no status, which is nobody's own.
    if (!probe.success && Object.keys(query).join() === 'status') await trial.session.ask(operation, { query })
    const found = probe.success ? recordsOf(trial.session, operation, probe) : []
    reportOthers(trial, operation, 'a filter', found, { others, own: mine.records, isWhole: mine.complete })
    const { searchParam: _text, ...criteria } = query
    reportUnlike<O>(trial, criteria as Criteria<O>, found)
    reportShownByRefusals(trial, [probe.exchange], valuesIn(others), valuesIn(mine.records))
  })
  await trial.each([...queries.slice(0, 1), ...ofOne.slice(0, 1)], (query) =>
    askInTheirName(trial, operation, query, { others, own: mine.records, isWhole: mine.complete }),
  )
  for (const query of (await allOfOne(trial, operation)).slice(0, 1)) await reach(trial, operation, query, mine.records)
}

/** What is the other company's may be compared by its name, which is a name in the own company too. */
function reportUnlike<O extends Filtered>(
  trial: Trial,
  criteria: Criteria<O>,
  found: readonly Located<RecordOf<O>>[],
): void {
  const matches = matcher<O>(criteria)
  const unlike = found.find(({ value }) => matches(value) === false)
  if (unlike)
    trial.fail({
      message: "a filter by the other company's values found records that do not hold them",
      expected: Object.fromEntries(entriesOf<O>(criteria)),
      received: Object.fromEntries(entriesOf<O>(criteria).map(([field]) => [field, unlike.value[field]])),
      exchange: unlike.exchange,
      pointer: unlike.pointer,
    })
}

async function judgeTag(trial: Trial): Promise<void> {
  const theirs = await othersList(trial, 'listTags')
  const mine = (await trial.list('listTags')).records
  await judgeFetched(trial, 'main', { others: theirs, own: mine })
  if (!trial.examined['tags']) trial.notExercised('Needs a tag of the second company whose id is not one of the first.')
  await judgeFetched(trial, 'other', { others: mine, own: theirs })
}

/** Fetches a tag that has contacts and one that has none: what tells a company by contacts does so by those alone. */
async function judgeFetched(
  trial: Trial,
  caller: Company,
  { others, own }: Record<'others' | 'own', readonly Located<Schemas['Tag']>[]>,
): Promise<void> {
  const ownIds = idsOf(own)
  const foreign = others.filter(({ value }) => idOf(value) !== undefined && !ownIds.has(idOf(value)))
  const ownCompany = await companyIdOf(trial, caller)
  // Where ids are counted by company, one that a list which is cut short does not show may be the own company's.
  const isCut = saysMore((await trial.session.as(caller).ask('listTags')).body) === true
  const isOwn = (body: unknown): boolean =>
    isCut && ownCompany !== undefined && isObject(body) && asText(body['companyId']) === ownCompany
  const oneOfEach = [true, false].flatMap(
    (isUsed) => foreign.find(({ value }) => Boolean(value.contacts?.length) === isUsed) ?? [],
  )
  for (const { value } of oneOfEach) {
    const call = { path: { tagId: idOf(value)! } }
    // What is kept of the answer to its owner is none for a stranger.
    if (caller === 'other') await fetchTag(trial, idOf(value)!)
    const calls = [call, ...(caller === 'main' ? namingCompanyOf(value, call) : [])]
    for (const asked of calls) {
      const { exchange, success, body } = await trial.session.as(caller).attempt('getTag', asked)
      trial.count('tags')
      // What an unknown tag gets is judged elsewhere.
      if (success && !NOTHING.has(String(exchange.response?.body).trim()) && !isOwn(body))
        trial.fail({
          message:
            caller === 'main'
              ? "the other company's tag was fetched"
              : "the first company's tag was fetched by the other",
          expected: 'no success status',
          received: `status ${exchange.response?.status} with ${idOf(body) === idOf(value) ? `the tag ${idOf(body)}` : 'something else'}`,
          exchange,
          once: isThatTag(body, value),
        })
      reportShownByRefusals(trial, [exchange], [value], valuesIn(own))
    }
  }
  if (caller === 'main') for (const { value } of oneOfEach.slice(0, 1)) await judgeFetchedByName(trial, value)
}

/** Where a tag may be fetched by its name too, that is no way to another company's; an own one may have the same. */
async function judgeFetchedByName(trial: Trial, tag: Schemas['Tag']): Promise<void> {
  const tagId = askable(tag.name)
  if (tagId === undefined) return
  const { exchange, success, body } = await trial.session.attempt('getTag', { path: { tagId } })
  trial.count('tags')
  if (success && isThatTag(body, tag))
    trial.fail({
      message: "the other company's tag was fetched by its name",
      expected: 'no success status, or an own tag',
      received: `status ${exchange.response?.status} with the tag ${idOf(body)}`,
      exchange,
      once: true,
    })
}

/** Whether what was fetched is that tag, of that company: one such answer is enough, as one of several servers may be at fault. */
function isThatTag(body: unknown, tag: Schemas['Tag']): boolean {
  return isObject(body) && (['id', 'name', 'companyId'] as const).every((field) => sameValue(body[field], tag[field]))
}

function valuesIn(records: readonly Located<unknown>[]): readonly unknown[] {
  return records.map(({ value }) => value)
}
