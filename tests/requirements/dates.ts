import type { DateFormat } from '../engine/date-format.ts'
import { readInstant } from '../engine/instants.ts'
import type { Listing } from '../engine/listing.ts'
import { idOf, type Schemas } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import { isFault, type Probe } from '../engine/session.ts'
import type { Trial } from '../engine/trial.ts'
import { formatFor, understoodFormat } from './checks/date-format-discovery.ts'
import {
  certainlyIn,
  closeRange,
  createdContacts,
  createdIn,
  dayAfter,
  dayOf,
  judgeRange,
  rangeOfPages,
  rangeQuery,
  stretch,
  tooClose,
  toThe31st,
  type Created,
  type Range,
} from './checks/date-ranges.ts'
import { dayAmongOthers, foundOnDay, judgeDayRanges, judgeDays, judgeUndivided, tellingDays } from './checks/days.ts'
import { judgeWithoutNumber } from './checks/matching.ts'
import { judgeBehindTheOnlyPage } from './checks/only-page.ts'
import { judgeSearchPagesBeside } from './checks/search-pages.ts'
import { everySearchable } from './checks/searchable.ts'
import { implied } from './implied.ts'

/** Names that are searched for until one is found, on each side of the dates. */
const NAMES_TRIED = 3

/** How many contacts on each side of the dates may have the word that is searched for, the nearest of them. */
const NEAREST = [3, 6, 10]

/** A word of letters that every search reads alike. */
const WORD = /(?<![^ ])[A-Za-z]{4,}(?![^ ])/g

/** Shares of all contacts, oldest first: where few days were busy, only the ends tell contacts apart. */
const FIRST = [0, 0.25] as const
const LAST = [0.75, 1] as const

/** The contact list's date (creation date), dateStart (start date) and dateEnd (end date). */
export const dates: readonly Requirement[] = [
  implied(
    'listContacts',
    'date.date',
    'A creation date finds the contacts created on that day, and no others.',
    (trial) => judgeDays(trial),
  ),
  implied(
    'listContacts',
    'date.range',
    'A start and an end date find the contacts created between them, and no others.',
    async (trial) => {
      const created = await createdContacts(trial)
      const ranges = [await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST), ...closeRange(created)]
      await judgeQuery(trial, ranges, 'a start and an end date')
    },
  ),
  implied('listContacts', 'date.start-alone', 'A start date alone finds the contacts created since.', async (trial) => {
    const day = dayAmongOthers(trial, await createdContacts(trial))
    const { start } = day === undefined ? await ofTwoSides(trial, [0.5, 1], LAST) : { start: day }
    await judgeSingleEnd(trial, { start }, day)
  }),
  implied(
    'listContacts',
    'date.end-alone',
    'An end date alone finds the contacts created until then.',
    async (trial) => {
      const day = dayAmongOthers(trial, await createdContacts(trial))
      const { end } = day === undefined ? await ofTwoSides(trial, [0, 0.5], FIRST) : { end: day }
      await judgeSingleEnd(trial, { end }, day)
    },
  ),
  implied(
    'listContacts',
    'date.day-ranges',
    'Ranges of a day or two leave no contact out between them: each is found by one around its creation.',
    judgeDayRanges,
  ),
  implied('listContacts', 'date.pages', 'A start and an end date hold on every page.', async (trial) => {
    const long = await rangeOfPages(trial)
    if (!long)
      return judgeBehindTheOnlyPage(
        trial,
        'listContacts',
        rangeQuery(await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST), await understoodFormat(trial, 'range')),
        'Needs more than a page of contacts created in a time outside which others were created.',
      )
    await judgeQuery(trial, [long], 'a later page of a start and an end date')
  }),
  implied(
    'listContacts',
    'date.with-search',
    'A start and an end date, or one of them alone, together with a search mean both.',
    judgeRangeWithSearch,
  ),
  implied(
    'listContacts',
    'date.search-pages',
    'A start and an end date, together with a search, mean both on every page.',
    async (trial) => {
      const range = await ofTwoSides(trial, [0.1, 0.9], [0.3, 0.7])
      await judgeSearchPagesBeside(trial, 'listContacts', {
        what: 'a start and an end date',
        query: rangeQuery(range, await understoodFormat(trial, 'range')),
        matches: ({ createdAt }) => {
          const at = readInstant(createdAt)
          return at && certainlyIn({ at }, range)
        },
      })
    },
  ),
  implied(
    'listContacts',
    'date.day-with-search',
    'A creation date together with a search means both.',
    judgeDayWithSearch,
  ),
]

/** The first stretch of creation, of some given by their shares, with contacts certainly inside and certainly outside. */
async function ofTwoSides(
  trial: Trial,
  ...shares: readonly (readonly [from: number, to: number])[]
): Promise<Required<Range>> {
  const created = await createdContacts(trial)
  const ranges = shares.map(([from, to]) => stretch(created, from, to))
  const range = ranges.find((one) => {
    const sides = new Set(created.map((contact) => certainlyIn(contact, one)))
    return sides.has(true) && sides.has(false)
  })
  return range ? toThe31st(created, range) : tooClose(trial)
}

async function judgeQuery(trial: Trial, ranges: readonly Range[], what: string, format?: DateFormat): Promise<void> {
  format ??= await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  for (const [index, range] of ranges.entries()) {
    const wanted = createdIn(created, range)
    const query = rangeQuery(range, format)
    const found = await trial.filtered('listContacts', query, { wanted, toTheEnd: true, refusable: true })
    if (!found.exchange) return judgeRefusal(trial, query, range, what)
    await judgeRange(trial, created, found, range, what)
    if (index === 0) await judgeWithoutNumber(trial, 'listContacts', query, found)
  }
}

/** Dates among the second company's contacts, in the formats that the main company's have shown. */
export async function judgeDatesOfTheSecond(trial: Trial): Promise<void> {
  const [ofDay, ofRange] = [await formatFor(trial.as('main'), 'date'), await formatFor(trial.as('main'), 'range')]
  if (ofDay.effect !== 'understood' && ofRange.effect !== 'understood')
    trial.notExercised('Needs a date format that is understood.')
  if (ofDay.effect === 'understood') await judgeDays(trial, 1, ofDay.format)
  if (ofRange.effect !== 'understood') return
  const range = await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST)
  await judgeQuery(trial, [range], 'a start and an end date', ofRange.format)
}

/** A range may be too long for a target, which then refuses it; an error of the server's is no refusal. */
async function judgeRefusal(trial: Trial, query: Record<string, string>, range: Range, what: string): Promise<void> {
  const { exchange, status } = await answerTo(trial, query)
  if (!isFault(exchange) || !(await isNextAccepted(trial, range)))
    trial.notExercised(`Needs a target that accepts ${what}; this one refuses ${Object.values(query).join(' to ')}.`)
  trial.fail({
    message: `${what} was answered with a server error`,
    expected: 'a success, as for the range that is a day longer',
    received: `status ${status}`,
    exchange,
  })
}

/** The answer to the first page of a query, which has been asked for. */
async function answerTo(trial: Trial, query: Readonly<Record<string, string>>): Promise<Probe> {
  const { paged, firstPage } = await trial.list('listContacts')
  const call = { query: { ...query, ...(paged && { pageNumber: String(firstPage) }) } }
  return trial.session.attemptOnce('listContacts', call)
}

/** Whether a range that ends a day later, and so is longer, is accepted. */
async function isNextAccepted(trial: Trial, { start, end }: Range): Promise<boolean> {
  const { format, effect } = await formatFor(trial, 'range')
  if (effect !== 'understood' || start === undefined || end === undefined) return false
  const query = rangeQuery({ start, end: dayAfter(end, 1) }, format)
  return (await trial.session.attemptOnce('listContacts', { query })).success
}

/**
 * One end alone may be ignored or refused by a target that takes both together, which one that heeds the other end alone
 * does not; where it selects, it selects rightly.
 * @param day the day of that end, where contacts were created on it.
 */
async function judgeSingleEnd(trial: Trial, range: Range, day?: string): Promise<void> {
  const names = ['a start date alone', 'an end date alone'] as const
  const [what, otherEnd] = range.start === undefined ? ([names[1], names[0]] as const) : names
  const format = await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  const onDay = day !== undefined && format.wholeDay ? await foundOnDay(trial, created, day) : undefined
  const found = await trial.filtered('listContacts', rangeQuery(range, format), {
    wanted: new Set([...createdIn(created, range), ...(onDay ? ids(onDay) : [])]),
    toTheEnd: true,
    refusable: true,
  })
  if (!found.exchange) return trial.notExercised(`Needs a target that accepts ${what}; this one refuses it.`)
  if (!isHeeded(created, range, found)) {
    const other = range.start === undefined ? { start: range.end! } : { end: range.start }
    if (found.records.length === 0 || !(await isHeededAlone(trial, created, other)))
      trial.notExercised(`Needs a target that heeds ${what}; this one takes both ends together.`)
    return trial.differ(
      {
        message: `${what} is ignored, though ${otherEnd} is heeded`,
        expected: 'the contacts created in that time, and no others',
        received: `${found.records.length} contacts, created before and after`,
        exchange: found.exchange,
      },
      { everythingIn: 'listContacts' },
    )
  }
  await judgeRange(trial, created, found, range, what)
  if (onDay) judgeUndivided(trial, onDay, found, what)
  await judgeFarEnd(trial, range.start === undefined ? 'end' : 'start', format, what)
}

/**
 * The other end is open, however far it is: a start date finds the newest contact, and an end date the oldest, by whose name
 * they are searched for.
 */
async function judgeFarEnd(trial: Trial, end: 'start' | 'end', format: DateFormat, what: string): Promise<void> {
  const contacts = (await everySearchable(trial, 'listContacts', 'any'))
    .flatMap(({ record: { value }, texts }) => {
      const at = readInstant(value.createdAt)
      return at ? [{ id: idOf(value)!, text: texts[0]!, at }] : []
    })
    .toSorted((a, b) => a.at.earliest - b.at.earliest)
  const [oldest, newest] = [contacts[0], contacts.at(-1)]
  if (!oldest || !newest) return
  const range = end === 'start' ? { start: dayOf(oldest.at.earliest) } : { end: dayAfter(dayOf(newest.at.latest), 1) }
  const sought = end === 'start' ? newest : oldest
  if (certainlyIn(sought, range) !== true) return
  const { id } = sought
  const wanted = new Set([id])
  const both = await trial.searched('listContacts', sought.text, rangeQuery(range, format), { wanted })
  if (!both.exchange || !both.complete || both.byId.has(id)) return
  const alone = await trial.searched('listContacts', sought.text, {}, { wanted })
  if (alone.byId.has(id))
    trial.differ(
      {
        message: `${what} left out the ${end === 'start' ? 'newest contact, created since' : 'oldest contact, created before'}`,
        expected: `the contact ${id}`,
        received: `${both.records.length} other contact(s)`,
        exchange: both.exchange,
      },
      { operation: 'listContacts', id },
      'listContacts',
    )
}

/** A target that takes both ends together may find nothing for one, or everything, but for what came or went meanwhile. */
function isHeeded(created: readonly Created[], range: Range, found: Listing<Schemas['Contact']>): boolean {
  const findsMost = [true, false].every((inside) => {
    const side = created.filter((one) => certainlyIn(one, range) === inside)
    return side.filter(({ contact }) => found.byId.has(idOf(contact.value)!)).length * 2 > side.length
  })
  return found.records.length > 0 && !findsMost
}

async function isHeededAlone(trial: Trial, created: readonly Created[], end: Range): Promise<boolean> {
  const query = rangeQuery(end, await understoodFormat(trial, 'range'))
  const found = await trial.filtered('listContacts', query, { toTheEnd: true, refusable: true })
  return found.exchange !== undefined && isHeeded(created, end, found)
}

async function judgeRangeWithSearch(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const range = await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST)
  await judgeWithSearch(trial, range, rangeQuery(range, format), 'a start and an end date')
  const created = await createdContacts(trial)
  const day = dayAmongOthers(trial, created)
  if (day === undefined) return
  for (const [end, what] of [[{ start: day }, 'a start date'] as const, [{ end: day }, 'an end date'] as const]) {
    if (await isHeededAlone(trial, created, end)) await judgeWithSearch(trial, end, rangeQuery(end, format), what)
  }
}

async function judgeDayWithSearch(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'date')
  const created = await createdContacts(trial)
  const [telling] = tellingDays(trial, created)
  if (!telling) return tooClose(trial)
  const { day, instant } = telling
  const query = { date: format.write(format.wholeDay ? Date.parse(day) : instant) }
  await judgeWithSearch(trial, { start: day, end: day }, query, 'a creation date')
}

/**
 * A search together with dates finds what both find alone, and nothing else: tried with names that a contact has which
 * the dates find, one that was created before them and one that was created after, as either end may be lost.
 */
async function judgeWithSearch(trial: Trial, range: Range, query: Record<string, string>, what: string) {
  const dated = await trial.filtered('listContacts', query, { toTheEnd: true, refusable: true })
  if (!dated.exchange) return judgeRefusal(trial, query, range, what)
  const named = await everySearchable(trial, 'listContacts', 'any')
  if (named.length < 2) return trial.notExercised('Needs contacts that have a name and say when they were created.')
  const isBefore = ({ record }: Named): boolean =>
    (readInstant(record.value.createdAt)?.earliest ?? Infinity) < Date.parse(range.start ?? '')
  const inside = named.filter(({ record }) => dated.byId.has(idOf(record.value)!))
  const outside = named.filter(({ record }) => !dated.byId.has(idOf(record.value)!))
  if (dated.lacks !== undefined) return trial.notExercised(dated.lacks)
  if (inside.length === 0 || outside.length === 0) return tooClose(trial)
  const createdAt = ({ record }: Named): number => readInstant(record.value.createdAt)?.earliest ?? 0
  // Those nearest to the dates first: what reaches a little too far brings them.
  const before = outside.filter(isBefore).toSorted((a, b) => createdAt(b) - createdAt(a))
  const after = outside.filter((one) => !isBefore(one)).toSorted((a, b) => createdAt(a) - createdAt(b))
  const sides = [inside, before, after].filter(({ length }) => length > 0)
  const shared = NEAREST.flatMap((most) =>
    sharedWords(sides.map((side) => (side === inside ? side : side.slice(0, most)))),
  ).slice(0, NAMES_TRIED)
  const tried = new Set<readonly Named[]>()
  for (const side of sides)
    for (const text of [...shared, ...side.slice(0, NAMES_TRIED).map(({ texts }) => texts[0]!)]) {
      if (tried.has(side)) break
      const alone = await trial.searched('listContacts', text, {}, { toTheEnd: true })
      const found = sides.filter((one) => one.some(({ record }) => alone.byId.has(idOf(record.value)!)))
      if (!found.includes(side) || !alone.complete) continue
      const wanted = new Set(ids(alone).filter((id) => dated.byId.has(id)))
      const both = await trial.searched('listContacts', text, query, { wanted })
      // Both may be refused together; an error of the server's is no refusal.
      if (!both.exchange && !isFault((await answerTo(trial, both.query)).exchange)) continue
      await judgeRange(trial, [], both, range, `${what} with a search`)
      trial.count('searches')
      judgeBoth(trial, { dated, alone, both }, what)
      for (const one of found) tried.add(one)
    }
  if (!trial.examined['searches'])
    trial.notExercised(`Needs names that a search finds, and that it takes together with ${what}.`)
}

type Named = Awaited<ReturnType<typeof everySearchable<'listContacts'>>>[number]

/** Words in names of every one of some groups, the rarest first: one search tells about all of them. */
function sharedWords(groups: readonly (readonly Named[])[]): readonly string[] {
  const words = groups.map((group) => group.flatMap(({ texts }) => texts[0]!.match(WORD) ?? []))
  const inEach = words.map((those) => new Set(those))
  const counts = new Map<string, number>()
  for (const word of words.flat())
    if (inEach.every((those) => those.has(word))) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => a - b).map(([word]) => word)
}

function ids(listing: Listing<unknown>): readonly string[] {
  return [...listing.byId.keys()]
}

function judgeBoth(
  trial: Trial,
  { dated, alone, both }: Readonly<Record<'dated' | 'alone' | 'both', Listing<Schemas['Contact']>>>,
  what: string,
): void {
  const wrong = [
    ['that the search alone does not find', ids(both).filter((id) => !alone.byId.has(id)), 'none but those'],
    [`that ${what} alone does not find`, ids(both).filter((id) => !dated.byId.has(id)), 'none but those'],
  ] as const
  for (const [which, extra, expected] of wrong)
    for (const id of extra) {
      const { exchange, pointer } = both.byId.get(id)!
      trial.differ(
        { message: `${what} with a search returned contacts ${which}`, expected, received: id, exchange, pointer },
        { operation: 'listContacts', id },
        'listContacts',
      )
    }
  if (!both.complete) return
  for (const id of ids(alone))
    if (dated.byId.has(id) && !both.byId.has(id))
      trial.differ(
        {
          message: `${what} with a search left out a contact that each finds alone`,
          expected: `the contact ${id}`,
          received: `${both.records.length} other contact(s)`,
          exchange: both.exchange ?? alone.byId.get(id)!.exchange,
        },
        { operation: 'listContacts', id },
        'listContacts',
      )
}
