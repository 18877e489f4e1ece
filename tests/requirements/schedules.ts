import { grouped } from '../engine/data/grouped.ts'
import { orElse } from '../engine/or-else.ts'
import { textOf } from '../engine/data/records.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { combinedFilters, exactFilter, unmatchedFilter } from './checks/filters/exact-filter.ts'
import { matcher } from './checks/filters/matching.ts'
import { ofOneRequest } from './checks/lists/one-request.ts'
import { partOfTheList } from './checks/lists/part-of-the-list.ts'
import { sameWhenFiltered } from './checks/filters/same-when-filtered.ts'
import { anyText, searchFinds, searchFindsNothing } from './checks/search/search.ts'
import { judgeSearchPagesBeside, searchPages } from './checks/search/search-pages.ts'
import { searchAndFilter } from './checks/search/search-and-filter.ts'
import { searchable } from './checks/search/searchable.ts'
import { EXACT_FILTERS } from './operations.ts'
import { implied } from './implied.ts'

const FILTERS = EXACT_FILTERS.listSchedules

/** Filters, search and consistency of the schedule list. */
export const schedules: readonly Requirement[] = [
  ...FILTERS.flatMap((field) => [
    implied(
      'listSchedules',
      `filter.${field}`,
      `The filter ${field} returns the schedules with that ${field}, and no others, on every page.`,
      exactFilter('listSchedules', field),
    ),
    implied(
      'listSchedules',
      `filter.${field}-unmatched`,
      `The filter ${field} with a value that no schedule has returns none.`,
      unmatchedFilter('listSchedules', field),
    ),
  ]),
  implied(
    'listSchedules',
    'filter.two',
    'Two filters together return the schedules that match both.',
    combinedFilters('listSchedules', [FILTERS]),
  ),
  implied(
    'listSchedules',
    'filter.with-search',
    'A search and a filter together mean both.',
    searchAndFilter('listSchedules'),
  ),
  implied(
    'listSchedules',
    'filter.search-pages',
    'A search and a filter together mean both on every page.',
    judgeSearchAndFilterPages,
  ),
  implied(
    'listSchedules',
    'search.finds',
    "A schedule is found by its contact's name or by its text.",
    searchFinds('listSchedules'),
  ),
  implied(
    'listSchedules',
    'search.nothing',
    'A search for a random text finds no schedule.',
    searchFindsNothing('listSchedules'),
  ),
  implied(
    'listSchedules',
    'search.any-text',
    'A search for text of any kind is never a server error.',
    anyText('listSchedules'),
  ),
  implied(
    'listSchedules',
    'search.pages',
    'A search that finds more than a page of schedules finds them all.',
    searchPages('listSchedules'),
  ),
  implied(
    'listSchedules',
    'filter.part-of-list',
    'Schedules that a filter or a search finds are part of the unfiltered list.',
    partOfTheList('listSchedules', someQueries),
  ),
  implied(
    'listSchedules',
    'filter.one-request',
    'What one request for schedules asks for has no effect on the next.',
    ofOneRequest('listSchedules'),
    { phase: 'write' },
  ),
  implied(
    'listSchedules',
    'consistency.same-when-filtered',
    'A filtered schedule is the same schedule as in the whole list.',
    sameWhenFiltered('listSchedules', someQueries),
    { phase: 'review' },
  ),
]

/** Filters by values that schedules hold, and by contacts and users that only tickets show. */
async function someQueries(trial: Trial): Promise<Record<string, string>[]> {
  const [schedules, tickets] = await Promise.all([trial.list('listSchedules'), trial.recordsBesides('listTickets')])
  const filters = FILTERS.flatMap((field) => {
    const values = [...schedules.records, ...tickets].flatMap(({ value }) => textOf(value, field) ?? [])
    return trial.random.helpers.arrayElements([...new Set(values)], 6).map((value) => ({ [field]: value }))
  })
  const searches = (await searchable(trial, 'listSchedules', 'any'))
    .slice(0, 2)
    .map(({ texts }) => ({ searchParam: texts[0]! }))
  return [...filters, ...searches]
}

/** The filters are by the user and by the contact of most schedules, where these fill more than a page. */
async function judgeSearchAndFilterPages(trial: Trial): Promise<void> {
  const { records, pageSize } = await trial.list('listSchedules')
  const [most, ...others] = FILTERS.flatMap((field) => {
    const groups = grouped(records, ({ value }) => textOf(value, field))
    const [largest] = groups.filter(([value, those]) => value !== undefined && those.length < records.length)
    return largest ? [{ field, value: largest[0]!, count: largest[1].length }] : []
  }).toSorted((a, b) => b.count - a.count)
  if (!most) return trial.notExercised('Needs schedules of different users, or contacts.')
  const judge = ({ field, value }: typeof most): Promise<void> => {
    const query = { [field]: value }
    const matches = matcher<'listSchedules'>(query)
    return judgeSearchPagesBeside(trial, 'listSchedules', { what: field, query, matches })
  }
  await judge(most)
  for (const one of others.filter(({ count }) => count > pageSize)) await orElse(judge(one), undefined)
}
