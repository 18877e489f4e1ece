import type { DateFormat } from '../../engine/date-format.ts'
import type { Listing } from '../../engine/listing.ts'
import { idOf, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { understoodFormat } from './date-format-discovery.ts'
import {
  certainlyIn,
  createdContacts,
  createdIn,
  dayAfter,
  dayOf,
  judgeRange,
  rangeQuery,
  type Created,
  type Range,
} from './date-ranges.ts'
import { eveOf, foundOnDay, judgeUndivided } from './days.ts'
import { everySearchable } from './searchable.ts'

/**
 * One end alone may be ignored or refused by a target that takes both together, which one that heeds the other end alone
 * does not; where it selects, it selects rightly.
 * @param day the day of that end, where contacts were created on it.
 */
export async function judgeSingleEnd(trial: Trial, range: Range, day?: string): Promise<void> {
  const names = ['a start date alone', 'an end date alone'] as const
  const [what, otherEnd] = range.start === undefined ? ([names[1], names[0]] as const) : names
  const format = await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  const onDay = day !== undefined && format.wholeDay ? await foundOnDay(trial, created, day) : undefined
  const found = await trial.filtered('listContacts', rangeQuery(range, format), {
    wanted: new Set([...createdIn(created, range), ...(onDay?.byId.keys() ?? [])]),
    refusable: true,
  })
  if (!found.exchange) return trial.notExercised(`Needs a target that accepts ${what}; this one refuses it.`)
  if (!isHeeded(created, range, found)) {
    const other = range.start === undefined ? { start: range.end! } : { end: range.start }
    if (found.records.length === 0 || !(await isHeededAlone(trial, created, other)))
      trial.notExercised(`Needs a target that heeds ${what}; this one takes both ends together.`)
    return trial.differ(
      {
        message: `${what} is ignored, though ${otherEnd} is heeded`,
        expected: 'the contacts created in that time, and no others',
        received: `${found.records.length} contacts, created before and after`,
        exchange: found.exchange,
      },
      { everythingIn: 'listContacts' },
    )
  }
  await judgeRange(trial, created, found, range, what)
  if (onDay) judgeUndivided(trial, onDay, found, what)
  const eve = range.end === undefined ? undefined : eveOf(created, day)
  if (onDay && eve !== undefined) await judgeUpToEve(trial, { end: eve }, onDay, format, what)
  await judgeFarEnd(trial, range.start === undefined ? 'end' : 'start', format, what)
}

/** What ends with the day before brings none of a day's contacts, not even one that was created as the day began. */
export async function judgeUpToEve(
  trial: Trial,
  range: Range,
  onDay: Listing<Schemas['Contact']>,
  format: DateFormat,
  what: string,
): Promise<Listing<Schemas['Contact']>> {
  const created = await createdContacts(trial)
  const wanted = createdIn(created, range)
  const found = await trial.filtered('listContacts', rangeQuery(range, format), { wanted, refusable: true })
  // A target that takes both ends together may ignore one alone.
  if (!isHeeded(created, range, found)) return found
  await judgeRange(trial, created, found, range, what)
  judgeUndivided(trial, onDay, found, `${what}, of the day before,`, { withEnds: true })
  return found
}

/**
 * The other end is open, however far it is: a start date finds the newest contact, and an end date the oldest, by whose name
 * they are searched for.
 */
async function judgeFarEnd(trial: Trial, end: 'start' | 'end', format: DateFormat, what: string): Promise<void> {
  const contacts = (await everySearchable(trial, 'listContacts', 'any'))
    .flatMap(({ record: { value }, texts }) => {
      const at = trial.instantOf(value.createdAt)
      return at ? [{ id: idOf(value)!, text: texts[0]!, at }] : []
    })
    .toSorted((a, b) => a.at.earliest - b.at.earliest)
  const [oldest, newest] = [contacts[0], contacts.at(-1)]
  if (!oldest || !newest) return
  const range = end === 'start' ? { start: dayOf(oldest.at.earliest) } : { end: dayAfter(dayOf(newest.at.latest), 1) }
  const sought = end === 'start' ? newest : oldest
  if (certainlyIn(sought, range) !== true) return
  const { id } = sought
  const wanted = new Set([id])
  const both = await trial.searched('listContacts', sought.text, rangeQuery(range, format), { wanted })
  if (!both.exchange || !both.complete || both.byId.has(id)) return
  const alone = await trial.searched('listContacts', sought.text, {}, { wanted })
  if (alone.byId.has(id))
    trial.differ(
      {
        message: `${what} left out the ${end === 'start' ? 'newest contact, created since' : 'oldest contact, created before'}`,
        expected: `the contact ${id}`,
        received: `${both.records.length} other contact(s)`,
        exchange: both.exchange,
      },
      { operation: 'listContacts', id },
      'listContacts',
    )
}

/** A target that takes both ends together may find nothing for one, or everything, but for what came or went meanwhile. */
function isHeeded(created: readonly Created[], range: Range, found: Listing<Schemas['Contact']>): boolean {
  const findsMost = [true, false].every((inside) => {
    const side = created.filter((one) => certainlyIn(one, range) === inside)
    return side.filter(({ contact }) => found.byId.has(idOf(contact.value)!)).length * 2 > side.length
  })
  return found.records.length > 0 && !findsMost
}

export async function isHeededAlone(trial: Trial, created: readonly Created[], end: Range): Promise<boolean> {
  const query = rangeQuery(end, await understoodFormat(trial, 'range'))
  const wanted = createdIn(created, end)
  const found = await trial.filtered('listContacts', query, { wanted, refusable: true })
  return found.exchange !== undefined && isHeeded(created, end, found)
}
