import { HOUR_MS } from '../../../engine/time/instants.ts'
import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { understoodFormat } from './date-format-discovery.ts'
import { createdContacts, createdIn, dayOf, explainingOffsets, rangeQuery, type Created } from './date-ranges.ts'
import { foundOnDay } from './days.ts'
import { dayAmongOthers, mayBeAnEnd, oddOf } from './telling-days.ts'

/** A contact that was created as a day ended or began, and that day. */
interface Edge {
  readonly one: Created
  readonly day: string
}

/**
 * Where days are counted in another zone than UTC, other contacts were created last of a day, and first: a range of one day,
 * where such ranges find what the creation date of the day finds, finds them as well.
 */
export async function judgeZoneEdges(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  const busy = dayAmongOthers(trial, created)
  const onDay = busy === undefined ? undefined : await foundOnDay(trial, created, busy)
  if (!onDay?.complete) return
  const ofDay = async (day: string) =>
    trial.filtered('listContacts', rangeQuery({ start: day, end: day }, format), {
      wanted: createdIn(created, { start: day, end: day }),
      refusable: true,
    })
  const ofBusy = await ofDay(busy!)
  const isSame = ofBusy.byId.size === onDay.byId.size && [...onDay.byId.keys()].every((id) => ofBusy.byId.has(id))
  // What was created as the day began, a range that ends then finds too.
  const isWithin = onDay.records.some(({ value }) => !mayBeAnEnd(trial.instantOf(value.createdAt)))
  if (!isSame || !ofBusy.complete || !isWithin) return
  for (const { one, day } of await edgesOf(trial, created, explainingOffsets(created, onDay, busy!))) {
    const id = idOf(one.contact.value)!
    const [listing, found] = [await foundOnDay(trial, created, day), await ofDay(day)]
    if (!listing?.byId.has(id) || !found.exchange || !found.complete) continue
    trial.count('days')
    if (!found.byId.has(id))
      trial.differ(
        {
          message: 'a range of one day left out a contact that the creation date of that day finds',
          expected: `the contact ${id}, created ${one.contact.value.createdAt}, as a range of ${busy} finds all of its day`,
          received: `${found.records.length} other contact(s) for ${day}`,
          exchange: found.exchange,
        },
        { operation: 'listContacts', id },
        'listContacts',
      )
  }
}

/** The contacts created nearest to a midnight, before it and after it, by what creation dates find: each halves what is left. */
async function edgesOf(
  trial: Trial,
  created: readonly Created[],
  offsets: readonly number[],
): Promise<readonly Edge[]> {
  if (offsets.length < 2) return []
  const [west, east] = [Math.min(...offsets), Math.max(...offsets)]
  let undecided = oddOf(created)
    .filter(({ at }) => at.earliest === at.latest)
    .map((one) => {
      const [day, next] = [west, east].map((offset) => dayOf(one.at.earliest + offset * HOUR_MS)) as [string, string]
      return { one, day, next, sinceMidnight: one.at.earliest - Date.parse(next) }
    })
    .filter(({ day, next }) => day !== next)
    .toSorted((a, b) => a.sinceMidnight - b.sinceMidnight)
  const edges: { last?: Edge; first?: Edge } = {}
  while (undecided.length > 0) {
    const middle = undecided.length >> 1
    const { one, day, next } = undecided[middle]!
    const found = await foundOnDay(trial, created, day)
    if (!found?.complete) break
    // Whatever was created earlier before midnight, or less after it, is of its earlier day as well.
    const isOfDay = found.byId.has(idOf(one.contact.value)!)
    if (isOfDay) edges.last = { one, day }
    else edges.first = { one, day: next }
    undecided = isOfDay ? undecided.slice(middle + 1) : undecided.slice(0, middle)
  }
  return [edges.last, edges.first].flatMap((edge) => edge ?? [])
}
