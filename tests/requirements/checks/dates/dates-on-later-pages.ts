import { recordsOf } from '../../../engine/data/listing.ts'
import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { formatFor } from './date-format-discovery.ts'
import { createdContacts, isOutside, rangeQuery, type Range } from './date-ranges.ts'
import { queriesOfCreation } from './days.ts'
import { dayAmongOthers, emptyDay } from './telling-days.ts'
import { textOfPages } from '../search/search-pages.ts'
import { beyondAll, isHeededAlone } from './single-end.ts'

/** Dates that find nobody do not on a later page of a search either, on which the search alone finds somebody. */
export async function judgeNobodyOnLaterPages(trial: Trial): Promise<void> {
  const searchParam = await textOfPages(trial, 'listContacts')
  if (searchParam === undefined) return
  const { firstPage } = await trial.list('listContacts')
  await trial.each(await datesOfNobody(trial), async ({ query, range, what }) => {
    const probe = await trial.session.attempt('listContacts', {
      query: { searchParam, ...query, pageNumber: String(firstPage + 1) },
    })
    trial.count('later pages')
    for (const { value, exchange, pointer } of recordsOf(trial.session, 'listContacts', probe))
      if (isOutside(trial, value, range))
        trial.fail({
          message: `a later page of a search ignored ${what}`,
          expected: 'nobody: nobody was created then',
          received: value.createdAt,
          exchange,
          pointer: `${pointer}/createdAt`,
        })
  })
}

/**
 * What a search finds on its last page it finds on its first, beside dates on which few were created: they are not looked for
 * on the page alone that the search would show.
 */
export async function judgeLastOfASearch(trial: Trial): Promise<void> {
  const searchParam = await textOfPages(trial, 'listContacts')
  if (searchParam === undefined) return
  const alone = await trial.searched('listContacts', searchParam, {}, { toTheEnd: true })
  const one = alone.pages
    .slice(1)
    .at(-1)
    ?.records.find(({ value }) => trial.instantOf(value.createdAt))
  const id = idOf(one?.value)
  if (!one || id === undefined) return
  const asking = { wanted: new Set([id]), refusable: true }
  await trial.each(await queriesOfCreation(trial, one), async (query) => {
    const dated = await trial.filtered('listContacts', query, asking)
    if (!dated.byId.has(id)) return
    const both = await trial.filtered('listContacts', { searchParam, ...query }, asking)
    if (both.refusal || !both.complete || !both.exchange) return
    trial.count('later pages')
    if (both.byId.has(id)) return
    trial.differ(
      {
        message: `dates with a search (${Object.keys(query).join(', ')}) left out a contact that each of them finds, the search on its last page`,
        expected: `the contact ${id}`,
        received: `${both.records.length} other contact(s)`,
        exchange: both.exchange,
      },
      { operation: 'listContacts', id },
      'listContacts',
    )
  })
}

interface Dates {
  readonly what: string
  readonly query: Readonly<Record<string, string>>
  readonly range: Range
}

/** A creation date, a start date and an end date that find nobody, of those that are understood and heeded. */
export async function datesOfNobody(trial: Trial): Promise<readonly Dates[]> {
  const created = await createdContacts(trial)
  const dates: Dates[] = []
  const [ofDay, ofRange] = [await formatFor(trial, 'date'), await formatFor(trial, 'range')]
  const empty = emptyDay(created)
  if (ofDay.effect === 'understood' && empty !== undefined) {
    const query = { date: ofDay.format.write(Date.parse(empty)) }
    dates.push({ what: 'a creation date', query, range: { start: empty, end: empty } })
  }
  const day = dayAmongOthers(trial, created)
  if (ofRange.effect !== 'understood' || day === undefined) return dates
  for (const end of ['start', 'end'] as const) {
    if (!(await isHeededAlone(trial, created, { [end]: day }))) continue
    const range = beyondAll(trial, created, end)
    dates.push({
      what: `${end === 'start' ? 'a start' : 'an end'} date`,
      query: rangeQuery(range, ofRange.format),
      range,
    })
  }
  return dates
}
