import type { DateFormat } from '../../../engine/time/date-format.ts'
import type { Exchange } from '../../../engine/http/exchange.ts'
import { DAY_MS } from '../../../engine/time/instants.ts'
import type { Listing } from '../../../engine/data/listing.ts'
import { idOf, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
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
import { endsOf } from './ends-of-ranges.ts'
import { judgeUndivided } from './day-ranges.ts'
import { foundOnDay } from './days.ts'
import { eveOf } from './telling-days.ts'
import { judgeServerError } from '../server-error.ts'
import { everySearchable } from '../search/searchable.ts'

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
  const isCounted = onDay && judgeUndivided(trial, onDay, found, what)
  if (isCounted !== undefined) await judgeSameAsInRanges(trial, found, isCounted, range, what)
  const eve = range.end === undefined ? undefined : eveOf(created, day)
  if (onDay && eve !== undefined) await judgeUpToEve(trial, { end: eve }, onDay, format, what)
  const end = range.start === undefined ? 'end' : 'start'
  await Promise.all([
    judgeFarEnd(trial, end, format, what),
    judgeBeyondAll(trial, created, { end, format, what, isSure: found.complete }),
  ])
}

interface SingleEnd {
  readonly end: 'start' | 'end'
  readonly format: DateFormat
  readonly what: string
  /** Whether it has been seen that the end is heeded; of a long list, the contacts since a day may be those that come first anyhow. */
  readonly isSure: boolean
}

/** A day beyond all contacts finds none; it may be refused. */
async function judgeBeyondAll(
  trial: Trial,
  created: readonly Created[],
  { end, format, what, isSure }: SingleEnd,
): Promise<void> {
  const range = beyondAll(trial, created, end)
  const found = await trial.filtered('listContacts', rangeQuery(range, format), { refusable: true })
  if (!isSure && found.records.length > 0)
    trial.notExercised(`Needs a target that heeds ${what}; this one takes both ends together.`)
  await judgeRange(trial, [], found, range, what)
  judgeServerError(trial, found, `${what}, beyond all contacts,`)
}

/** A start date after all contacts, and to come, or an end date before them all. */
export function beyondAll(trial: Trial, created: readonly Created[], end: 'start' | 'end'): Range {
  const step = end === 'start' ? 1 : -1
  const tomorrow = trial.session.run.now + DAY_MS
  let day = dayOf(end === 'start' ? Math.max(created.at(-1)!.at.latest, tomorrow) : created[0]!.at.earliest)
  while (created.some((one) => certainlyIn(one, { [end]: day }) !== false)) day = dayAfter(day, step)
  return { [end]: day }
}

/** Whether the day of an end counts is open, but it does not hang on whether the other end is given too. */
async function judgeSameAsInRanges(
  trial: Trial,
  found: Listing<Schemas['Contact']>,
  isCounted: boolean,
  range: Range,
  what: string,
): Promise<void> {
  const ends = await endsOf(trial, await understoodFormat(trial, 'range'))
  if (typeof ends === 'string' || ends[range.start === undefined ? 'end' : 'start'] === isCounted) return
  trial.differ(
    {
      message: `${what} ${isCounted ? 'brings' : 'leaves out'} its day, though together with the other it does not`,
      expected: 'the contacts of that day in both cases, or in neither',
      received: `${isCounted ? 'the' : 'no'} contacts of ${range.start ?? range.end}`,
      exchange: found.exchange ?? found.records[0]!.exchange,
    },
    'listContacts',
  )
}

/** What an end date finds alone is what it finds together with a start date, of what was created since for certain. */
export function judgeSameBesideAStart(
  trial: Trial,
  created: readonly Created[],
  { start, end }: Required<Range>,
  both: Listing<Schemas['Contact']>,
  until: Listing<Schemas['Contact']>,
): void {
  if (!both.complete || !until.complete || !until.exchange || !isHeeded(created, { end }, until)) return
  for (const one of created) {
    const id = idOf(one.contact.value)!
    const isFound = until.byId.has(id)
    if (certainlyIn(one, { start }) !== true || isFound === both.byId.has(id)) continue
    trial.differ(
      {
        message: `an end date alone ${isFound ? 'brings' : 'leaves out'} what it does not together with a start date`,
        expected: `the contact ${id}, created ${one.contact.value.createdAt}, in both cases, or in neither`,
        received: `${until.records.length} contact(s) until ${end}`,
        exchange: until.exchange,
      },
      { operation: 'listContacts', id },
      'listContacts',
    )
  }
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

/** Days far from any contact, the first of them a leap day; one that is refused may be too far. */
const FAR = { start: ['2000-02-29', '2000-02-28'], end: ['2099-12-31'] } as const

/**
 * The other end is open, however far it is: a start date finds the newest contact, and an end date the oldest, by whose name
 * they are searched for. How far a date may be is open; a day that has others about it is one.
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
  const nearest = end === 'start' ? dayOf(oldest.at.earliest) : dayAfter(dayOf(newest.at.latest), 1)
  const sought = end === 'start' ? newest : oldest
  const days = [...(format.name.includes('YYYY') ? FAR[end] : []), nearest].filter(
    (day) => certainlyIn(sought, { [end]: day }) === true,
  )
  const { id } = sought
  const wanted = new Set([id])
  const search = (day: string): Promise<Listing<Schemas['Contact']>> =>
    trial.searched('listContacts', sought.text, rangeQuery({ [end]: day }, format), { wanted })
  let [both, refused]: [Listing<Schemas['Contact']> | undefined, RefusedDay | undefined] = [undefined, undefined]
  for (const day of days) {
    both = await search(day)
    if (!both.refusal) {
      if (refused) judgeRefusedDay(trial, refused, day, what)
      break
    }
    refused ??= { day, refusal: both.refusal }
  }
  if (!both?.exchange || !both.complete || both.byId.has(id)) return
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

interface RefusedDay {
  readonly day: string
  readonly refusal: Exchange
}

/** A day may be too far for a target, whatever it answers then, but not by the day. */
function judgeRefusedDay(trial: Trial, { day, refusal }: RefusedDay, accepted: string, what: string): void {
  if (dayAfter(accepted, 1) !== day) return
  trial.fail({
    message: `${what} was refused on a leap day`,
    expected: `a success, as for ${accepted}`,
    received: `status ${refusal.response?.status}`,
    exchange: refusal,
  })
}

/** A target that takes both ends together may find nothing for one, or everything, but for what came or went meanwhile. */
function isHeeded(created: readonly Created[], range: Range, found: Listing<Schemas['Contact']>): boolean {
  const [inside, outside] = [true, false].map((isIn) => {
    const side = created.filter((one) => certainlyIn(one, range) === isIn)
    return side.filter(({ contact }) => found.byId.has(idOf(contact.value)!)).length / Math.max(1, side.length)
  }) as [number, number]
  // Of a list that is not walked to its end, much may have moved past the last page that was.
  const findsBoth = found.complete ? Math.min(inside, outside) > 0.5 : outside * 5 > inside
  return found.records.length > 0 && !findsBoth
}

/** Whether one end alone is heeded for sure, which what is not walked to its end cannot tell. */
export async function isHeededAlone(trial: Trial, created: readonly Created[], end: Range): Promise<boolean> {
  const query = rangeQuery(end, await understoodFormat(trial, 'range'))
  const wanted = createdIn(created, end)
  const found = await trial.filtered('listContacts', query, { wanted, refusable: true })
  return found.exchange !== undefined && found.complete && isHeeded(created, end, found)
}
