import { DAY_MS, HOUR_MS } from '../../engine/instants.ts'
import { idOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { formatFor } from './date-format-discovery.ts'
import { createdContacts, dayOf, rangeQuery } from './date-ranges.ts'

/** Whether the days on which a range begins and ends count. */
export interface Ends {
  readonly start: boolean
  readonly end: boolean
}

/**
 * Told by contacts created in the middle of the first and of the last day, where no zone moves them to another; else it is
 * told what is missing.
 */
export async function endsOf(trial: Trial): Promise<Ends | string> {
  const { format } = await formatFor(trial, 'range')
  const created = await createdContacts(trial)
  const midday = created.filter(
    ({ at }) => at.earliest === at.latest && Math.abs((at.earliest % DAY_MS) - 12 * HOUR_MS) < 3 * HOUR_MS,
  )
  // The fewer were created between them, the fewer pages it takes.
  const pairs = midday.flatMap((first, index) => {
    const ahead = midday.findIndex(({ at }) => at.earliest - first.at.earliest >= 3 * DAY_MS)
    return ahead === -1 ? [] : [{ first, last: midday[ahead]!, between: ahead - index }]
  })
  const { first, last } = pairs.toSorted((a, b) => a.between - b.between)[0] ?? {}
  if (!first || !last) return 'Needs contacts created around midday, days apart.'
  const range = { start: dayOf(first.at.earliest), end: dayOf(last.at.earliest) }
  const ids = [first, last].map(({ contact }) => idOf(contact.value)!)
  const found = await trial.filtered('listContacts', rangeQuery(range, format), {
    wanted: new Set(ids),
    refusable: true,
  })
  if (!found.exchange) return 'Needs a target that accepts a range so long; this one refuses it.'
  return { start: found.byId.has(ids[0]!), end: found.byId.has(ids[1]!) }
}
