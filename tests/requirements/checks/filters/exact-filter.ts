import type { SimpleFaker } from '@faker-js/faker'
import { recordsOf } from '../../../engine/data/listing.ts'
import { orElse } from '../../../engine/or-else.ts'
import { seededRandom } from '../../../engine/random.ts'
import {
  askable,
  asText,
  idOf,
  LONGEST_ASKED,
  valuesOf,
  type ListOperation,
  type Located,
  type RecordOf,
} from '../../../engine/data/records.ts'
import type { Probe } from '../../../engine/judging/session.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { EXACT_FILTERS, PLURAL, type Filtered, type FilterOf } from '../../operations.ts'
import { similarTo, nearTo } from '../../unknown-value.ts'
import { allThatFind } from './all-of-one.ts'
import { filterValue } from './filter-value.ts'
import { entriesOf, judgeMatching, judgeWithoutNumber, matcher, type Criteria } from './matching.ts'

const VALUES_TRIED = 5
/** What careless code takes for no value at all; where ids are not numbers, it is none, and may be left unheeded. */
const NO_VALUE = '0'
/** What some databases take for any text. */
const ANY_TEXT = '%'
const CANDIDATES = 40

/** A filter returns the records that hold the value asked for, and no other, on every page. */
export function exactFilter<O extends Filtered>(operation: O, field: FilterOf<O>): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const values = await discriminatingValues(trial, operation, field)
    if (values.length === 0)
      trial.notExercised(`Needs ${PLURAL[operation]} with ${await differentValues(trial, operation, [field])}.`)
    const tried = values.length <= VALUES_TRIED ? values : sample(trial, values)
    await trial.each(tried, async (value) => {
      const criteria = criterion<O>(field, value)
      const found = await judgeMatching(trial, operation, criteria, { toTheEnd: value === values[0] })
      if (value === values[0]) await judgeWithoutNumber(trial, operation, criteria as Record<string, string>, found)
    })
    trial.count('values', tried.length)
  }
}

/** Each filter of an operation, with the most frequent value that not all records hold. */
export function eachFilter<O extends Filtered>(operation: O): (trial: Trial) => Promise<void> {
  return async (trial) => {
    await trial.each(EXACT_FILTERS[operation] as readonly FilterOf<O>[], async (field) => {
      const [value] = await discriminatingValues(trial, operation, field)
      if (value === undefined) return
      await judgeMatching(trial, operation, criterion<O>(field, value))
      trial.count('filters')
    })
    if (trial.examined['filters']) return
    const different = await differentValues(trial, operation, EXACT_FILTERS[operation], 'a filter')
    trial.notExercised(`Needs ${PLURAL[operation]} of the second company with ${different}.`)
  }
}

/** The filter for one given value, which must be held by some record and not by all. */
export function exactValue<O extends Filtered>(
  operation: O,
  field: FilterOf<O>,
  value: string,
): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    const matches = matcher(criterion<O>(field, value))
    const lacks = `Needs ${PLURAL[operation]} whose ${field} is ${value} and others whose ${field} is not.`
    if (!all.records.some((record) => matches(record.value) === false)) trial.notExercised(lacks)
    const found = await judgeMatching(trial, operation, criterion<O>(field, value))
    // What no record of the list has may be what the list leaves out and the filter finds.
    if (found.records.length === 0 && !all.records.some((record) => matches(record.value))) trial.notExercised(lacks)
  }
}

/**
 * A value that no record holds finds none, be it unknown or the id of a contact or user who has no such record; a refusal
 * of the value finds none either.
 */
export function unmatchedFilter<O extends Filtered>(operation: O, field: FilterOf<O>): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    const [known] = await valuesIn(trial, operation, field)
    // Where no record shows the field, a value of the shape of the target's ids is one that none has.
    const sample = known ?? all.records.map(({ value }) => idOf(value)).find((id) => id !== undefined)
    if (sample === undefined) return trial.notExercised(`Needs ${PLURAL[operation]}; the target lists none.`)
    const held = new Set(await valuesIn(trial, operation, field))
    const unknown = (await valueOfAnother(trial, operation, field, held)) ?? similarTo(sample, trial.random)
    const existing = await idWithoutRecords(trial, field, held)
    const judge = (value: string, { exchange, success, body }: Probe): void => {
      trial.count('requests')
      const records = success ? recordsOf(trial.session, operation, { exchange, body }) : []
      // The value may be one that a record has got meanwhile; one near to a known id may be that of a record which does not show it.
      const others = records.filter((record) => {
        const shown = asText(record.value[field as keyof RecordOf<O>])
        return shown === undefined ? value === unknown : shown !== value
      })
      if (others[0])
        trial.fail({
          message: `${PLURAL[operation]} were returned for a ${field} that none has`,
          expected: 'no record',
          received: `${others.length} record(s)`,
          exchange,
          pointer: others[0].pointer,
        })
    }
    for (const value of [unknown, ...(known === undefined ? [ANY_TEXT] : nearTo(known)), ...existing]) {
      if (held.has(value)) continue
      const page = value === unknown && all.paged ? { pageNumber: String(all.firstPage) } : {}
      judge(value, await trial.session.attempt(operation, { query: { [field]: value, ...page } }))
    }
    // What is ignored by itself is so beside others, of which something would be left; and what is not may be so there.
    const beside = (await allThatFind(trial, operation)) ?? {}
    for (const value of [...(/^\d+$/.test(sample) ? [NO_VALUE] : []), unknown]) {
      if (held.has(value)) continue
      const probe = await trial.session.attempt(operation, { query: { ...beside, [field]: value } })
      judge(value, probe)
      if (probe.success) break
    }
  }
}

/**
 * An id by which another filter has just found records, and which none holds in this field: what keeps answers without
 * the names of the parameters, or looks for an id in any field, brings these.
 */
async function valueOfAnother<O extends Filtered>(
  trial: Trial,
  operation: O,
  field: FilterOf<O>,
  held: ReadonlySet<string>,
): Promise<string | undefined> {
  const ids = (EXACT_FILTERS[operation] as readonly FilterOf<O>[]).filter((one) => one.endsWith('Id'))
  const other = ids[(ids.indexOf(field) + 1) % ids.length]!
  const [value] = await discriminatingValues(trial, operation, other)
  if (value === undefined || held.has(value)) return undefined
  const found = await trial.filtered(operation, { [other]: value }, { refusable: true, toTheEnd: true })
  return found.records.length > 0 ? value : undefined
}

/**
 * An id that other lists show and no record of the list holds, as a list of one: what finds nothing may be taken for no
 * filter only where there is such a contact or user.
 */
async function idWithoutRecords(trial: Trial, field: string, held: ReadonlySet<string>): Promise<string[]> {
  const ids = await shownElsewhere(trial, field)
  // Where none of them is held, the filter may know contacts by other ids than the list of contacts does.
  if (!ids.some((id) => held.has(id))) return []
  const free = [...new Set(ids)].filter((id) => !held.has(id))
  // What finds contacts by their names finds another's records.
  const twin = field === 'contactId' ? await twinOf(trial, held, new Set(free)) : undefined
  return twin === undefined ? trial.random.helpers.arrayElements(free, 1) : [twin]
}

/** One of some contacts that has the name of one that is held. */
async function twinOf(trial: Trial, held: ReadonlySet<string>, free: ReadonlySet<string>): Promise<string | undefined> {
  const contacts = await orElse(trial.recordsBesides('listContacts'), [])
  const names = new Set(
    contacts.flatMap(({ value }) => (held.has(idOf(value) ?? '') ? (asText(value.name) ?? []) : [])),
  )
  return contacts
    .map(({ value }) => (names.has(asText(value.name) ?? '') ? idOf(value) : undefined))
    .find((id) => id !== undefined && free.has(id))
}

/** Ids of contacts, or of users, that other lists show: none where these lists have no usable answer. */
async function shownElsewhere(trial: Trial, field: string): Promise<string[]> {
  const recordsOfList = <L extends ListOperation>(list: L) => orElse(trial.recordsBesides(list), [])
  if (field === 'contactId') return (await recordsOfList('listContacts')).flatMap(({ value }) => idOf(value) ?? [])
  if (field !== 'userId') return []
  const [tickets, schedules] = await Promise.all([recordsOfList('listTickets'), recordsOfList('listSchedules')])
  return [...tickets, ...schedules].flatMap(({ value }) => asText(value.userId) ?? [])
}

/**
 * Several filters together mean AND: what matches all of them, and nothing that matches only some. Every combination
 * is judged, as far as the data can tell it.
 * @param unless combinations, and larger ones beside which the data need not tell them as well.
 */
export function combinedFilters<O extends Filtered>(
  operation: O,
  combinations: readonly (readonly FilterOf<O>[])[],
  unless: Unless<O> = { combinations: [], told: [] },
): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const larger = await trial.each(unless.told, async (fields) =>
      toldBy(await discriminatingCriteria(trial, operation, fields)),
    )
    const untold = unless.combinations.filter(
      (fields) => !larger.some((told) => fields.every((field) => told.has(field))),
    )
    const told = await trial.each([...combinations, ...untold], async (fields) => {
      const questions = await discriminatingCriteria(trial, operation, fields)
      await trial.each(questions, ({ criteria }) => judgeMatching(trial, operation, criteria))
      return toldBy(questions).size === fields.length
    })
    const telling = told.filter(Boolean).length
    if (telling === 0)
      trial.notExercised(
        `Needs ${PLURAL[operation]} that match all filters but one, for each of them: records with ${await differentValues(trial, operation, combinations[0]!)}.`,
      )
    trial.count('combinations', telling)
  }
}

/** Combinations that are judged only where no larger one is told. */
interface Unless<O extends Filtered> {
  readonly combinations: readonly (readonly FilterOf<O>[])[]
  readonly told: readonly (readonly FilterOf<O>[])[]
}

function toldBy(questions: readonly { readonly shows: readonly Loss[] }[]): ReadonlySet<string> {
  return new Set(questions.flatMap(({ shows }) => shows.map((loss) => loss.split(' ')[0]!)))
}

/** A filter that may be lost; where all filters are given, `beside` each status: what is forgotten may be so for one. */
type Loss = string

interface Question<O extends Filtered> {
  readonly criteria: Criteria<O>
  /** What would show if it were lost, since another record matches all but that one. */
  readonly shows: readonly Loss[]
}

/**
 * As few combinations of values, the same for whichever check asks, as show the loss of every filter whose loss the data can show: values that some record
 * holds together, and what else that takes, such as values that never occur together.
 */
function discriminatingCriteria<O extends Filtered>(
  trial: Trial,
  operation: O,
  fields: readonly FilterOf<O>[],
): Promise<Question<O>[]> {
  const name = `criteria of ${operation} ${fields.join(' ')}`
  const random = seededRandom(trial.session.settings.seed, ...Buffer.from(name))
  return trial.session.remember(name, () => chooseCriteria(trial, operation, fields, random))
}

async function chooseCriteria<O extends Filtered>(
  trial: Trial,
  operation: O,
  fields: readonly FilterOf<O>[],
  random: SimpleFaker,
): Promise<Question<O>[]> {
  const { records } = await trial.list(operation)
  const complete = records.filter(({ value }) =>
    fields.every((field) => filterValue(value, field as never) !== undefined),
  )
  const candidates = random.helpers
    .arrayElements(complete, CANDIDATES)
    .map(({ value }) =>
      Object.fromEntries(fields.map((field) => [field, filterValue(value, field as never)!])),
    ) as Criteria<O>[]
  const apart = candidates
    .flatMap((first, index) =>
      fields.map((field) => ({ ...first, [field]: candidates[candidates.length - 1 - index]![field] }) as Criteria<O>),
    )
    .filter((criteria) => {
      const matches = matcher<O>(criteria)
      return !records.some(({ value }) => matches(value))
    })
  // Of those that show as much, the one that finds most may have a second page.
  const finds = new Map(
    candidates.map((criteria) => {
      const matches = matcher<O>(criteria)
      return [criteria, complete.filter(({ value }) => matches(value)).length]
    }),
  )
  const fullestFirst = candidates.toSorted((a, b) => finds.get(b)! - finds.get(a)!)
  const [together, never] = [fullestFirst, apart].map((some) =>
    some.map((criteria) => ({ criteria, shows: shownLosses(operation, criteria, complete) })),
  )
  const chosen = [best(together!)].filter((question) => question !== undefined)
  for (;;) {
    const shown = new Set(chosen.flatMap(({ shows }) => shows))
    const left = [...together!, ...never!].map((one) => ({
      ...one,
      shows: one.shows.filter((field) => !shown.has(field)),
    }))
    const next = best(left)
    if (!next) break
    chosen.push(next)
  }
  // One that finds several, of which but the first may be returned.
  const [fullest] = fullestFirst
  const findsSeveral = (criteria: Criteria<O>): boolean => (finds.get(criteria) ?? 0) > 1
  if (fullest && findsSeveral(fullest) && !chosen.some(({ criteria }) => findsSeveral(criteria)))
    chosen.push({ criteria: fullest, shows: [] })
  return chosen
}

/** The question that shows most, if any shows anything. */
function best<O extends Filtered>(questions: readonly Question<O>[]): Question<O> | undefined {
  return questions.filter(({ shows }) => shows.length > 0).toSorted((a, b) => b.shows.length - a.shows.length)[0]
}

/** The values of a field that some listed record holds and another does not, as text. */
export async function discriminatingValues<O extends Filtered>(
  trial: Trial,
  operation: O,
  field: FilterOf<O>,
): Promise<string[]> {
  const all = await trial.list(operation)
  return (await valuesIn(trial, operation, field)).filter((value) => {
    const matches = matcher(criterion<O>(field, value))
    return all.records.some((record) => matches(record.value) === false)
  })
}

/** What a filter needs, in words: where records hold values that are too long to be asked for, shorter ones. */
async function differentValues<O extends Filtered>(
  trial: Trial,
  operation: O,
  fields: readonly FilterOf<O>[],
  named: string = fields.join(' and '),
): Promise<string> {
  const { records } = await trial.list(operation)
  const areTooLong = records.some(({ value }) => fields.some((field) => isTooLong(value[field as keyof RecordOf<O>])))
  const most = areTooLong ? ` that have at most ${LONGEST_ASKED} characters, as longer ones are not asked for` : ''
  return `different values of ${named}${most}`
}

function isTooLong(value: unknown): boolean {
  return asText(value) !== askable(value)
}

async function valuesIn<O extends Filtered>(trial: Trial, operation: O, field: FilterOf<O>): Promise<string[]> {
  return valuesOf((await trial.list(operation)).records, field as never)
}

/** The most frequent value, the rarest, and some in between. */
function sample(trial: Trial, values: readonly string[]): string[] {
  const between = trial.random.helpers.arrayElements(values.slice(1, -1), VALUES_TRIED - 2)
  return [values[0]!, ...between, values.at(-1)!]
}

function criterion<O extends Filtered>(field: FilterOf<O>, value: string): Criteria<O> {
  return { [field]: value } as Criteria<O>
}

function shownLosses<O extends Filtered>(
  operation: O,
  criteria: Criteria<O>,
  records: readonly Located<RecordOf<O>>[],
): Loss[] {
  const entries = entriesOf<O>(criteria)
  const { status } = criteria as Readonly<Record<string, string>>
  const beside = status !== undefined && entries.length === EXACT_FILTERS[operation].length ? ` beside ${status}` : ''
  const shown = new Set<Loss>()
  for (const { value } of records) {
    const different = entries.filter(([name, wanted]) => asText(value[name]) !== wanted)
    if (different.length === 1) shown.add(`${different[0]![0]}${beside}`)
  }
  return [...shown]
}
