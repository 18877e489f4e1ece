import { daySpan } from '../engine/instants.ts'
import { idOf } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Trial } from '../engine/trial.ts'
import { understoodFormat } from './checks/date-format-discovery.ts'
import {
  certainlyIn,
  createdContacts,
  dayOf,
  explainingOffsets,
  judgeRange,
  rangeQuery,
  stretch,
  tooClose,
  type Created,
  type Range,
} from './checks/dates.ts'

const DAYS_TRIED = 4

/** Shares of all contacts, oldest first: where few days were busy, only the ends tell contacts apart. */
const FIRST = [0, 0.25] as const
const LAST = [0.75, 1] as const

/** The contact list's date (creation date), dateStart (start date) and dateEnd (end date). */
export const dates: readonly Requirement[] = [
  demand('date', 'A creation date finds the contacts created on that day, and no others.', (trial) => judgeDays(trial)),
  demand('range', 'A start and an end date find the contacts created between them, and no others.', async (trial) => {
    await judgeQuery(trial, [await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST)], 'a start and an end date')
  }),
  demand('start-alone', 'A start date alone finds the contacts created since.', async (trial) => {
    const { start } = await ofTwoSides(trial, [0.5, 1], LAST)
    await judgeSingleEnd(trial, { start }, 'a start date alone')
  }),
  demand('end-alone', 'An end date alone finds the contacts created until then.', async (trial) => {
    const { end } = await ofTwoSides(trial, [0, 0.5], FIRST)
    await judgeSingleEnd(trial, { end }, 'an end date alone')
  }),
  demand('pages', 'A start and an end date hold on every page.', async (trial) => {
    const all = await trial.list('listContacts')
    const created = await createdContacts(trial)
    const shares = [[0.1, 0.6], [0.2, 0.9], [0.02, 0.98], FIRST] as const
    const ranges = shares.map(([from, to]) => stretch(created, from, to))
    const long = ranges.find((range) => {
      const inside = created.filter((one) => certainlyIn(one, range) === true).length
      return inside > all.pageSize && created.some((one) => certainlyIn(one, range) === false)
    })
    if (!long)
      return trial.notExercised(
        'It takes more than a page of contacts created in a time outside which others were created.',
      )
    await judgeQuery(trial, [long], 'a later page of a start and an end date')
  }),
  demand('with-search', 'A start and an end date together with a search mean both.', judgeRangeWithSearch),
  demand('day-with-search', 'A creation date together with a search means both.', judgeDayWithSearch),
]

function demand(name: string, title: string, check: Requirement['check']): Requirement {
  return {
    id: `listContacts.date.${name}`,
    level: 'implied',
    title,
    source: '4. List contacts',
    operations: ['listContacts'],
    check,
  }
}

/** The first stretch of creation, of some given by their shares, with contacts certainly inside and certainly outside. */
async function ofTwoSides(
  trial: Trial,
  ...shares: readonly (readonly [from: number, to: number])[]
): Promise<Required<Range>> {
  const created = await createdContacts(trial)
  const ranges = shares.map(([from, to]) => stretch(created, from, to))
  const range = ranges.find((one) => {
    const sides = new Set(created.map((contact) => certainlyIn(contact, one)))
    return sides.has(true) && sides.has(false)
  })
  return range ?? tooClose(trial)
}

async function judgeQuery(trial: Trial, ranges: readonly Range[], what: string): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const created = await createdContacts(trial)
  for (const range of ranges) {
    const wanted = new Set(
      created.filter((one) => certainlyIn(one, range) === true).map((one) => idOf(one.contact.value)!),
    )
    const found = await trial.filtered('listContacts', rangeQuery(range, format), { wanted, toTheEnd: true })
    judgeRange(trial, created, found, range, what)
  }
}

/** One end alone may be ignored or refused by a target that takes both together; where it selects, it selects rightly. */
async function judgeSingleEnd(trial: Trial, range: Range, what: string): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const all = await trial.list('listContacts')
  const query = { ...rangeQuery(range, format), pageNumber: String(all.firstPage) }
  const { success } = await trial.session.attempt('listContacts', { query })
  if (!success) trial.notExercised(`It takes a target that lets in ${what}; this one refuses it.`)
  const found = await trial.filtered('listContacts', rangeQuery(range, format), { toTheEnd: true })
  // Whoever takes both ends together may also find nothing for one, or everything, but for what came or went meanwhile.
  const created = await createdContacts(trial)
  const findsMost = [true, false].every((inside) => {
    const side = created.filter((one) => certainlyIn(one, range) === inside)
    return side.filter(({ contact }) => found.byId.has(idOf(contact.value)!)).length * 2 > side.length
  })
  if (found.records.length === 0 || findsMost)
    trial.notExercised(`It takes a target that heeds ${what}; this one takes both ends together.`)
  judgeRange(trial, created, found, range, what)
}

/** Days are counted in some zone: one that explains every answer, give or take the hour that clocks are put forward. */
async function judgeDays(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'date')
  const created = await createdContacts(trial)
  const days = telltaleDays(trial, created)
  if (days.length === 0) tooClose(trial)
  const explained = await Promise.all(
    days.map(async ({ day, instant }) => {
      const query = { date: format.write(format.wholeDay ? Date.parse(day) : instant) }
      const found = await trial.filtered('listContacts', query, { toTheEnd: true })
      trial.count('days')
      judgeRange(trial, created, found, { start: day, end: day }, 'a creation date')
      if (!format.wholeDay || !found.complete) return undefined
      const exchange = found.records[0]?.exchange ?? created[0]!.contact.exchange
      return { day, offsets: explainingOffsets(created, found, day), found, exchange }
    }),
  )
  const answers = explained.filter((answer) => answer !== undefined)
  if (answers.length === 0) return
  const fits = (offset: number): boolean =>
    answers.every(({ offsets }) => offsets.some((other) => Math.abs(other - offset) <= 1))
  if (answers.some(({ offsets }) => offsets.some(fits))) return
  const worst = answers.find(({ offsets }) => offsets.length === 0) ?? answers[0]!
  trial.differ(
    {
      message: 'no time zone explains which contacts were returned for a creation date',
      expected: `the contacts created on ${worst.day} in one zone or another`,
      received: `${worst.found.records.length} contact(s)`,
      exchange: worst.exchange,
    },
    'listContacts',
  )
}

/** Days on which wrong answers show: many contacts, others in the same month, and updates on other days. */
function telltaleDays(trial: Trial, created: readonly Created[]): { day: string; instant: number }[] {
  const byDay = new Map<string, Created[]>()
  for (const one of created) {
    const day = dayOf(one.at.earliest)
    byDay.set(day, [...(byDay.get(day) ?? []), one])
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
  const some = trial.random.helpers.arrayElements(ranked.slice(2), DAYS_TRIED - 2)
  return [...ranked.slice(0, 2), ...some].map(([day, on]) => ({ day, instant: on[0]!.at.earliest }))
}

interface Named extends Created {
  readonly text: string
}

/** Contacts with a name that can only be read as one, and that a search for it finds. */
async function namedContacts(trial: Trial, created: readonly Created[]): Promise<Named[]> {
  return created.flatMap((one) => {
    const { name } = one.contact.value
    return typeof name === 'string' && /^\p{L}[\p{L} ]{3,}$/u.test(name) ? [{ ...one, text: name }] : []
  })
}

async function judgeRangeWithSearch(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'range')
  const range = await ofTwoSides(trial, [0.3, 0.7], FIRST, LAST)
  await judgeWithSearch(trial, range, rangeQuery(range, format), 'a start and an end date with a search')
}

async function judgeDayWithSearch(trial: Trial): Promise<void> {
  const format = await understoodFormat(trial, 'date')
  const created = await createdContacts(trial)
  const [telltale] = telltaleDays(trial, created)
  if (!telltale) return tooClose(trial)
  const { day, instant } = telltale
  const query = { date: format.write(format.wholeDay ? Date.parse(day) : instant) }
  await judgeWithSearch(trial, { start: day, end: day }, query, 'a creation date with a search')
}

/** Searches for a contact created inside, or near, and for one certainly outside: dates and search must both hold. */
async function judgeWithSearch(trial: Trial, range: Range, query: Record<string, string>, what: string): Promise<void> {
  const named = await namedContacts(trial, await createdContacts(trial))
  const inside =
    named.find((one) => certainlyIn(one, range) === true) ?? named.find((one) => certainlyIn(one, range) !== false)
  const outside = named.find((one) => certainlyIn(one, range) === false)
  if (named.length < 2) return trial.notExercised('It takes contacts that have a name and say when they were created.')
  if (!inside || !outside) return tooClose(trial)
  for (const { contact, text, at } of [inside, outside]) {
    const id = idOf(contact.value)!
    const alone = await trial.searched('listContacts', text, {}, { toTheEnd: true })
    if (!alone.byId.has(id) || !alone.complete) continue
    const both = await trial.searched('listContacts', text, query, { toTheEnd: true })
    judgeRange(trial, [{ contact, at }], both, range, what)
    for (const record of both.records)
      if (!alone.byId.has(idOf(record.value) ?? ''))
        trial.differ(
          {
            message: `${what} returned contacts that the search alone does not find`,
            expected: 'a contact that the search alone finds',
            received: idOf(record.value),
            exchange: record.exchange,
            pointer: record.pointer,
          },
          'listContacts',
        )
  }
}
