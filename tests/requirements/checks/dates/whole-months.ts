import { HOUR_MS } from '../../../engine/time/instants.ts'
import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { understoodFormat } from './date-format-discovery.ts'
import {
  createdContacts,
  createdIn,
  dayAfter,
  dayOf,
  judgeRange,
  rangeQuery,
  type Created,
  type Range,
} from './date-ranges.ts'
import { shownDay } from './telling-days.ts'
import { endsOf, offsetsToldByADay, type Ends } from './ends-of-ranges.ts'

/** Days of the longest months. */
const MOST_DAYS = 31

/**
 * A range from the first day of a month to its last may be taken for the month, as others are not, and wrongly so: a shorter
 * month may be given as many days as a longer one has, and any month fewer. Asked for where contacts tell.
 */
export async function judgeWholeMonths(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  const { day, offsets } = await offsetsToldByADay(trial, created)
  const ends = await endsOf(trial, format)
  await trial.each(tellingMonths(created), async (month) => {
    const wanted = createdIn(created, month)
    const found = await trial.filtered('listContacts', rangeQuery(month, format), { wanted, refusable: true })
    // A time so long may be refused.
    if (!found.exchange) return
    await judgeRange(trial, created, found, month, 'a range of a whole month')
    if (!found.complete || offsets.length === 0) return
    for (const one of created) {
      const expected = isIn(one, month, offsets, ends)
      const id = idOf(one.contact.value)!
      if (expected === undefined || expected === found.byId.has(id)) continue
      trial.differ(
        {
          message: `a range of a whole month ${expected ? 'left out a contact created in it' : 'returned a contact created beside it'}`,
          expected: `the contacts created from ${month.start} to ${month.end}, in a zone that explains ${day}`,
          received: `${expected ? 'not ' : ''}the contact ${id}, created ${one.contact.value.createdAt}`,
          exchange: found.exchange,
        },
        { operation: 'listContacts', id },
        'listContacts',
      )
    }
  })
}

/** Whether a contact was created in a month in each of some zones, give or take an hour of summer time; undefined where they differ. */
function isIn(
  { at }: Created,
  { start, end }: Required<Range>,
  offsets: readonly number[],
  ends: Ends | string,
): boolean | undefined {
  const first = dayOf(at.earliest + (Math.min(...offsets) - 1) * HOUR_MS)
  const last = dayOf(at.latest + (Math.max(...offsets) + 1) * HOUR_MS)
  if (last < start || first > end) return false
  // Whether the day at an end counts is open; where it does, it does in every range.
  const counted = typeof ends === 'string' ? { start: false, end: false } : ends
  const isInside = (counted.start ? first >= start : first > start) && (counted.end ? last <= end : last < end)
  return isInside ? true : undefined
}

/** A month of the longest and a shorter one in which contacts tell the most about the end. */
function tellingMonths(created: readonly Created[]): readonly Required<Range>[] {
  const days = new Set(created.map(shownDay))
  const months = [...new Set([...days].map((one) => one.slice(0, 7)))].map((month) => {
    const start = `${month}-01`
    const next = `${dayAfter(start, MOST_DAYS).slice(0, 7)}-01`
    const end = dayAfter(next, -1)
    const beyond = Array.from({ length: MOST_DAYS - Number(end.slice(8)) }, (_, index) => dayAfter(next, index))
    const told = [days.has(end), beyond.some((one) => days.has(one)), hasMate(days, month)]
    // Each tells more than all that come after it.
    return {
      range: { start, end },
      isLong: beyond.length === 0,
      told: told.reduce((sum, one) => sum * 2 + Number(one), 0),
    }
  })
  const best = months.filter(({ told }) => told > 0).toSorted((a, b) => b.told - a.told)
  return [best.find(({ isLong }) => isLong), best.find(({ isLong }) => !isLong)].flatMap((one) => one?.range ?? [])
}

/** Whether contacts were created in the same month of another year. */
function hasMate(days: ReadonlySet<string>, month: string): boolean {
  return [...days].some((one) => one.slice(5, 7) === month.slice(5) && !one.startsWith(month))
}
