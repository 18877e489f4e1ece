import { DAY_MS, HOUR_MS } from '../../../engine/time/instants.ts'
import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { DateFormat } from '../../../engine/time/date-format.ts'
import { createdContacts, dayOf, explainingOffsets, rangeQuery, type Created } from './date-ranges.ts'
import { foundOnDay } from './days.ts'
import { dayAmongOthers } from './telling-days.ts'

/** Whether the days on which a range begins and ends count. */
export interface Ends {
  readonly start: boolean
  readonly end: boolean
}

/** Told by contacts created in the middle of the first and of the last day, in the target's zone; else it is told what is missing. */
export async function endsOf(trial: Trial, format: DateFormat): Promise<Ends | string> {
  const created = await createdContacts(trial)
  const { offsets } = await offsetsToldByADay(trial, created)
  // How many hours the target's days are ahead of UTC, halfway between what may be; none where days don't tell.
  const offset = offsets.length === 0 ? 0 : (Math.min(...offsets) + Math.max(...offsets)) / 2
  const localOf = ({ at }: Created): number => at.earliest + offset * HOUR_MS
  const midday = created.filter(
    (one) => one.at.earliest === one.at.latest && Math.abs((localOf(one) % DAY_MS) - 12 * HOUR_MS) < 3 * HOUR_MS,
  )
  // The fewer were created between them, the fewer pages it takes.
  const pairs = midday.flatMap((first, index) => {
    const ahead = midday.findIndex(({ at }) => at.earliest - first.at.earliest >= 3 * DAY_MS)
    return ahead === -1 ? [] : [{ first, last: midday[ahead]!, between: ahead - index }]
  })
  const { first, last } = pairs.toSorted((a, b) => a.between - b.between)[0] ?? {}
  if (!first || !last) return 'Needs contacts created around midday, days apart.'
  const range = { start: dayOf(localOf(first)), end: dayOf(localOf(last)) }
  const ids = [first, last].map(({ contact }) => idOf(contact.value)!)
  const found = await trial.filtered('listContacts', rangeQuery(range, format), {
    wanted: new Set(ids),
    refusable: true,
  })
  if (!found.exchange) return 'Needs a target that accepts a range so long; this one refuses it.'
  if (!found.complete && ids.some((id) => !found.byId.has(id))) return found.lacks ?? 'Needs the whole of a range.'
  return { start: found.byId.has(ids[0]!), end: found.byId.has(ids[1]!) }
}

/** How many hours the target's days may be ahead of UTC, by what a telling day finds; empty where none tells. */
export async function offsetsToldByADay(
  trial: Trial,
  created: readonly Created[],
): Promise<{ readonly day: string | undefined; readonly offsets: readonly number[] }> {
  const day = dayAmongOthers(trial, created)
  if (day === undefined) return { day, offsets: [] }
  const onDay = await foundOnDay(trial, created, day)
  return { day, offsets: onDay?.complete === true ? explainingOffsets(created, onDay, day) : [] }
}
