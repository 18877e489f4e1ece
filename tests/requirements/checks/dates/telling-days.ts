import { grouped } from '../../../engine/data/grouped.ts'
import { DAY_MS, daySpan, type Instant } from '../../../engine/time/instants.ts'
import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { certainlyIn, dayAfter, dayOf, shownInstant, type Created } from './date-ranges.ts'

/** Days that are tried at least, where there are so many. */
const DAYS_TRIED = 3

/** An instant so round may be the end of a range itself, and so may the second before it. */
const ROUND_MS = 15 * 60_000
const SECOND_MS = 1000

export interface TellingDay {
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
  const byDay = new Map(grouped(created, shownDay))
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

/** A day on which, in whatever zone, no contact was created. */
export function emptyDay(created: readonly Created[]): string | undefined {
  const isEmpty = isWithout(created)
  const days = new Set(created.map(({ at }) => dayOf(at.earliest)))
  // Compared as a text that has lost the zero at its end, such a day begins like others.
  const tens = new Set([...days].map((one) => `${one.slice(0, -1)}0`))
  return (
    [...tens].find((one) => begins(one, one.slice(0, -1), days) && isEmpty(one)) ??
    created.map(({ at }) => dayAfter(dayOf(at.latest), 2)).find(isEmpty)
  )
}

/** A day of another year than contacts were created on, and on which none was, in whatever zone: the year may be lost. */
export function emptyAnniversary(created: readonly Created[]): string | undefined {
  const isEmpty = isWithout(created)
  const days = [...new Set(created.map(shownDay))].filter((day) => !day.endsWith('-02-29'))
  return days
    .flatMap((day) => [-1, 1].map((years) => `${Number(day.slice(0, 4)) + years}${day.slice(4)}`))
    .find(isEmpty)
}

/** Whether it is certain of a day, in whatever zone, that no contact was created on it. */
function isWithout(created: readonly Created[]): (day: string) => boolean {
  return (day) => created.every((one) => certainlyIn(one, { start: day, end: day }) === false)
}

/** The days, of those with several contacts, on which one was created last of the day, and first. */
export function edgeDays(created: readonly Created[]): readonly string[] {
  const busy = grouped(oddOf(created), shownDay).flatMap(([, onDay]) => (onDay.length > 1 ? onDay : []))
  const byTime = busy.toSorted((a, b) => (shownInstant(a) % DAY_MS) - (shownInstant(b) % DAY_MS))
  return [...new Set([byTime.at(-1), byTime[0]].flatMap((one) => (one ? [shownDay(one)] : [])))]
}

/** The last day of a year or of a longer month, that of a shorter one, and the first of one, with a contact on each. */
export function monthEdges(created: readonly Created[]): readonly string[] {
  const days = oddOf(created).map(shownDay)
  const lasts = days.filter((day) => endsWith(day) > 0).toSorted((a, b) => endsWith(a) - endsWith(b))
  const first = days.find((day) => day.endsWith('-01'))
  return [lasts.at(-1), lasts[0], first].flatMap((day) => day ?? [])
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

/** What to say when asking for a day: whom it is to find; where that is nobody, a target may say so by its status. */
export function findingOn(
  created: readonly Created[],
  day: string,
): { readonly wanted: ReadonlySet<string>; readonly refusable?: 'as not found' } {
  const wanted = createdOn(created, day)
  return { wanted, ...(wanted.size === 0 && { refusable: 'as not found' }) }
}

/** The contacts that are no end of a range themselves; all of them, where all show the same time of day, or none. */
export function oddOf(created: readonly Created[]): readonly Created[] {
  const times = new Set(created.map(({ at }) => at.earliest % DAY_MS))
  return times.size === 1 ? created : created.filter(({ at }) => !mayBeAnEnd(at))
}

/** Whether a range may begin or end just then, where times are told to the second. */
export function mayBeAnEnd(at: Instant | undefined): boolean {
  if (at === undefined) return true
  return at.earliest % SECOND_MS === 0 && (at.earliest + SECOND_MS) % ROUND_MS <= SECOND_MS
}
