import { DAY_MS, daySpan, EAST_MS, HOUR_MS, WEST_MS, type Instant } from '../../../engine/time/instants.ts'
import type { Listing } from '../../../engine/data/listing.ts'
import { idOf, isObject, type Located, type Schemas } from '../../../engine/data/records.ts'
import { orElse } from '../../../engine/or-else.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { LISTS } from '../../operations.ts'
import { judgeRepeated, orderOf } from '../filters/matching.ts'
import type { DateFormat } from '../../../engine/time/date-format.ts'

/** Shares of all contacts, oldest first, in which there may be more than a page; the first is asked for in any case. */
const LONG = [
  [0.3, 0.7],
  [0.1, 0.6],
  [0.2, 0.9],
  [0.02, 0.98],
  [0, 0.25],
] as const

/** Shares of all contacts, oldest first: where few days were busy, only the ends tell contacts apart. */
export const FIRST = [0, 0.25] as const
export const LAST = [0.75, 1] as const

export type Contact = Located<Schemas['Contact']>

/** A contact whose creation can be read. */
export interface Created {
  readonly contact: Contact
  readonly at: Instant
}

/** When a contact was created as it is shown: in UTC or, where it comes without a zone, in the target's own. */
export function shownInstant({ at }: Pick<Created, 'at'>): number {
  return at.earliest === at.latest ? at.earliest : at.earliest + EAST_MS
}

/** Days between which to look, YYYY-MM-DD; either may be open. */
export interface Range {
  readonly start?: string
  readonly end?: string
}

/** The contacts whose creation can be read, oldest first. */
export function createdContacts(trial: Trial): Promise<Created[]> {
  return trial.session.remember('created contacts', async () => {
    const { records } = await trial.list('listContacts')
    // How timestamps are written, other records may tell where contacts don't.
    if (!records.some(({ value }) => trial.instantOf(value.createdAt)))
      await trial.each(LISTS, (operation) => orElse(trial.list(operation), undefined))
    const created = records.flatMap((contact) => {
      const at = trial.instantOf(contact.value.createdAt)
      return at && idOf(contact.value) !== undefined ? [{ contact, at }] : []
    })
    if (created.length < 2)
      trial.notExercised(`Needs two contacts whose createdAt can be read; ${created.length} of ${records.length} can.`)
    return created.toSorted((a, b) => a.at.earliest - b.at.earliest)
  })
}

/**
 * The first and last day of a stretch of the contacts' creation, given as shares of the whole. The days lie as close to
 * a contact as they can while it is still inside for certain, so that a day too many cut off shows.
 */
export function stretch(created: readonly Created[], from: number, to: number): Required<Range> {
  const at = (share: number): Instant => created[Math.floor(share * (created.length - 1))]!.at
  return {
    start: dayOf(at(from).earliest - DAY_MS - WEST_MS - 1),
    end: dayOf(at(to).latest + EAST_MS + DAY_MS),
  }
}

/**
 * The first and last day of a range, if any, that begins a day after a contact created early in the day before, and
 * ends a day before one created late in the day after: a day too many brings one of them, in whatever zone. Where there
 * is one with contacts on both sides of a New Year, the closest to it: some ends are reckoned within their year.
 */
export function closeRange(created: readonly Created[]): readonly Required<Range>[] {
  const starts = created
    .flatMap(({ at }) => {
      const start = dayOf(at.latest + DAY_MS)
      return at.latest < daySpan(start).earliest ? [start] : []
    })
    .toSorted()
  const ends = created
    .flatMap(({ at }) => {
      const end = dayOf(at.earliest - DAY_MS)
      return at.earliest > daySpan(end).latest ? [end] : []
    })
    .toSorted()
  const overNewYear = [...new Set(ends.map((end) => end.slice(0, 4)))].flatMap((year) => {
    const [eve, newYear] = [`${Number(year) - 1}-12-31`, `${year}-01-01`]
    // One look at all contacts, of which there may be very many, tells what each day would.
    let [lastBefore, firstAfter] = [-Infinity, Infinity]
    for (const { at } of created) {
      if (at.latest < daySpan(newYear).earliest) lastBefore = Math.max(lastBefore, at.earliest)
      if (at.earliest > daySpan(eve).latest) firstAfter = Math.min(firstAfter, at.latest)
    }
    const start = [...new Set(starts)].findLast((one) => one < eve && lastBefore > daySpan(one).latest)
    const end = [...new Set(ends)].find((one) => one > newYear && firstAfter < daySpan(one).earliest)
    return start !== undefined && end !== undefined ? [{ start, end }] : []
  })
  const start = starts.at(Math.floor(starts.length * 0.4))
  const end = ends.at(Math.floor(ends.length * 0.6))
  if (overNewYear[0]) return overNewYear.slice(0, 1)
  if (start === undefined || end === undefined) return []
  return created.some((one) => certainlyIn(one, { start, end }) === true) ? [{ start, end }] : []
}

export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}

export function dayAfter(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS)
}

/**
 * The range up to the next 31st, where contacts were created after that for certain: a day that ends where its number
 * is counted up, and not the day, has no end there.
 */
function toThe31st(created: readonly Created[], { start, end }: Required<Range>): Required<Range> {
  let last = end
  while (!last.endsWith('-31')) last = dayAfter(last, 1)
  return { start, end: created.some((one) => certainlyIn(one, { end: last }) === false) ? last : end }
}

/** Whether a creation lies in a range however its ends and its zone are counted; undefined where that decides. */
export function certainlyIn({ at }: Pick<Created, 'at'>, { start, end }: Range): boolean | undefined {
  const afterStart = start === undefined || at.earliest > daySpan(start).latest
  const beforeEnd = end === undefined || at.latest < daySpan(end).earliest
  if (afterStart && beforeEnd) return true
  const beforeStart = start !== undefined && at.latest < daySpan(start).earliest
  const afterEnd = end !== undefined && at.earliest > daySpan(end).latest
  return beforeStart || afterEnd ? false : undefined
}

/** The contacts that were certainly created in a range, by id. */
export function createdIn(created: readonly Created[], range: Range): ReadonlySet<string> {
  const inside = created.filter((one) => certainlyIn(one, range) === true)
  return new Set(inside.map(({ contact }) => idOf(contact.value)!))
}

/** A range in which more than a page of contacts were created, and outside of which others; undefined where there is none. */
export async function rangeOfPages(trial: Trial): Promise<Range | undefined> {
  const { pageSize } = await trial.list('listContacts')
  const created = await createdContacts(trial)
  return LONG.map(([from, to]) => toThe31st(created, stretch(created, from, to))).find((range) => {
    const inside = created.filter((one) => certainlyIn(one, range) === true).length
    return inside > pageSize && created.some((one) => certainlyIn(one, range) === false)
  })
}

/** The query that asks for a range in a format. */
export function rangeQuery({ start, end }: Range, format: DateFormat): Record<string, string> {
  return {
    ...(start !== undefined && { dateStart: format.write(Date.parse(start)) }),
    ...(end !== undefined && { dateEnd: format.write(Date.parse(end)) }),
  }
}

export function tooClose(trial: Trial): never {
  return trial.notExercised('Needs contacts that were created on days further apart.')
}

/** Whether a contact was created outside of a range for certain; undefined where it does not show when. */
export function isOutside(trial: Trial, contact: unknown, range: Range): boolean | undefined {
  const at = trial.instantOf((contact as Schemas['Contact'] | null)?.createdAt)
  return at && certainlyIn({ at }, range) === false
}

/** Judges a walked answer against a range: what is inside for certain is in it, what is outside for certain is not. */
export async function judgeRange(
  trial: Trial,
  created: readonly Created[],
  found: Listing<Schemas['Contact']>,
  range: Range,
  what: string,
): Promise<void> {
  trial.count('contacts inside', created.filter((one) => certainlyIn(one, range) === true).length)
  for (const contact of [...found.records, ...found.repeated]) {
    trial.count('contacts returned')
    if (isOutside(trial, contact.value, range))
      trial.fail({
        message: `${what} returned contacts created more than a day outside`,
        expected: `a creation between ${range.start ?? 'any day'} and ${range.end ?? 'any day'}`,
        received: contact.value.createdAt,
        exchange: contact.exchange,
        pointer: `${contact.pointer}/createdAt`,
      })
  }
  await judgeRepeated(trial, 'listContacts', found)
  if (!found.complete) return
  for (const one of created)
    if (certainlyIn(one, range) === true && !found.byId.has(idOf(one.contact.value)!))
      trial.differ(
        {
          message: `${what} left out contacts created inside`,
          expected: `the contact ${idOf(one.contact.value)}, created ${one.contact.value.createdAt}`,
          received: `${found.records.length} other contact(s)`,
          exchange: found.records[0]?.exchange ?? one.contact.exchange,
        },
        { operation: 'listContacts', id: idOf(one.contact.value) },
        ...orderOf('listContacts', found),
      )
}

/** Days between which contacts were certainly created, and outside of which others were; none where they are too close. */
export async function ofTwoSides(
  trial: Trial,
  ...shares: readonly (readonly [from: number, to: number])[]
): Promise<Required<Range>> {
  return firstOfTwoSides(await createdContacts(trial), ...shares) ?? tooClose(trial)
}

/** The first stretch of creation, of some given by their shares, with contacts certainly inside and certainly outside. */
export function firstOfTwoSides(
  created: readonly Created[],
  ...shares: readonly (readonly [from: number, to: number])[]
): Required<Range> | undefined {
  const ranges = shares.map(([from, to]) => stretch(created, from, to))
  const range = ranges.find((one) => {
    const sides = new Set(created.map((contact) => certainlyIn(contact, one)))
    return sides.has(true) && sides.has(false)
  })
  return range && toThe31st(created, range)
}

/** How many contacts there are and when they were created, in words. */
export function creationsOf(trial: Trial, contacts: readonly unknown[]): string {
  const instants = contacts
    .flatMap((one) => (isObject(one) ? (trial.instantOf(one['createdAt'])?.earliest ?? []) : []))
    .toSorted((a, b) => a - b)
  const [first, last] = [instants[0], instants.at(-1)]
  const when =
    first === undefined || last === undefined
      ? ''
      : `, created ${dayOf(first)}${dayOf(first) === dayOf(last) ? '' : ` to ${dayOf(last)}`}`
  return `${contacts.length} contact(s)${when}`
}

/** Offsets from UTC, in hours, at which exactly the returned contacts were created on a day. */
export function explainingOffsets(created: readonly Created[], found: Listing<unknown>, day: string): number[] {
  const start = Date.parse(day)
  const offsets = Array.from({ length: 26 * 4 + 1 }, (_, quarter) => quarter / 4 - 12)
  const isOnDay = (instant: number, offset: number): boolean => {
    const local = instant + offset * HOUR_MS
    return local >= start && local < start + DAY_MS
  }
  const { earliest, latest } = daySpan(day)
  const telling = created
    .filter(({ at }) => at.earliest === at.latest)
    .map(({ contact, at }) => ({ instant: at.earliest, isFound: found.byId.has(idOf(contact.value)!) }))
    .filter(({ instant, isFound }) => isFound || (instant >= earliest && instant < latest))
  return offsets.filter((offset) => telling.every(({ instant, isFound }) => isOnDay(instant, offset) === isFound))
}
