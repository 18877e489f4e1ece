import type { DateFormat } from '../../../engine/time/date-format.ts'
import type { Listing } from '../../../engine/data/listing.ts'
import { idOf, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { understoodFormat } from './date-format-discovery.ts'
import {
  certainlyIn,
  createdContacts,
  createdIn,
  creationsOf,
  dayAfter,
  judgeRange,
  rangeQuery,
  tooClose,
  type Contact,
  type Created,
  type Range,
} from './date-ranges.ts'
import { foundOnDay, judgeNeighbourhood, judgeOnce, lostOn, type FoundOn } from './days.ts'
import { createdOn, dayAmongOthers, edgeDays, mayBeAnEnd, monthEdges, oddOf } from './telling-days.ts'

/** Days that a range begins and ends on, apart: whether its ends are counted is open. */
const WIDTHS = [0, 1, 2]

/**
 * Ranges of one day, or of as many as it takes to find anything, leave no contact out between them: each is found by the
 * day of its creation in UTC, or by the one before or after.
 */
export async function judgeDayRanges(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  const days = [...new Set([...edgeDays(created), ...monthEdges(created)])]
  const busy = dayAmongOthers(trial, created)
  if (days.length === 0 && busy === undefined) tooClose(trial)
  const ofOneDay: FoundOn[] = []
  if (busy !== undefined) {
    await judgeBothEnds(trial, created, busy, format)
    ofOneDay.push(...(await judgeBeside(trial, created, busy, format)))
  }
  // Shown without a time, any of them may be an end: the widest ranges find it, whether their ends count or not.
  const odd = oddOf(created)
  for (const width of odd.some(({ at }) => mayBeAnEnd(at)) ? WIDTHS.slice(-1) : WIDTHS) {
    const look = (day: string): Promise<FoundOn> =>
      askForDays(trial, created, { start: day, end: dayAfter(day, width) }, format)
    const around = await trial.each(days, async (day) => {
      const own = await look(day)
      // A range of more days may begin after the day that it names, too.
      const steps = lostOn(created, own).length === 0 ? [] : [1, -1, -2, -3].slice(0, 2 + width)
      return [own, ...(await Promise.all(steps.map((step) => look(dayAfter(day, step)))))] as const
    })
    if (width === 0) ofOneDay.push(...around.flat())
    const finds = ({ contact }: Created): boolean =>
      around.flat().some(({ listing }) => listing.byId.has(idOf(contact.value)!))
    if (!odd.some(finds)) continue
    for (const near of around) {
      // Days long ago may be refused.
      if (near.some(({ listing }) => !listing.exchange)) continue
      trial.count('days')
      judgeNeighbourhood(trial, created, near, near[0], `a range of ${width + 1} day(s)`)
      if (width > 1 && format.wholeDay) await judgeShorter(trial, created, near[0], format)
    }
    break
  }
  if (format.wholeDay) judgeOnce(trial, ofOneDay, 'ranges of one day each')
  if (trial.examined['days']) return
  trial.notExercised(
    days.length === 0
      ? 'Needs several contacts created on one day, but not on a quarter of an hour, when a range may begin or end.'
      : 'Needs a target that finds contacts by a range of a few days.',
  )
}

/** Where a range of three days finds the first of them, its start counts; and one of two days finds it too, whether its end counts or not. */
async function judgeShorter(
  trial: Trial,
  created: readonly Created[],
  { day, listing: long }: FoundOn,
  format: DateFormat,
): Promise<void> {
  const onDay = await foundOnDay(trial, created, day)
  const { listing: short } = await askForDays(trial, created, { start: day, end: dayAfter(day, 1) }, format)
  const ofDay = onDay?.records.filter(({ value }) => !mayBeAnEnd(trial.instantOf(value.createdAt))) ?? []
  const isWhole = onDay?.complete && long.complete && short.complete
  const isIn = (found: typeof long) => (one: Contact) => found.byId.has(idOf(one.value) ?? '')
  if (!isWhole || ofDay.length === 0 || !ofDay.every(isIn(long)) || ofDay.some(isIn(short))) return
  trial.differ(
    {
      message: 'a range of two days found nothing of the first, which one of three days finds',
      expected: `the contact ${idOf(ofDay[0]!.value)}, created ${ofDay[0]!.value.createdAt}, as its day and a longer range find it`,
      received: `${short.records.length} contact(s) from ${day} to the day after`,
      exchange: short.exchange ?? ofDay[0]!.exchange,
    },
    'listContacts',
  )
}

/** Asks for a range of a few days: a range so short has an end, too. */
async function askForDays(
  trial: Trial,
  created: readonly Created[],
  range: Required<Range>,
  format: DateFormat,
): Promise<FoundOn> {
  const day = range.start
  const wanted = createdOn(created, day)
  const listing = await trial.filtered('listContacts', rangeQuery(range, format), { wanted, refusable: true })
  await judgeRange(trial, created, listing, range, 'a range of a few days')
  return { day, listing }
}

/** Whatever the ends of a range mean, it finds the contacts that its start finds alone and its end finds alone. */
async function judgeBothEnds(
  trial: Trial,
  created: readonly Created[],
  day: string,
  format: DateFormat,
): Promise<void> {
  const [since, until] = await Promise.all(
    [{ start: day }, { end: day }].map(async (range) => {
      const wanted = createdIn(created, range)
      const found = await trial.filtered('listContacts', rangeQuery(range, format), { wanted, refusable: true })
      // A target that takes both ends together may ignore one alone.
      const selects = created.every(
        (one) => certainlyIn(one, range) !== false || !found.byId.has(idOf(one.contact.value)!),
      )
      return selects ? found : undefined
    }),
  )
  if (!since || !until) return
  const odd = new Set(oddOf(created).map(({ contact }) => idOf(contact.value)))
  const inBoth = since.records.filter(({ value }) => odd.has(idOf(value)) && until.byId.has(idOf(value) ?? ''))
  if (inBoth.length === 0) return
  const { listing: together } = await askForDays(trial, created, { start: day, end: day }, format)
  if (!together.exchange || !together.complete) return
  trial.count('days')
  for (const { value } of inBoth)
    if (!together.byId.has(idOf(value)!))
      trial.differ(
        {
          message: 'a range of one day left out a contact that its start and its end find alone',
          expected: `the contact ${idOf(value)}, created ${value.createdAt}`,
          received: `${together.records.length} other contact(s) for ${day}`,
          exchange: together.exchange,
        },
        { operation: 'listContacts', id: idOf(value) },
        'listContacts',
      )
}

/** A range that ends before a day, or begins after it, does not reach into that day for an hour. */
async function judgeBeside(
  trial: Trial,
  created: readonly Created[],
  day: string,
  format: DateFormat,
): Promise<readonly FoundOn[]> {
  const onDay = format.wholeDay ? await foundOnDay(trial, created, day) : undefined
  if (!onDay) return []
  return trial.each([-1, 1], async (step) => {
    const beside = dayAfter(day, step)
    const found = await askForDays(trial, created, { start: beside, end: beside }, format)
    judgeUndivided(trial, onDay, found.listing, `a range of the day ${step < 0 ? 'before' : 'after'}`)
    return found
  })
}

/**
 * Whether the day at an end of a range counts is open, but the contacts of that day are all in it or all outside.
 * @returns which of the two, where it is told.
 * @param withEnds whether the range ends elsewhere, so that no instant of the day may be its end.
 */
export function judgeUndivided(
  trial: Trial,
  onDay: Listing<Schemas['Contact']>,
  found: Listing<Schemas['Contact']>,
  what: string,
  { withEnds = false } = {},
): boolean | undefined {
  if (!onDay.complete || !found.complete) return undefined
  const known = onDay.records.filter(({ value }) => withEnds || !mayBeAnEnd(trial.instantOf(value.createdAt)))
  const inside = known.filter(({ value }) => found.byId.has(idOf(value) ?? ''))
  const outside = known.filter((one) => !inside.includes(one))
  trial.count('contacts of its day', known.length)
  if (known.length === 0) return undefined
  if (inside.length === 0 || outside.length === 0) return outside.length === 0
  const [lost] = outside
  trial.differ(
    {
      message: `${what} divided the contacts that the creation date of its day finds`,
      expected: `the contact ${idOf(lost!.value)}, created ${lost!.value.createdAt}, as well as the others of that day, or none of them`,
      received: creationsOf(
        trial,
        inside.map(({ value }) => value),
      ),
      exchange: found.exchange ?? lost!.exchange,
    },
    'listContacts',
  )
  return undefined
}
