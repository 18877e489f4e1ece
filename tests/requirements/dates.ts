import { DAY_MS, daySpan } from '../engine/instants.ts'
import type { Listing } from '../engine/listing.ts'
import { idOf, type Schemas } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Trial } from '../engine/trial.ts'
import { understoodFormat } from './checks/date-format-discovery.ts'
import {
  certainlyIn,
  createdContacts,
  dayOf,
  explainingOffsets,
  judgeRange,
  rangeQuery,
  stretch,
  tooClose,
  type Created,
  type Range,
} from './checks/dates.ts'
import { judgeWithoutNumber } from './checks/matching.ts'
import { everySearchable } from './checks/searchable.ts'

const DAYS_TRIED = 3
/** Names that are searched for until one is found, on each side of the dates. */
const NAMES_TRIED = 3

/** Shares of all contacts, oldest first: where few days were busy, only the ends tell contacts apart. */
const FIRST = [0, 0.25] as const
const LAST = [0.75, 1] as const

/** The contact list's date (creation date), dateStart (start date) and dateEnd (end date). */
export const dates: readonly Requirement[] = [
  demand('date', 'A creation date finds the contacts created on that day, and no others.', (trial) => judgeDays(trial)),
  demand('range', 'A start and an end date find the contacts created between them, and no others.', async (trial) => {
    await judgeQuery(trial, [await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST)], 'a start and an end date')
  }),
  demand('start-alone', 'A start date alone finds the contacts created since.', async (trial) => {
    const { start } = await ofTwoSides(trial, [0.5, 1], LAST)
    await judgeSingleEnd(trial, { start }, 'a start date alone')
  }),
  demand('end-alone', 'An end date alone finds the contacts created until then.', async (trial) => {
    const { end } = await ofTwoSides(trial, [0, 0.5], FIRST)
    await judgeSingleEnd(trial, { end }, 'an end date alone')
  }),
  demand('pages', 'A start and an end date hold on every page.', async (trial) => {
    const all = await trial.list('listContacts')
    const created = await createdContacts(trial)
    const shares = [[0.1, 0.6], [0.2, 0.9], [0.02, 0.98], FIRST] as const
    const ranges = shares.map(([from, to]) => stretch(created, from, to))
    const long = ranges.find((range) => {
      const inside = created.filter((one) => certainlyIn(one, range) === true).length
      return inside > all.pageSize && created.some((one) => certainlyIn(one, range) === false)
    })
    if (!long)
      return trial.notExercised(
        'It takes more than a page of contacts created in a time outside which others were created.',
      )
    await judgeQuery(trial, [long], 'a later page of a start and an end date')
  }),
  demand('with-search', 'A start and an end date together with a search mean both.', judgeRangeWithSearch),
  demand('day-with-search', 'A creation date together with a search means both.', judgeDayWithSearch),
]

function demand(name: string, title: string, check: Requirement['check']): Requirement {
  return {
    id: `listContacts.date.${name}`,
    level: 'implied',
    title,
    source: '4. List contacts',
    operations: ['listContacts'],
    check,
  }
}

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
  return range ?? tooClose(trial)
}

async function judgeQuery(trial: Trial, ranges: readonly Range[], what: string): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  for (const range of ranges) {
    const wanted = new Set(
      created.filter((one) => certainlyIn(one, range) === true).map((one) => idOf(one.contact.value)!),
    )
    const query = rangeQuery(range, format)
    const found = await trial.filtered('listContacts', query, { wanted, toTheEnd: true, refusable: true })
    if (!found.exchange)
      return trial.notExercised('It takes a target that lets in a range so long; this one refuses it.')
    await judgeRange(trial, created, found, range, what)
    await judgeWithoutNumber(trial, 'listContacts', query, found)
  }
}

/** One end alone may be ignored or refused by a target that takes both together; where it selects, it selects rightly. */
async function judgeSingleEnd(trial: Trial, range: Range, what: string): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const all = await trial.list('listContacts')
  const query = { ...rangeQuery(range, format), pageNumber: String(all.firstPage) }
  const { success } = await trial.session.attempt('listContacts', { query })
  if (!success) trial.notExercised(`It takes a target that lets in ${what}; this one refuses it.`)
  const found = await trial.filtered('listContacts', rangeQuery(range, format), { toTheEnd: true })
  // Whoever takes both ends together may also find nothing for one, or everything, but for what came or went meanwhile.
  const created = await createdContacts(trial)
  const findsMost = [true, false].every((inside) => {
    const side = created.filter((one) => certainlyIn(one, range) === inside)
    return side.filter(({ contact }) => found.byId.has(idOf(contact.value)!)).length * 2 > side.length
  })
  if (found.records.length === 0 || findsMost)
    trial.notExercised(`It takes a target that heeds ${what}; this one takes both ends together.`)
  await judgeRange(trial, created, found, range, what)
}

/**
 * Days are counted in some zone: one that explains every answer, give or take the hour that clocks are put forward. In
 * every zone a contact is created on some day: the day of its creation in UTC, the one before or the one after.
 */
async function judgeDays(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'date')
  const created = await createdContacts(trial)
  const days = telltaleDays(trial, created)
  if (days.length === 0) tooClose(trial)
  const look = async ({ day, instant }: Telltale): Promise<FoundOn> => {
    const query = { date: format.write(format.wholeDay ? Date.parse(day) : instant) }
    const listing = await trial.filtered('listContacts', query, { toTheEnd: true })
    trial.count('days')
    await judgeRange(trial, created, listing, { start: day, end: day }, 'a creation date')
    return { day, listing }
  }
  const found = await Promise.all(days.map(look))
  const [busiest] = days
  const busy = { date: format.write(format.wholeDay ? Date.parse(busiest!.day) : busiest!.instant) }
  await judgeWithoutNumber(trial, 'listContacts', busy, found[0]!.listing)
  if (!format.wholeDay) return judgeInstants(trial, created, found)
  const around = neighbours(days.filter((_, index) => index === 0 || lostOn(created, found[index]!).length > 0))
  const near = [
    ...found,
    ...(await Promise.all(around.filter(({ day }) => !days.some((one) => one.day === day)).map(look))),
  ]
  for (const one of found) judgeNeighbourhood(trial, created, near, one)
  judgeZones(trial, created, near)
}

interface FoundOn {
  readonly day: string
  readonly listing: Listing<Schemas['Contact']>
}

/** The days before and after some days. */
function neighbours(days: readonly Telltale[]): readonly Telltale[] {
  const around = days.flatMap(({ day, instant }) =>
    [-DAY_MS, DAY_MS].map((step) => ({ day: dayOf(Date.parse(day) + step), instant: instant + step })),
  )
  return [...new Map(around.map((one) => [one.day, one])).values()]
}

/** The contacts that were created on a day in UTC and are not found by it. */
function lostOn(created: readonly Created[], { day, listing }: FoundOn): readonly Created[] {
  return created.filter(
    ({ contact, at }) =>
      at.earliest === at.latest && dayOf(at.earliest) === day && !listing.byId.has(idOf(contact.value)!),
  )
}

/** What a day does not find, the day before or the day after does. */
function judgeNeighbourhood(trial: Trial, created: readonly Created[], near: readonly FoundOn[], on: FoundOn): void {
  const around = near.filter((one) => Math.abs(Date.parse(one.day) - Date.parse(on.day)) <= DAY_MS)
  if (around.some(({ listing }) => !listing.complete)) return
  for (const { contact } of lostOn(created, on)) {
    const id = idOf(contact.value)
    if (around.some(({ listing }) => listing.byId.has(id!))) continue
    trial.differ(
      {
        message: 'a contact is found neither by the day of its creation nor by the day before or after',
        expected: `the contact ${id}, created ${contact.value.createdAt}`,
        received: around.map((one) => `${one.listing.records.length} on ${one.day}`).join(', '),
        exchange: on.listing.exchange ?? contact.exchange,
      },
      { operation: 'listContacts', id },
      'listContacts',
    )
  }
}

/** Whoever asks for an instant at which a contact was created asks for that contact, or for its day. */
function judgeInstants(trial: Trial, created: readonly Created[], found: readonly FoundOn[]): void {
  const isExact = created.every(({ at }) => at.earliest === at.latest)
  if (!isExact || found.some(({ listing }) => listing.records.length > 0)) return
  trial.differ(
    {
      message: 'no date finds a contact, not even the instant at which one was created',
      expected: 'the contacts created then, or on that day',
      received: `no contact for ${found.length} dates`,
      exchange: found[0]?.listing.exchange ?? created[0]!.contact.exchange,
    },
    'listContacts',
  )
}

function judgeZones(trial: Trial, created: readonly Created[], found: readonly FoundOn[]): void {
  const answers = found
    .filter(({ listing }) => listing.complete)
    .map((one) => ({ ...one, offsets: explainingOffsets(created, one.listing, one.day) }))
  const fits = (offset: number): boolean =>
    answers.every(({ offsets }) => offsets.some((other) => Math.abs(other - offset) <= 1))
  if (answers.length === 0 || answers.some(({ offsets }) => offsets.some(fits))) return
  const worst = answers.find(({ offsets }) => offsets.length === 0) ?? answers[0]!
  trial.differ(
    {
      message: 'no time zone explains which contacts were returned for a creation date',
      expected: `the contacts created on ${worst.day} in one zone or another`,
      received: `${worst.listing.records.length} contact(s)`,
      exchange: worst.listing.exchange ?? created[0]!.contact.exchange,
    },
    'listContacts',
  )
}

interface Telltale {
  readonly day: string
  /** When a contact was created on it. */
  readonly instant: number
}

/** Days on which wrong answers show, the most telling first: many contacts, others in the same month, and updates on other days. */
export function telltaleDays(trial: Trial, created: readonly Created[]): Telltale[] {
  const byDay = new Map<string, Created[]>()
  for (const one of created) {
    const day = dayOf(one.at.earliest)
    byDay.set(day, [...(byDay.get(day) ?? []), one])
  }
  const candidates = [...byDay].filter(([day]) =>
    created.some(({ at }) => at.latest < daySpan(day).earliest || at.earliest > daySpan(day).latest),
  )
  const inMonth = new Map<string, number>()
  for (const [day, on] of byDay) inMonth.set(day.slice(0, 7), (inMonth.get(day.slice(0, 7)) ?? 0) + on.length)
  const monthMates = (day: string): number => inMonth.get(day.slice(0, 7))!
  const ranked = candidates.toSorted(
    ([a, onA], [b, onB]) => onB.length * 10 + monthMates(b) - (onA.length * 10 + monthMates(a)),
  )
  const some = trial.random.helpers.arrayElements(ranked.slice(2), DAYS_TRIED - 2)
  return [...ranked.slice(0, 2), ...some].map(([day, on]) => ({ day, instant: on[0]!.at.earliest }))
}

async function judgeRangeWithSearch(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const range = await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST)
  await judgeWithSearch(trial, range, rangeQuery(range, format), 'a start and an end date')
}

async function judgeDayWithSearch(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'date')
  const created = await createdContacts(trial)
  const [telltale] = telltaleDays(trial, created)
  if (!telltale) return tooClose(trial)
  const { day, instant } = telltale
  const query = { date: format.write(format.wholeDay ? Date.parse(day) : instant) }
  await judgeWithSearch(trial, { start: day, end: day }, query, 'a creation date')
}

/**
 * A search together with dates finds what both find alone, and nothing else: tried with a name that a contact has which
 * the dates find, and with one that a contact has which they leave out.
 */
async function judgeWithSearch(trial: Trial, range: Range, query: Record<string, string>, what: string): Promise<void> {
  const dated = await trial.filtered('listContacts', query, { toTheEnd: true })
  const named = await everySearchable(trial, 'listContacts', 'any')
  if (named.length < 2) return trial.notExercised('It takes contacts that have a name and say when they were created.')
  const inside = named.filter(({ record }) => dated.byId.has(idOf(record.value)!))
  const outside = named.filter(({ record }) => !dated.byId.has(idOf(record.value)!))
  if (!dated.complete) return trial.notExercised('It takes dates that find no more than MAX_PAGES; raise it.')
  if (inside.length === 0 || outside.length === 0) return tooClose(trial)
  for (const some of [inside, outside])
    for (const { record, texts } of some.slice(0, NAMES_TRIED)) {
      const alone = await trial.searched('listContacts', texts[0]!, {}, { toTheEnd: true })
      if (!alone.byId.has(idOf(record.value)!) || !alone.complete) continue
      const both = await trial.searched('listContacts', texts[0]!, query, { toTheEnd: true })
      await judgeRange(trial, [], both, range, `${what} with a search`)
      trial.count('searches')
      judgeBoth(trial, { dated, alone, both }, what)
      break
    }
  if (!trial.examined['searches']) trial.notExercised('It takes names that a search finds.')
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
