import type { Requirement } from '../engine/judging/requirement.ts'
import { combinedFilters, exactFilter, exactValue, unmatchedFilter } from './checks/filters/exact-filter.ts'
import { ofOneRequest } from './checks/lists/one-request.ts'
import { sameWhenFiltered } from './checks/filters/same-when-filtered.ts'
import { anyText, searchFinds, searchFindsNothing } from './checks/search/search.ts'
import { searchAndFilter } from './checks/search/search-and-filter.ts'
import { choose } from './checks/combinations.ts'
import { EXACT_FILTERS, STATUSES } from './operations.ts'
import { implied } from './implied.ts'

const FILTERS = EXACT_FILTERS.listTickets
/** Sets of filters, one from each on: those so many places further. */
const fromEach = (...steps: readonly number[]) =>
  FILTERS.map((_, at) => steps.map((step) => FILTERS[(at + step) % FILTERS.length]!))
/** Each two filters are one of these, or in a set of three; each three are a set. */
const TWOS = fromEach(0, 1)
const THREES = [...fromEach(0, 1, 3), ...fromEach(0, 1, 2)]

/** Filters, search and consistency of the ticket list. */
export const tickets: readonly Requirement[] = [
  ...STATUSES.map((status) =>
    implied(
      'listTickets',
      `filter.status-${status}`,
      `The status filter ${status} returns the tickets whose status is ${status}, and no others.`,
      exactValue('listTickets', 'status', status),
    ),
  ),
  ...FILTERS.filter((field) => field !== 'status').flatMap((field) => [
    implied(
      'listTickets',
      `filter.${field}`,
      `The filter ${field} returns the tickets with that ${field}, and no others.`,
      exactFilter('listTickets', field),
    ),
    implied(
      'listTickets',
      `filter.${field}-unmatched`,
      `The filter ${field} with a value that no ticket has returns none.`,
      unmatchedFilter('listTickets', field),
    ),
  ]),
  implied(
    'listTickets',
    'filter.two',
    'Two filters together return the tickets that match both.',
    combinedFilters('listTickets', TWOS, { combinations: choose(FILTERS, 2), told: [...TWOS, ...THREES] }),
  ),
  implied(
    'listTickets',
    'filter.three',
    'Three filters together return the tickets that match all three.',
    combinedFilters('listTickets', THREES),
  ),
  implied(
    'listTickets',
    'filter.all',
    'All filters together return the tickets that match them all.',
    combinedFilters('listTickets', [FILTERS]),
  ),
  implied(
    'listTickets',
    'filter.with-search',
    'A search and a filter together mean both.',
    searchAndFilter('listTickets'),
  ),
  implied(
    'listTickets',
    'search.finds',
    "A ticket is found by its contact's name or by its last message.",
    searchFinds('listTickets'),
  ),
  implied(
    'listTickets',
    'search.nothing',
    'A search for a random text finds no ticket.',
    searchFindsNothing('listTickets'),
  ),
  implied(
    'listTickets',
    'search.any-text',
    'A search for text of any kind is never a server error.',
    anyText('listTickets'),
  ),
  implied(
    'listTickets',
    'filter.one-request',
    'What one request for tickets asks for has no effect on the next.',
    ofOneRequest('listTickets'),
    { phase: 'write' },
  ),
  implied(
    'listTickets',
    'consistency.same-when-filtered',
    'A filtered ticket is the same ticket as in the whole list.',
    sameWhenFiltered('listTickets', async () => STATUSES.map((status) => ({ status }))),
    { phase: 'review' },
  ),
]
