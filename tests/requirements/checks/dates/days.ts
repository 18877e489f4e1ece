import type { DateFormat } from '../../../engine/time/date-format.ts'
import { DAY_MS, EAST_MS, WEST_MS } from '../../../engine/time/instants.ts'
import type { Listing } from '../../../engine/data/listing.ts'
import { idOf, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { formatFor, understoodFormat } from './date-format-discovery.ts'
import {
  createdContacts,
  creationsOf,
  dayAfter,
  dayOf,
  explainingOffsets,
  judgeRange,
  rangeQuery,
  tooClose,
  type Contact,
  type Created,
} from './date-ranges.ts'
import { judgeWithoutNumber } from '../filters/matching.ts'
import { judgeServerError } from '../server-error.ts'
import {
  createdOn,
  edgeDays,
  emptyAnniversary,
  emptyDay,
  findingOn,
  shownDay,
  tellingDays,
  type TellingDay,
} from './telling-days.ts'

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
    const listing = await trial.filtered('listContacts', query, findingOn(created, day))
    trial.count('days')
    await judgeRange(trial, created, listing, { start: day, end: day }, 'a creation date')
    return { day, listing }
  }
  const found = await Promise.all(days.map(look))
  if (most === Infinity) await judgeEmptyDays(trial, created, format)
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

/** They find none. */
async function judgeEmptyDays(trial: Trial, created: readonly Created[], format: DateFormat): Promise<void> {
  const days = [emptyDay(created), emptyAnniversary(created)].filter((day) => day !== undefined)
  await trial.each([...new Set(days)], async (day) => {
    const query = { date: format.write(Date.parse(day)) }
    const listing = await trial.filtered('listContacts', query, { refusable: true })
    judgeServerError(trial, listing, 'a creation date on which no contact was created')
    await judgeRange(trial, created, listing, { start: day, end: day }, 'a creation date')
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

/** Asks for the days before and after the one on which a contact was created, where days are understood. */
export async function queriesOfDaysBeside(
  trial: Trial,
  { createdAt }: Contact['value'],
): Promise<Record<string, string>[]> {
  const at = trial.instantOf(createdAt)
  const { effect, format } = await formatFor(trial, 'date')
  if (!at || effect !== 'understood' || !format.wholeDay) return []
  return [-1, 1].map((step) => ({ date: format.write(Date.parse(dayAfter(dayOf(at.earliest), step))) }))
}

export interface FoundOn {
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

/** The contacts that were created on a day and are not found by it. */
export function lostOn(created: readonly Created[], { day, listing }: FoundOn): readonly Created[] {
  return created.filter((one) => shownDay(one) === day && !listing.byId.has(idOf(one.contact.value)!))
}

/** What a day does not find, the day before or the day after does. */
export function judgeNeighbourhood(
  trial: Trial,
  created: readonly Created[],
  around: readonly FoundOn[],
  on: FoundOn,
  what = 'the day',
): void {
  if (around.some(({ listing }) => !listing.complete)) return
  // What is shown in one outermost zone may be created two days from there in another.
  const isCovered = ({ at }: Created): boolean =>
    at.latest - at.earliest >= DAY_MS ||
    [at.earliest - WEST_MS, at.latest + EAST_MS].every((ms) => around.some(({ day }) => day === dayOf(ms)))
  for (const { contact } of lostOn(created, on).filter(isCovered)) {
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
export function judgeOnce(trial: Trial, found: readonly FoundOn[], what = 'creation dates'): void {
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
