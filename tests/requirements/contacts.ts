import { orElse } from '../engine/or-else.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { askable, idOf } from '../engine/data/records.ts'
import { formatFor } from './checks/dates/date-format-discovery.ts'
import { createdContacts, rangeOfPages, rangeQuery, stretch } from './checks/dates/date-ranges.ts'
import { queryOfADay } from './checks/dates/days.ts'
import { judgeNumbersAndAddresses } from './checks/search/numbers-and-addresses.ts'
import { ofOneRequest } from './checks/lists/one-request.ts'
import { partOfTheList } from './checks/lists/part-of-the-list.ts'
import { sameWhenFiltered } from './checks/filters/same-when-filtered.ts'
import { anyText, searchFinds, searchFindsNothing } from './checks/search/search.ts'
import { partOfPages, searchPages } from './checks/search/search-pages.ts'
import { judgeSearchForANumber } from './checks/search/search-for-a-number.ts'
import { judgeSearchForZero } from './checks/search/search-for-zero.ts'
import { searchable } from './checks/search/searchable.ts'
import { implied } from './implied.ts'

/** Search and consistency of the contact list. */
export const contacts: readonly Requirement[] = [
  implied(
    'listContacts',
    'search.finds',
    'A contact is found by its full name, and by its number or address where others are.',
    async (trial) => {
      await searchFinds('listContacts')(trial)
      await judgeNumbersAndAddresses(trial)
    },
  ),
  implied(
    'listContacts',
    'search.nothing',
    'A search for a random text finds no contact, and one for a digit or a number not just any.',
    async (trial) => {
      await searchFindsNothing('listContacts')(trial)
      await judgeSearchForZero(trial)
      await judgeSearchForANumber(trial)
    },
  ),
  implied(
    'listContacts',
    'search.any-text',
    'A search for text of any kind is never a server error.',
    anyText('listContacts'),
  ),
  implied(
    'listContacts',
    'search.pages',
    'A search that finds more than a page of contacts finds them all.',
    searchPages('listContacts'),
  ),
  implied(
    'listContacts',
    'filter.part-of-list',
    'Contacts that a search or a date finds are part of the unfiltered list.',
    partOfTheList('listContacts', someQueries),
  ),
  implied(
    'listContacts',
    'filter.one-request',
    'What one request for contacts asks for has no effect on the next.',
    ofOneRequest('listContacts'),
    { phase: 'write' },
  ),
  implied(
    'listContacts',
    'consistency.same-when-filtered',
    'A contact that a search or a date finds is the same contact as in the whole list.',
    sameWhenFiltered('listContacts', someQueries),
    { phase: 'review' },
  ),
]

/** Searches for names, parts of names and contacts that only other lists show, and stretches of creation. */
async function someQueries(trial: Trial): Promise<Record<string, string>[]> {
  const contacts = await trial.list('listContacts')
  const names = (await searchable(trial, 'listContacts', 'any')).map(({ texts }) => texts[0]!)
  const embedded = (await embeddedElsewhere(trial)).filter(({ id }) => id !== undefined && !contacts.byId.has(id))
  const unlisted = embedded
    .flatMap(({ name }) => askable(name) ?? [])
    .filter(({ length }) => length > 3)
    .slice(0, 3)
  const searches = [...names.slice(0, 2), ...unlisted, partOfPages(contacts) ?? 'a']
  return [...[...new Set(searches)].map((text) => ({ searchParam: text })), ...(await orElse(someDates(trial), []))]
}

async function embeddedElsewhere(trial: Trial): Promise<{ id: string | undefined; name: unknown }[]> {
  const [schedules, tags] = await Promise.all([trial.recordsBesides('listSchedules'), trial.recordsBesides('listTags')])
  const embedded = [
    ...schedules.map(({ value }) => value.contact),
    ...tags.flatMap(({ value }) => (Array.isArray(value.contacts) ? value.contacts : [])),
  ]
  return embedded.map((contact) => ({ id: idOf(contact), name: contact?.name }))
}

/** A stretch of creation, and a day. */
async function someDates(trial: Trial): Promise<Record<string, string>[]> {
  const { format, effect } = await formatFor(trial, 'range')
  const range = (await rangeOfPages(trial)) ?? stretch(await createdContacts(trial), 0.05, 0.95)
  const day = await queryOfADay(trial)
  return [...(effect === 'understood' ? [rangeQuery(range, format)] : []), ...(day ? [day] : [])]
}
