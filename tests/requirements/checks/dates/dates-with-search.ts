import { grouped } from '../../../engine/data/grouped.ts'
import { idOf, type Schemas } from '../../../engine/data/records.ts'
import type { Listing } from '../../../engine/data/listing.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { mayBeCapped } from '../search/capped-search.ts'
import { understoodFormat } from './date-format-discovery.ts'
import {
  createdContacts,
  createdIn,
  FIRST,
  firstOfTwoSides,
  judgeRange,
  LAST,
  ofTwoSides,
  rangeQuery,
  tooClose,
  type Created,
  type Range,
} from './date-ranges.ts'
import { createdOn, dayAmongOthers, eveOf, isAtMidnight, tellingDays } from './telling-days.ts'
import { judgeRefusal } from './refused-dates.ts'
import { everySearchable } from '../search/searchable.ts'
import { judgeServerError } from '../server-error.ts'
import { isHeededAlone } from './single-end.ts'
import { searchedAlone, sideOf, textBesideDates, type KindOfText, type Side } from './texts-beside-dates.ts'

/** Names of their own that are searched for until one is found, on each side of the dates. */
const NAMES_TRIED = 3

/** Shares of all contacts between whose creation to look. */
const WIDE = [[0.3, 0.7], FIRST, LAST] as const

/** Numbers and addresses, which are searched for beside the same dates. */
const NOT_NAMES = ['email', 'number', 'whole number'] as const
const KINDS = [...NOT_NAMES, 'name'] as const

/** Dates that are given beside a search, and the kinds of text that are searched for. */
interface Beside {
  readonly range: Range
  readonly query: Readonly<Record<string, string>>
  readonly kinds: readonly KindOfText[]
}

/** What dates find alone. */
interface Dated {
  readonly what: string
  readonly range: Range
  readonly found: Found
}

type Found = Listing<Schemas['Contact']>

/** A start and an end date, and each of them alone. */
export async function judgeRangeWithSearch(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  const range = await ofTwoSides(trial, ...WIDE)
  const day = dayAmongOthers(trial, created)
  const eve = eveOf(created, day)
  const beside = (one: Range, kinds: Beside['kinds']): Beside => ({
    range: one,
    query: rangeQuery(one, format),
    kinds,
  })
  const ranges =
    eve === undefined ? [beside(range, KINDS)] : [beside(range, NOT_NAMES), beside({ start: eve, end: eve }, ['name'])]
  await judgeWithSearch(trial, ranges, 'a start and an end date')
  if (day === undefined) return
  for (const [end, what] of [
    [{ start: day }, 'a start date'],
    [{ end: eve ?? day }, 'an end date'],
  ] as const)
    if (await isHeededAlone(trial, created, end)) await judgeWithSearch(trial, [beside(end, ['email', 'name'])], what)
}

export async function judgeDayWithSearch(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'date')
  const created = await createdContacts(trial)
  const [telling] = tellingDays(trial, created)
  if (!telling) return tooClose(trial)
  const { day, instant } = telling
  const eve = format.wholeDay ? eveOf(created, day) : undefined
  const beside = (one: string, kinds: Beside['kinds']): Beside => ({
    range: { start: one, end: one },
    query: { date: format.write(format.wholeDay ? Date.parse(one) : instant) },
    kinds,
  })
  const days = eve === undefined ? [beside(day, KINDS)] : [beside(day, NOT_NAMES), beside(eve, ['name'])]
  await judgeWithSearch(trial, days, 'a creation date')
}

/** An end date that does not find a contact created as the next day began does not do so beside a search for its name, either. */
export async function judgeMidnightWithSearch(
  trial: Trial,
  created: readonly Created[],
  day: string,
  until: Found,
): Promise<void> {
  const midnight = new Set(createdOn(created.filter(isAtMidnight), day))
  const named = await everySearchable(trial, 'listContacts', 'any')
  const sought = named.find(({ record }) => midnight.has(idOf(record.value)!))
  const id = idOf(sought?.record.value)
  if (!sought || id === undefined || !until.complete || until.byId.has(id)) return
  const both = await trial.searched('listContacts', sought.texts[0]!, until.query)
  trial.count('searches')
  const found = both.byId.get(id)
  if (found)
    trial.differ(
      {
        message: 'an end date with a search returned a contact that the end date alone does not find',
        expected: 'none but those',
        received: id,
        exchange: found.exchange,
        pointer: found.pointer,
      },
      { operation: 'listContacts', id },
      'listContacts',
    )
}

/**
 * A search together with dates finds what both find alone, and nothing else: tried with texts that some contacts have which
 * the dates find, some that were created before them and some that were created after, as either end may be lost.
 */
async function judgeWithSearch(trial: Trial, besides: readonly Beside[], what: string): Promise<void> {
  const created = await createdContacts(trial)
  const [telling] = tellingDays(trial, created)
  const ranges = [telling && { start: telling.day, end: telling.day }, firstOfTwoSides(created, ...WIDE)]
  const textOf = (kind: KindOfText): Promise<Found | undefined> =>
    textBesideDates(
      trial,
      kind,
      created,
      ranges.flatMap((one) => one ?? []),
    )
  for (const [index, { range, query, kinds }] of besides.entries()) {
    const found = await trial.filtered('listContacts', query, { wanted: createdIn(created, range), refusable: true })
    const isFirst = index === 0
    if (!found.exchange && isFirst) return judgeRefusal(trial, found, range, what)
    if (found.lacks !== undefined) return trial.notExercised(found.lacks)
    const dated = { what, range, found }
    const sides = sidesOf(created, dated)
    if (sides.length < 2 && isFirst) return tooClose(trial)
    if (sides.length < 2) continue
    const told = new Set<Side>()
    for (const kind of kinds) {
      const alone = await textOf(kind)
      for (const side of alone ? await judgeText(trial, dated, alone) : []) told.add(side)
    }
    if (isFirst) for (const side of sides) if (!told.has(side)) await judgeNames(trial, dated, side, told)
  }
  if (!trial.examined['searches'])
    trial.notExercised(`Needs names that a search finds, and that it takes together with ${what}.`)
}

/** The sides of dates on which some contacts are, by the dates' own answer. */
function sidesOf(some: readonly Created[], dated: Dated): readonly Side[] {
  return grouped(some, (one) => sideIn(one, dated)).map(([side]) => side)
}

function sideIn(one: Created, { range, found }: Dated): Side {
  if (found.byId.has(idOf(one.contact.value)!)) return 'inside'
  return sideOf(one, range) === 'before' ? 'before' : 'after'
}

/** Names of their own, for a side of which no text told that many share: those nearest to the dates first. */
async function judgeNames(trial: Trial, dated: Dated, side: Side, told: Set<Side>): Promise<void> {
  const created = await createdContacts(trial)
  const named = await everySearchable(trial, 'listContacts', 'any')
  const textOf = new Map(named.map(({ record, texts }) => [idOf(record.value), texts[0]!]))
  const onSide = created.filter((one) => sideIn(one, dated) === side)
  const nearest = side === 'before' ? onSide.toReversed() : onSide
  const names = nearest.flatMap(({ contact }) => textOf.get(idOf(contact.value)) ?? [])
  for (const name of names.slice(0, NAMES_TRIED)) {
    if (told.has(side)) return
    const alone = await searchedAlone(trial, name, created)
    if (alone.complete) for (const one of await judgeText(trial, dated, alone)) told.add(one)
  }
}

/** Judges dates beside a text, and tells on which sides of the dates the text alone finds contacts. */
async function judgeText(trial: Trial, dated: Dated, alone: Found): Promise<readonly Side[]> {
  const created = await createdContacts(trial)
  const ofText = created.filter(({ contact }) => alone.byId.has(idOf(contact.value)!))
  if (ofText.length === 0) return []
  const query = { ...alone.query, ...dated.found.query }
  const wanted = new Set(ids(alone).filter((id) => dated.found.byId.has(id)))
  const both = await trial.filtered('listContacts', query, { wanted, refusable: true })
  if (!both.exchange) {
    judgeServerError(trial, both, `${dated.what} with a search`)
    return []
  }
  await judgeRange(trial, [], both, dated.range, `${dated.what} with a search`)
  trial.count('searches')
  await judgeBoth(trial, dated, alone, both)
  return sidesOf(ofText, dated)
}

async function judgeBoth(trial: Trial, { what, found: dated }: Dated, alone: Found, both: Found): Promise<void> {
  for (const [which, one] of [
    ['that the search alone does not find', alone],
    [`that ${what} alone does not find`, dated],
  ] as const) {
    if (ids(both).every((id) => one.byId.has(id))) continue
    // Where pages are shorter than they could be, there may be more.
    const whole = await trial.filtered('listContacts', one.query, { toTheEnd: true, refusable: true })
    if (!whole.complete || (one === alone && (await mayBeCapped(trial, 'listContacts', whole)))) continue
    for (const id of ids(both)) {
      if (whole.byId.has(id)) continue
      const { exchange, pointer } = both.byId.get(id)!
      trial.differ(
        {
          message: `${what} with a search returned contacts ${which}`,
          expected: 'none but those',
          received: id,
          exchange,
          pointer,
        },
        { operation: 'listContacts', id },
        'listContacts',
      )
    }
  }
  if (!both.complete) return
  for (const id of ids(alone))
    if (dated.byId.has(id) && !both.byId.has(id))
      trial.differ(
        {
          message: `${what} with a search left out a contact that each finds alone`,
          expected: `the contact ${id}`,
          received: `${both.records.length} other contact(s)`,
          exchange: both.exchange ?? alone.byId.get(id)!.exchange,
        },
        { operation: 'listContacts', id },
        'listContacts',
      )
}

function ids(listing: Listing<unknown>): readonly string[] {
  return [...listing.byId.keys()]
}
