import { expect, test } from '@playwright/test'
import { baseListing, filteredListing, type Listing, type WalkOptions } from '../engine/data/listing.ts'
import type { Session } from '../engine/judging/session.ts'
import { Unanswered } from '../engine/trouble/unanswered.ts'
import { closeAfterEach, serve, sessionOf } from './own-server.ts'

/** What a target answers to a page number: the ids of a page, or the status of a refusal. */
type Answer = readonly string[] | number
type Target = (page: number | undefined, query: URLSearchParams) => Answer

const PAGES = [['a', 'b', 'c'], ['d', 'e', 'f'], ['g']]
const ALL = PAGES.flat()

/** The three pages, the first of which has a number; what has none gets something else. */
function pages(first: 0 | 1, beyond: Answer, zero: Answer = 400): Target {
  return (page = first) => PAGES[page - first] ?? (page < first ? zero : beyond)
}

const ONE_PAGE: Target = (page = 1) => (page === 1 ? ['a', 'b', 'c'] : 404)

/** In a list of ids: something that is no record at all. */
const NO_RECORD = 'null'

/** A target, the number of its first page, and the records page by page. */
const PAGED: Readonly<
  Record<string, readonly [target: Target, firstPage: number, pages: readonly (readonly string[])[]]>
> = {
  'counts from 1, and refuses page 0': [pages(1, []), 1, PAGES],
  'counts from 1, and takes page 0 for page 1': [pages(1, [], PAGES[0]), 1, PAGES],
  'counts from 1, and returns the whole list as page 0': [pages(1, [], ALL), 1, PAGES],
  'counts from 1, and returns nothing as page 0': [pages(1, [], []), 1, PAGES],
  'counts from 1, and answers 404 past the end': [pages(1, 404), 1, PAGES],
  'counts from 1, and fails past the end': [pages(1, 500), 1, PAGES],
  'counts from 1, and repeats the last page past the end': [pages(1, PAGES[2]!), 1, PAGES],
  'counts from 1, and repeats the first page past the end': [pages(1, PAGES[0]!, PAGES[0]), 1, PAGES],
  'counts from 0': [pages(0, []), 0, PAGES],
  'counts from 0, and answers 404 past the end': [pages(0, 404), 0, PAGES],
  'counts from 0, and fails past the end': [pages(0, 500), 0, PAGES],
  'counts from 0, and repeats the last page past the end': [pages(0, PAGES[2]!), 0, PAGES],
  'counts from 0, and has one page': [(page = 0) => (page === 0 ? ALL : []), 0, [ALL]],
  'counts from 1, and has one page': [(page = 1) => (page === 1 ? ALL : []), 1, [ALL]],
  'ignores page numbers': [() => ALL, 0, [ALL]],
  'has an empty page in the middle': [at([PAGES[0]!, [], PAGES[1]!]), 1, [PAGES[0]!, [], PAGES[1]!]],
  'has no records': [() => [], 1, []],
}

closeAfterEach()

for (const [what, [target, firstPage, expected]] of Object.entries(PAGED))
  test(`all pages are found where a target ${what}`, async () => {
    const session = await sessionWith(target)

    const listing = await baseListing(session, 'listContacts')

    expect(idsByPage(listing)).toEqual(expected)
    expect(listing.records).toHaveLength(expected.flat().length)
    const pageSize = Math.max(0, ...expected.map(({ length }) => length))
    expect(listing).toMatchObject({ paged: true, firstPage, pageSize, complete: true, repeated: [] })
  })

test('where pages count from 0 and the first comes again past the end, every record is found once', async () => {
  const session = await sessionWith(pages(0, PAGES[0]!))

  const { records, repeated, complete } = await baseListing(session, 'listContacts')
  const filtered = await filteredListing(session, 'listContacts', { searchParam: 'x' }, { wanted: new Set(ALL) })

  for (const found of [records, filtered.records]) expect(found.map(({ value }) => value.id).toSorted()).toEqual(ALL)
  expect({ repeated, complete }).toEqual({ repeated: [], complete: true })
})

test('a filtered list that is longer than the whole is found, where each page number brings the whole', async () => {
  for (const first of [0, 1] as const) {
    const last = PAGES[2]!
    const session = await sessionWith(searched(pages(first, last, PAGES[0]), () => last))

    const wanted = new Set(ALL)
    const { records } = await filteredListing(session, 'listContacts', { searchParam: 'x' }, { wanted })

    expect(records.map(({ value }) => value.id).toSorted()).toEqual(ALL)
  }
})

test('what is not on a page that was refused, or holds what is no record, is not known to be missing', async () => {
  for (const second of [500, [NO_RECORD, ...PAGES[1]!]]) {
    const listing = await baseListing(await sessionWith(at([PAGES[0]!, second, PAGES[2]!])), 'listContacts')

    expect(listing.complete).toBe(false)
    expect(listing.lacks).toContain(`?pageNumber=2 gave no answer that can be used in full`)
  }
})

test('a page in the middle that is refused is judged as an answer, and one past the end is not', async () => {
  const session = await sessionWith(at([PAGES[0]!, 500, PAGES[1]!, 500, 500]))

  await baseListing(session, 'listContacts')

  const refused = session.evidence.answers.filter(({ usable }) => !usable)
  expect(refused.map(({ exchange }) => exchange.request.target)).toEqual(['/api/contacts?pageNumber=2'])
})

test('a record that several pages bring is listed once, and repeated wherever it comes again', async () => {
  const overlapping = [
    ['a', 'b', 'c'],
    ['c', 'd', 'e'],
    ['e', 'e', 'f'],
  ]
  const session = await sessionWith(at(overlapping))

  const { records, repeated, pages: walked } = await baseListing(session, 'listContacts')

  expect(records.map(({ value }) => value.id)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  expect(repeated.map(({ value }) => value.id)).toEqual(['c', 'e', 'e'])
  expect(repeated[0]).toMatchObject({
    pointer: '/contacts/0',
    exchange: { request: { target: '/api/contacts?pageNumber=2' } },
  })
  expect(walked).toHaveLength(3)
})

test('a list of more pages than MAX_PAGES is walked no further, and is not complete', async () => {
  // Page 0 shows what the walk does not reach, and still is not the first page.
  const session = await sessionWith((page = 1) => (page === 0 ? [1, 2, 3, 4, 5, 6] : [page]).map(String), '4')

  const base = await baseListing(session, 'listContacts')
  const filtered = await filteredListing(session, 'listContacts', { searchParam: 'x' })

  for (const { complete, pages: walked } of [base, filtered]) expect([complete, walked.length]).toEqual([false, 4])
  expect(base.firstPage).toBe(1)
  const targets = session.evidence.exchanges.map(({ request }) => request.target)
  expect(targets.filter((target) => /pageNumber=([5-9]|\d\d)/.test(target))).toEqual([])
})

test('a list without page numbers is asked for once', async () => {
  const session = await sessionWith(() => ALL)

  const listing = await baseListing(session, 'listTickets')
  await baseListing(session, 'listTickets')

  expect(listing).toMatchObject({ paged: false, complete: true, pageSize: 7 })
  expect(idsByPage(listing)).toEqual([ALL])
  expect(session.evidence.exchanges.map(({ request }) => request.target)).toEqual(['/api/tickets'])
})

test('a list whose plain request has no usable answer is unanswered', async () => {
  const session = await sessionWith((page) => (page === undefined ? 500 : ALL))

  await expect(baseListing(session, 'listContacts')).rejects.toThrow(Unanswered)
})

/** What a filter answers page by page, how it is walked, and the pages that are asked for. */
const FILTERED: Readonly<
  Record<string, readonly [Answer[], WalkOptions, found: string[], asked: number[], complete?: false]>
> = {
  'ends at a short page': [[['a', 'b', 'c'], ['d'], ['e']], {}, ['a', 'b', 'c', 'd'], [1, 2]],
  'ends at an empty page': [[['a', 'b', 'c'], [], ['e']], {}, ['a', 'b', 'c'], [1, 2]],
  'ends at a page without anything new': [[['a', 'b', 'c'], ['a', 'b', 'c'], ['e']], {}, ['a', 'b', 'c'], [1, 2]],
  'goes past a short page for what is wanted': [[['a'], ['b'], ['c']], { wanted: new Set(['b']) }, ['a', 'b'], [1, 2]],
  'goes past a short page to the end': [[['a'], ['b'], []], { toTheEnd: true }, ['a', 'b'], [1, 2, 3]],
  'takes a refusal for no records where it may be refused': [[400], { refusable: true }, [], [1]],
}

for (const [what, [answers, options, found, asked]] of Object.entries(FILTERED))
  test(`the walk through a filtered list ${what}`, async () => {
    const session = await sessionWith(searched(at(answers)))

    const listing = await filteredListing(session, 'listContacts', { searchParam: 'é & x' }, options)

    expect(listing.records.map(({ value }) => value.id)).toEqual(found)
    expect(listing.complete).toBe(true)
    const targets = session.evidence.exchanges
      .map(({ request }) => request.target)
      .filter((sent) => sent.includes('search'))
    expect(targets).toEqual(asked.map((page) => `/api/contacts?searchParam=%C3%A9%20%26%20x&pageNumber=${page}`))
  })

test('the walk through a filtered list ends at a refused page where pages past the end are refused too', async () => {
  const session = await sessionWith(searched(at([['a', 'b', 'c'], 404]), ONE_PAGE))

  const listing = await filteredListing(session, 'listContacts', { searchParam: 'x' })

  expect(listing).toMatchObject({ complete: true, pages: [{ number: 1 }] })
  expect(session.evidence.answers.every(({ usable }) => usable)).toBe(true)
})

test('a page of a filtered list that is refused where pages past the end are answered is unanswered', async () => {
  const session = await sessionWith(searched(at([['a', 'b', 'c'], 500])))

  await expect(filteredListing(session, 'listContacts', { searchParam: 'x' })).rejects.toThrow(Unanswered)
  expect(session.evidence.answers.filter(({ usable }) => !usable)).not.toEqual([])
})

test('a last page that is refused, followed by an empty one, is judged as an answer', async () => {
  const session = await sessionWith((page = 1) => (page === 1 ? ['a', 'b'] : page === 2 ? 500 : page === 0 ? 400 : []))

  await baseListing(session, 'listContacts')

  expect(
    session.evidence.answers.filter(({ usable }) => !usable).map(({ exchange }) => exchange.request.target),
  ).toEqual(['/api/contacts?pageNumber=2'])
})

test('a filtered list that may not be refused, and is, is unanswered', async () => {
  const session = await sessionWith(searched(() => 400))

  await expect(filteredListing(session, 'listContacts', { searchParam: 'x' })).rejects.toThrow(Unanswered)
})

/** Pages that are counted from 1, with nothing after them. */
function at(answers: readonly Answer[]): Target {
  return (page = 1) => (page === 0 ? 400 : (answers[page - 1] ?? []))
}

/** A target that does something else where it is searched. */
function searched(filtered: Target, whole = pages(1, [])): Target {
  return (page, query) => (query.has('searchParam') ? filtered : whole)(page, query)
}

function idsByPage(listing: Listing<{ id?: string }>): (string | undefined)[][] {
  return listing.pages.map(({ records }) => records.map(({ value }) => value.id))
}

async function sessionWith(target: Target, maxPages = '25'): Promise<Session> {
  const url = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://target')
    const page = searchParams.get('pageNumber')
    const answer = target(page === null ? undefined : Number(page), searchParams)
    const list = typeof answer === 'number' ? [] : answer.map((id) => (id === NO_RECORD ? null : { id }))
    response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ [pathname.split('/').at(-1)!]: list }))
  })
  return sessionOf(url, { MAX_PAGES: maxPages })
}
