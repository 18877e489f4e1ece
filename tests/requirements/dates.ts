import type { DateFormat } from '../engine/date-format.ts'
import type { Listing } from '../engine/listing.ts'
import { idOf, type Schemas } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Trial } from '../engine/trial.ts'
import { formatFor, understoodFormat } from './checks/date-format-discovery.ts'
import {
  certainlyIn,
  closeRange,
  createdContacts,
  judgeRange,
  rangeOfPages,
  rangeQuery,
  stretch,
  tooClose,
  type Created,
  type Range,
} from './checks/dates.ts'
import { judgeDayRanges, judgeDays, telltaleDays } from './checks/days.ts'
import { judgeWithoutNumber } from './checks/matching.ts'
import { everySearchable } from './checks/searchable.ts'

/** Names that are searched for until one is found, on each side of the dates. */
const NAMES_TRIED = 3

/** Shares of all contacts, oldest first: where few days were busy, only the ends tell contacts apart. */
const FIRST = [0, 0.25] as const
const LAST = [0.75, 1] as const

/** The contact list's date (creation date), dateStart (start date) and dateEnd (end date). */
export const dates: readonly Requirement[] = [
  demand('date', 'A creation date finds the contacts created on that day, and no others.', (trial) => judgeDays(trial)),
  demand('range', 'A start and an end date find the contacts created between them, and no others.', async (trial) => {
    const created = await createdContacts(trial)
    const ranges = [await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST), ...closeRange(created)]
    await judgeQuery(trial, ranges, 'a start and an end date')
  }),
  demand('start-alone', 'A start date alone finds the contacts created since.', async (trial) => {
    const { start } = await ofTwoSides(trial, [0.5, 1], LAST)
    await judgeSingleEnd(trial, { start }, 'a start date alone')
  }),
  demand('end-alone', 'An end date alone finds the contacts created until then.', async (trial) => {
    const { end } = await ofTwoSides(trial, [0, 0.5], FIRST)
    await judgeSingleEnd(trial, { end }, 'an end date alone')
  }),
  demand(
    'day-ranges',
    'Ranges of a day or two leave no contact out between them: each is found by one around its creation.',
    judgeDayRanges,
  ),
  demand('pages', 'A start and an end date hold on every page.', async (trial) => {
    const long = await rangeOfPages(trial)
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

async function judgeQuery(trial: Trial, ranges: readonly Range[], what: string, format?: DateFormat): Promise<void> {
  format ??= await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  for (const [index, range] of ranges.entries()) {
    const wanted = createdIn(created, range)
    const query = rangeQuery(range, format)
    const found = await trial.filtered('listContacts', query, { wanted, toTheEnd: true, refusable: true })
    if (!found.exchange) return tooLong(trial)
    await judgeRange(trial, created, found, range, what)
    if (index === 0) await judgeWithoutNumber(trial, 'listContacts', query, found)
  }
}

/** Dates among the second company's contacts, in the formats that the main company's have shown. */
export async function judgeDatesOfTheSecond(trial: Trial): Promise<void> {
  const [ofDay, ofRange] = [await formatFor(trial.as('main'), 'date'), await formatFor(trial.as('main'), 'range')]
  if (ofDay.effect !== 'understood' && ofRange.effect !== 'understood')
    trial.notExercised('It takes a date format that is understood.')
  if (ofDay.effect === 'understood') await judgeDays(trial, 1, ofDay.format)
  if (ofRange.effect !== 'understood') return
  const range = await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST)
  await judgeQuery(trial, [range], 'a start and an end date', ofRange.format)
}

function tooLong(trial: Trial): never {
  return trial.notExercised('It takes a target that lets in a range so long; this one refuses it.')
}

/** One end alone may be ignored or refused by a target that takes both together; where it selects, it selects rightly. */
async function judgeSingleEnd(trial: Trial, range: Range, what: string): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  const found = await trial.filtered('listContacts', rangeQuery(range, format), {
    wanted: createdIn(created, range),
    refusable: true,
  })
  if (!found.exchange) return trial.notExercised(`It takes a target that lets in ${what}; this one refuses it.`)
  // Whoever takes both ends together may also find nothing for one, or everything, but for what came or went meanwhile.
  const findsMost = [true, false].every((inside) => {
    const side = created.filter((one) => certainlyIn(one, range) === inside)
    return side.filter(({ contact }) => found.byId.has(idOf(contact.value)!)).length * 2 > side.length
  })
  if (found.records.length === 0 || findsMost)
    trial.notExercised(`It takes a target that heeds ${what}; this one takes both ends together.`)
  await judgeRange(trial, created, found, range, what)
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
  const dated = await trial.filtered('listContacts', query, { toTheEnd: true, refusable: true })
  if (!dated.exchange) return tooLong(trial)
  const named = await everySearchable(trial, 'listContacts', 'any')
  if (named.length < 2) return trial.notExercised('It takes contacts that have a name and say when they were created.')
  const inside = named.filter(({ record }) => dated.byId.has(idOf(record.value)!))
  const outside = named.filter(({ record }) => !dated.byId.has(idOf(record.value)!))
  if (dated.lacks !== undefined) return trial.notExercised(dated.lacks)
  if (inside.length === 0 || outside.length === 0) return tooClose(trial)
  for (const some of [inside, outside])
    for (const { record, texts } of some.slice(0, NAMES_TRIED)) {
      const alone = await trial.searched('listContacts', texts[0]!, {}, { toTheEnd: true })
      if (!alone.byId.has(idOf(record.value)!) || !alone.complete) continue
      const wanted = new Set(ids(alone).filter((id) => dated.byId.has(id)))
      const both = await trial.searched('listContacts', texts[0]!, query, { wanted })
      await judgeRange(trial, [], both, range, `${what} with a search`)
      trial.count('searches')
      judgeBoth(trial, { dated, alone, both }, what)
      break
    }
  if (!trial.examined['searches']) trial.notExercised('It takes names that a search finds.')
}

/** The contacts that were certainly created in a range, by id. */
function createdIn(created: readonly Created[], range: Range): ReadonlySet<string> {
  const inside = created.filter((one) => certainlyIn(one, range) === true)
  return new Set(inside.map(({ contact }) => idOf(contact.value)!))
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
