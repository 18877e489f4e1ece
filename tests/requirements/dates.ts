import type { DateFormat } from '../engine/time/date-format.ts'
import { orElse } from '../engine/or-else.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { formatFor, understoodFormat } from './checks/dates/date-format-discovery.ts'
import {
  certainlyIn,
  closeRange,
  createdContacts,
  createdIn,
  dayAfter,
  FIRST,
  firstOfTwoSides,
  judgeRange,
  LAST,
  ofTwoSides,
  rangeOfPages,
  rangeQuery,
  stretch,
  type Created,
  type Range,
} from './checks/dates/date-ranges.ts'
import { judgeDayRanges } from './checks/dates/day-ranges.ts'
import { judgeDays } from './checks/dates/days.ts'
import { createdOn, dayAmongOthers, eveOf } from './checks/dates/telling-days.ts'
import { judgeWithoutNumber } from './checks/filters/matching.ts'
import { judgeLastOfASearch, judgeNobodyOnLaterPages } from './checks/dates/dates-on-later-pages.ts'
import { judgeDayWithSearch, judgeMidnightWithSearch, judgeRangeWithSearch } from './checks/dates/dates-with-search.ts'
import { judgeBehindTheOnlyPage } from './checks/lists/only-page.ts'
import { judgeRefusal } from './checks/dates/refused-dates.ts'
import { judgeSearchPagesBeside } from './checks/search/search-pages.ts'
import { judgeSameBesideAStart, judgeSingleEnd, judgeUpToEve } from './checks/dates/single-end.ts'
import { judgeWholeMonths } from './checks/dates/whole-months.ts'
import { judgeZoneEdges } from './checks/dates/zone-edges.ts'
import { implied } from './implied.ts'

/** Shares of all contacts between whose creation to look. */
const SIDES = [[0.3, 0.7], FIRST, LAST] as const

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
      // Dates without any effect show on days on which nobody was created, too.
      const format = await understoodFormat(trial, 'range')
      const ranges = [await ofTwoSides(trial, ...SIDES), ...closeRange(created)]
      await judgeQuery(trial, ranges, 'a start and an end date', format)
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
    async (trial) => {
      await judgeDayRanges(trial)
      await judgeWholeMonths(trial)
      await judgeZoneEdges(trial)
    },
  ),
  implied('listContacts', 'date.pages', 'A start and an end date hold on every page.', async (trial) => {
    const long = await rangeOfPages(trial)
    if (!long)
      return judgeBehindTheOnlyPage(
        trial,
        'listContacts',
        [rangeQuery(await ofTwoSides(trial, ...SIDES), await understoodFormat(trial, 'range'))],
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
    'Dates, together with a search, mean both on every page.',
    async (trial) => {
      await orElse(judgeNobodyOnLaterPages(trial), undefined)
      await orElse(judgeLastOfASearch(trial), undefined)
      const range = await ofTwoSides(trial, [0.1, 0.9], [0.3, 0.7])
      await judgeSearchPagesBeside(trial, 'listContacts', {
        what: 'a start and an end date',
        query: rangeQuery(range, await understoodFormat(trial, 'range')),
        matches: ({ createdAt }) => {
          const at = trial.instantOf(createdAt)
          return at && certainlyIn({ at }, range)
        },
      })
      if (Object.keys(trial.examined).length === 0)
        trial.notExercised('Needs more than a page of contacts that a search finds together with dates.')
    },
  ),
  implied(
    'listContacts',
    'date.day-with-search',
    'A creation date together with a search means both.',
    judgeDayWithSearch,
  ),
]

async function judgeQuery(trial: Trial, ranges: readonly Range[], what: string, format?: DateFormat): Promise<void> {
  format ??= await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  for (const [index, range] of ranges.entries()) {
    const wanted = createdIn(created, range)
    const query = rangeQuery(range, format)
    const found = await trial.filtered('listContacts', query, { wanted, toTheEnd: index === 0, refusable: true })
    if (!found.exchange) return judgeRefusal(trial, found, range, what)
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
  const created = await createdContacts(trial)
  const eve = eveOf(created, dayAmongOthers(trial, created))
  const range = rangeUpTo(created, eve) ?? (await ofTwoSides(trial, ...SIDES))
  // What is kept of the answer to the main company is none for another that asks literally the same.
  const ofMain = firstOfTwoSides(await orElse(createdContacts(trial.as('main')), []), ...SIDES)
  await judgeQuery(trial, [range, ...(ofMain ? [ofMain] : [])], 'a start and an end date', ofRange.format)
  if (eve === undefined || ofDay.effect !== 'understood' || !ofDay.format.wholeDay) return
  const day = dayAfter(eve, 1)
  const query = { date: ofDay.format.write(Date.parse(day)) }
  const onDay = await trial.filtered('listContacts', query, { wanted: createdOn(created, day) })
  const isUpToEve = range.end === eve
  const both = isUpToEve && (await judgeUpToEve(trial, range, onDay, ofRange.format, 'a start and an end date'))
  const until = await judgeUpToEve(trial, { end: eve }, onDay, ofRange.format, 'an end date alone')
  if (both) judgeSameBesideAStart(trial, created, range, both, until)
  await judgeMidnightWithSearch(trial, created, day, until)
}

/** A range up to a day, where contacts were created in it for certain, and before it. */
function rangeUpTo(created: readonly Created[], end: string | undefined): Required<Range> | undefined {
  if (end === undefined) return undefined
  return [0.1, 0.2, 0.3]
    .map((share) => ({ start: stretch(created, share, share).start, end }))
    .find((range) =>
      [range, { end: dayAfter(range.start, -1) }].every((one) =>
        created.some((other) => certainlyIn(other, one) === true),
      ),
    )
}
