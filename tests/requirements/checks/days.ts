import type { DateFormat } from '../../engine/date-format.ts'
import { DAY_MS, daySpan, type Instant } from '../../engine/instants.ts'
import { grouped } from '../../engine/grouped.ts'
import type { Listing } from '../../engine/listing.ts'
import { idOf, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { formatFor, understoodFormat } from './date-format-discovery.ts'
import {
  certainlyIn,
  createdContacts,
  createdIn,
  creationsOf,
  dayAfter,
  dayOf,
  explainingOffsets,
  judgeRange,
  rangeQuery,
  shownInstant,
  tooClose,
  type Contact,
  type Created,
  type Range,
} from './date-ranges.ts'
import { judgeWithoutNumber } from './matching.ts'
import { judgeServerError } from './server-error.ts'

/** Days that are tried at least, where there are so many. */
const DAYS_TRIED = 3

/**
 * Days are counted in some zone: one that explains every answer, give or take the hour that clocks are put forward. In
 * every zone a contact is created on some day: the day of its creation in UTC, the one before or the one after.
 * @param most how many days are asked for, besides those before and after them: all that tell something.
 * @param known the format of the date, where it need not be learned.
 */
export async function judgeDays(trial: Trial, most = Infinity, known?: DateFormat): Promise<void> {
  const format = known ?? (await understoodFormat(trial, 'date'))
  const created = await createdContacts(trial)
  const days = tellingDays(trial, created).slice(0, most)
  if (days.length === 0) tooClose(trial)
  const look = async ({ day, instant }: TellingDay): Promise<FoundOn> => {
    const query = { date: format.write(format.wholeDay ? Date.parse(day) : instant) }
    const listing = await trial.filtered('listContacts', query, { wanted: createdOn(created, day) })
    trial.count('days')
    await judgeRange(trial, created, listing, { start: day, end: day }, 'a creation date')
    return { day, listing }
  }
  const found = await Promise.all(days.map(look))
  if (most === Infinity) await judgeEmptyDay(trial, created, format)
  const [busiest] = days
  const busy = { date: format.write(format.wholeDay ? Date.parse(busiest!.day) : busiest!.instant) }
  await judgeWithoutNumber(trial, 'listContacts', busy, found[0]!.listing)
  if (!format.wholeDay) return judgeInstants(trial, created, found, () => Promise.all(neighbours(days).map(look)))
  const [edge] = edgeDays(created)
  const isTried = (day: string, index: number): boolean =>
    index === 0 || day === edge || lostOn(created, found[index]!).length > 0
  const around = neighbours(days.filter(({ day }, index) => isTried(day, index)))
  const near = [
    ...found,
    ...(await Promise.all(around.filter(({ day }) => !days.some((one) => one.day === day)).map(look))),
  ]
  for (const one of found) {
    const around = near.filter(({ day }) => Math.abs(Date.parse(day) - Date.parse(one.day)) <= DAY_MS)
    judgeNeighbourhood(trial, created, around, one)
  }
  judgeOnce(trial, near)
  judgeZones(trial, created, near)
}

/** A day on which, in whatever zone, no contact was created. */
export function emptyDay(created: readonly Created[]): string | undefined {
  const isEmpty = (day: string): boolean => created.every((one) => certainlyIn(one, { start: day, end: day }) === false)
  const days = new Set(created.map(({ at }) => dayOf(at.earliest)))
  // Compared as a text that has lost the zero at its end, such a day begins like others.
  const tens = new Set([...days].map((one) => `${one.slice(0, -1)}0`))
  return (
    [...tens].find((one) => begins(one, one.slice(0, -1), days) && isEmpty(one)) ??
    created.map(({ at }) => dayAfter(dayOf(at.latest), 2)).find(isEmpty)
  )
}

/** It finds none. */
async function judgeEmptyDay(trial: Trial, created: readonly Created[], format: DateFormat): Promise<void> {
  const day = emptyDay(created)
  if (day === undefined) return
  const query = { date: format.write(Date.parse(day)) }
  const listing = await trial.filtered('listContacts', query, { refusable: true })
  judgeServerError(trial, listing, 'a creation date on which no contact was created')
  await judgeRange(trial, created, listing, { start: day, end: day }, 'a creation date')
}

/** Days that a range begins and ends on, apart: whether its ends are counted is open. */
const WIDTHS = [0, 1, 2]
/** An instant so round may be the end of a range itself, and so may the second before it. */
const ROUND_MS = 15 * 60_000
const SECOND_MS = 1000

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

/** What a creation date finds for a day; undefined where it names no days, or isn't understood. */
export async function foundOnDay(
  trial: Trial,
  created: readonly Created[],
  day: string,
): Promise<Listing<Schemas['Contact']> | undefined> {
  const { format, effect } = await formatFor(trial, 'date')
  if (effect !== 'understood' || !format.wholeDay) return undefined
  const query = { date: format.write(Date.parse(day)) }
  return trial.filtered('listContacts', query, { wanted: createdOn(created, day), refusable: true })
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

/** Whether a range may begin or end just then, where times are told to the second. */
function mayBeAnEnd(at: Instant | undefined): boolean {
  if (at === undefined) return true
  return at.earliest % SECOND_MS === 0 && (at.earliest + SECOND_MS) % ROUND_MS <= SECOND_MS
}

/** The contacts that are no end of a range themselves; all of them, where all show the same time of day, or none. */
export function oddOf(created: readonly Created[]): readonly Created[] {
  const times = new Set(created.map(({ at }) => at.earliest % DAY_MS))
  return times.size === 1 ? created : created.filter(({ at }) => !mayBeAnEnd(at))
}

/** The days, of those with several contacts, on which one was created last of the day, and first. */
function edgeDays(created: readonly Created[]): readonly string[] {
  const busy = grouped(oddOf(created), shownDay).flatMap(([, onDay]) => (onDay.length > 1 ? onDay : []))
  const byTime = busy.toSorted((a, b) => (shownInstant(a) % DAY_MS) - (shownInstant(b) % DAY_MS))
  return [...new Set([byTime.at(-1), byTime[0]].flatMap((one) => (one ? [shownDay(one)] : [])))]
}

/** The last day of a year or of a longer month, that of a shorter one, and the first of one, with a contact on each. */
function monthEdges(created: readonly Created[]): readonly string[] {
  const days = oddOf(created).map(shownDay)
  const lasts = days.filter((day) => endsWith(day) > 0).toSorted((a, b) => endsWith(a) - endsWith(b))
  const first = days.find((day) => day.endsWith('-01'))
  return [lasts.at(-1), lasts[0], first].flatMap((day) => day ?? [])
}

/** Asks for the most telling day; undefined where there is none, or no date is understood. */
export async function queryOfADay(trial: Trial): Promise<Record<string, string> | undefined> {
  const { format, effect } = await formatFor(trial, 'date')
  const [telling] = tellingDays(trial, await createdContacts(trial))
  if (effect !== 'understood' || !telling) return undefined
  return { date: format.write(format.wholeDay ? Date.parse(telling.day) : telling.instant) }
}

/** Asks for the day on which a contact was created, and for a range around it, as far as such are understood. */
export async function queriesOfCreation(trial: Trial, { value }: Contact): Promise<Record<string, string>[]> {
  const at = trial.instantOf(value.createdAt)
  if (!at) return []
  const [ofDay, ofRange] = [await formatFor(trial, 'date'), await formatFor(trial, 'range')]
  const { wholeDay, write } = ofDay.format
  const day = dayOf(at.earliest)
  const range = { start: dayAfter(day, -2), end: dayAfter(dayOf(at.latest), 2) }
  return [
    ...(ofDay.effect === 'understood' ? [{ date: write(wholeDay ? Date.parse(day) : at.earliest) }] : []),
    ...(ofRange.effect === 'understood' ? [rangeQuery(range, ofRange.format)] : []),
  ]
}

interface FoundOn {
  readonly day: string
  readonly listing: Listing<Schemas['Contact']>
}

/** The days before and after some days. */
function neighbours(days: readonly TellingDay[]): readonly TellingDay[] {
  const around = days.flatMap(({ day, instant }) =>
    [-DAY_MS, DAY_MS].map((step) => ({ day: dayOf(Date.parse(day) + step), instant: instant + step })),
  )
  return [...new Map(around.map((one) => [one.day, one])).values()]
}

/** The day of a creation as it is shown: in UTC or, where it comes without a zone, in the target's own. */
export function shownDay(one: Created): string {
  return dayOf(shownInstant(one))
}

/** Whether a contact was created as its day began, as it is shown. */
export function isAtMidnight(one: Created): boolean {
  return shownInstant(one) % DAY_MS === 0
}

/**
 * The day before, where one contact was created as a day began and others later on it: what ends with the day before must
 * not bring the one.
 */
export function eveOf(created: readonly Created[], day: string | undefined): string | undefined {
  const onDay = created.filter((one) => shownDay(one) === day)
  return onDay.some(isAtMidnight) && !onDay.every(isAtMidnight) ? dayAfter(day!, -1) : undefined
}

/** The contacts that were created on a day as it is shown, by id. */
export function createdOn(created: readonly Created[], day: string): ReadonlySet<string> {
  return new Set(created.filter((one) => shownDay(one) === day).map(({ contact }) => idOf(contact.value)!))
}

/** The contacts that were created on a day and are not found by it. */
function lostOn(created: readonly Created[], { day, listing }: FoundOn): readonly Created[] {
  return created.filter((one) => shownDay(one) === day && !listing.byId.has(idOf(one.contact.value)!))
}

/** What a day does not find, the day before or the day after does. */
function judgeNeighbourhood(
  trial: Trial,
  created: readonly Created[],
  around: readonly FoundOn[],
  on: FoundOn,
  what = 'the day',
): void {
  if (around.some(({ listing }) => !listing.complete)) return
  for (const { contact } of lostOn(created, on)) {
    const id = idOf(contact.value)
    if (around.some(({ listing }) => listing.byId.has(id!))) continue
    trial.differ(
      {
        message: `a contact is found neither by ${what} of its creation nor by the one before or after`,
        expected: `the contact ${id}, created ${contact.value.createdAt}`,
        received: around.map((one) => `${one.listing.records.length} on ${one.day}`).join(', '),
        exchange: on.listing.exchange ?? contact.exchange,
      },
      { operation: 'listContacts', id },
      'listContacts',
    )
  }
}

/** A contact was created on one day, in whatever zone: midnight does not belong to the day before as well. */
function judgeOnce(trial: Trial, found: readonly FoundOn[], what = 'creation dates'): void {
  const dayOfContact = new Map<string, string>()
  for (const { day, listing } of found)
    for (const [id, { value, exchange }] of listing.byId) {
      const other = dayOfContact.get(id)
      if (other === undefined) dayOfContact.set(id, day)
      else if (other !== day)
        trial.differ(
          {
            message: `a contact was returned for two ${what}`,
            expected: `the contact ${id}, created ${value.createdAt}, for one of ${other} and ${day}`,
            received: 'the contact for both',
            exchange,
          },
          { operation: 'listContacts', id },
          'listContacts',
        )
    }
}

/**
 * A caller that asks for an instant at which a contact was created asks for that contact, or for its day.
 * @param around asks for instants a day before and after: in whatever zone days are counted, one of them finds something.
 */
async function judgeInstants(
  trial: Trial,
  created: readonly Created[],
  found: readonly FoundOn[],
  around: () => Promise<readonly FoundOn[]>,
): Promise<void> {
  const isExact = created.every(({ at }) => at.earliest === at.latest)
  const findsNothing = (some: readonly FoundOn[]): boolean => some.every(({ listing }) => listing.records.length === 0)
  if (!isExact || !findsNothing(found) || !findsNothing(await around())) return
  trial.differ(
    {
      message: 'no date finds a contact, not even the instant at which one was created',
      expected: 'the contacts created then, or on that day',
      received: `no contact for ${found.length} dates`,
      exchange: found[0]?.listing.exchange ?? created[0]!.contact.exchange,
    },
    'listContacts',
  )
}

function judgeZones(trial: Trial, created: readonly Created[], found: readonly FoundOn[]): void {
  const answers = found
    .filter(({ listing }) => listing.complete)
    .map((one) => ({ ...one, offsets: explainingOffsets(created, one.listing, one.day) }))
  const fits = (offset: number): boolean =>
    answers.every(({ offsets }) => offsets.some((other) => Math.abs(other - offset) <= 1))
  if (answers.length === 0 || answers.some(({ offsets }) => offsets.some(fits))) return
  const worst = answers.find(({ offsets }) => offsets.length === 0) ?? answers[0]!
  trial.differ(
    {
      message: 'no time zone explains which contacts were returned for a creation date',
      expected: `the contacts created on ${worst.day} in one zone or another`,
      received: creationsOf(
        trial,
        worst.listing.records.map(({ value }) => value),
      ),
      exchange: worst.listing.exchange ?? created[0]!.contact.exchange,
    },
    'listContacts',
  )
}

interface TellingDay {
  readonly day: string
  /** When a contact was created on it. */
  readonly instant: number
}

/**
 * Days on which wrong answers show, the most telling first: many contacts, others in the same month; then one that,
 * written without padding, begins like another; one at a day's edge, one on a day with which a month ends, and those that tell
 * the creation from the last change.
 */
export function tellingDays(trial: Trial, created: readonly Created[]): TellingDay[] {
  const byDay = new Map<string, Created[]>()
  for (const one of created) {
    const day = shownDay(one)
    const on = byDay.get(day)
    if (on) on.push(one)
    else byDay.set(day, [one])
  }
  const candidates = [...byDay].filter(([day]) =>
    created.some(({ at }) => at.latest < daySpan(day).earliest || at.earliest > daySpan(day).latest),
  )
  const inMonth = new Map<string, number>()
  for (const [day, on] of byDay) inMonth.set(day.slice(0, 7), (inMonth.get(day.slice(0, 7)) ?? 0) + on.length)
  const monthMates = (day: string): number => inMonth.get(day.slice(0, 7))!
  const ranked = candidates.toSorted(
    ([a, onA], [b, onB]) => onB.length * 10 + monthMates(b) - (onA.length * 10 + monthMates(a)),
  )
  // Compared as a text without padding, a day below ten may begin like others.
  const isLikeOthers = ([day]: (typeof ranked)[number]): boolean => {
    return day.at(-2) === '0' && begins(day, `${day.slice(0, -2)}${day.at(-1)}`, byDay)
  }
  const second = ranked.slice(1).find(isLikeOthers) ?? ranked[1]
  const first = [...ranked.slice(0, 1), ...(second ? [second] : [])]
  const [edge] = edgeDays(created)
  const rest = trial.random.helpers.shuffle(ranked.filter((one) => !first.includes(one)))
  const atEdge = rest.filter(([day]) => day === edge)
  const atEnd = rest.filter(([day]) => endsWith(day) > 0).toSorted(([a], [b]) => endsWith(b) - endsWith(a))
  const usual = [...first, ...atEdge, ...atEnd.slice(0, 1)]
  const isUsual = (one: Created): boolean => usual.some(([day]) => day === shownDay(one))
  const changed = daysOfChanges(trial, created, isUsual)
  const special = new Set([...usual, ...rest.filter(([day]) => changed.includes(day))])
  return [...new Set([...special, ...rest])]
    .slice(0, Math.max(DAYS_TRIED, special.size))
    .map(([day, on]) => ({ day, instant: shownInstant(on[0]!) }))
}

/**
 * Days that tell dates of creation from those of the last change, where the usual ones may not: one with a contact that was changed
 * days later or, where there is none, two that no time zone explains together: the one with the earliest that was changed on a
 * later day, and the one with the latest that was changed on the same.
 */
function daysOfChanges(
  trial: Trial,
  created: readonly Created[],
  isUsual: (one: Created) => boolean,
): readonly string[] {
  const daysLater = (one: Created): number | undefined => {
    const changedAt = trial.instantOf(one.contact.value.updatedAt)
    return changedAt && (Date.parse(dayOf(changedAt.earliest)) - Date.parse(dayOf(one.at.earliest))) / DAY_MS
  }
  const longAfter = created.filter((one) => (daysLater(one) ?? 0) > 1)
  if (longAfter.some(isUsual)) return []
  if (longAfter[0]) return [shownDay(longAfter[0])]
  const byTime = created.toSorted((a, b) => (a.at.earliest % DAY_MS) - (b.at.earliest % DAY_MS))
  const [later, same] = [byTime.find((one) => daysLater(one) === 1), byTime.findLast((one) => daysLater(one) === 0)]
  return later && same ? [shownDay(later), shownDay(same)] : []
}

/** Whether a text that a day may be taken for begins some of several days that are further off than the next. */
function begins(day: string, text: string, days: { has(day: string): boolean }): boolean {
  return Array.from({ length: 10 }, (_, digit) => `${text}${digit}`).some(
    (one) => days.has(one) && Math.abs(Date.parse(one) - Date.parse(day)) > 2 * DAY_MS,
  )
}

/** How much ends with a day, as far as its end may be computed wrongly: nothing, a month, one of 31 days, a year. */
function endsWith(day: string): number {
  const next = dayAfter(day, 1)
  if (!next.endsWith('-01')) return 0
  if (!day.endsWith('-31')) return 1
  return next.endsWith('-01-01') ? 3 : 2
}

/** The most telling of the days that contacts were created before and after for certain. */
export function dayAmongOthers(trial: Trial, created: readonly Created[]): string | undefined {
  return tellingDays(trial, created).find(({ day }) =>
    [{ start: day }, { end: day }].every((side) => created.some((one) => certainlyIn(one, side) === false)),
  )?.day
}
