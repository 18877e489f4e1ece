import { DAY_MS } from '../../../engine/time/instants.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import { orElse } from '../../../engine/or-else.ts'
import { idOf, type Schemas } from '../../../engine/data/records.ts'
import { isFault, type Probe } from '../../../engine/judging/session.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { dateFormat, type DateFormat } from '../../../engine/time/date-format.ts'
import { RARE_DATE_FORMATS, USUAL_DATE_FORMATS } from '../../date-formats.ts'
import {
  certainlyIn,
  isOutside,
  creationsOf,
  createdContacts,
  dayAfter,
  type Contact,
  dayOf,
  rangeQuery,
  shownInstant,
  stretch,
  tooClose,
  type Created,
  type Range,
} from './date-ranges.ts'

/** What a format led to: the answer that shows it, where there was one. */
export interface FormatChoice {
  readonly format: DateFormat
  /**
   * `understood`: it selects; `ignored`: it changes nothing; `unknown`: it finds nothing; `failed`: the target answers
   * with an error of its own; or it is refused.
   */
  readonly effect: 'understood' | 'ignored' | 'unknown' | 'refused' | 'failed'
  readonly query: Readonly<Record<string, string>>
  readonly range: Required<Range>
}

export type DateParameters = 'date' | 'range'

/**
 * Where no format selects, the choice that tells most. A target that finds nothing has heeded the date, and may have read it;
 * an error of the target's own may be due to the only one that it could read, or to a time too long. What most formats
 * get is what a target gives for a date that it cannot read.
 */
function mostTelling(tried: readonly FormatChoice[], parameters: DateParameters): FormatChoice {
  const of = (effect: FormatChoice['effect']) => tried.filter((choice) => choice.effect === effect)
  const [failed, unknown, ignored, refused] = [of('failed'), of('unknown'), of('ignored'), of('refused')]
  const isErrorUsual = parameters === 'range' || failed.length > unknown.length
  return [
    ...(isErrorUsual ? [] : failed),
    ...unknown,
    ...(parameters === 'date' ? failed : []),
    ...ignored,
    ...refused,
    ...failed,
  ][0]!
}

/**
 * The format that the target takes for `date`, or for `dateStart` and `dateEnd`: the first of the usual ones, or else
 * of the rarer ones, that selects some contacts and not others; or else the only one that is not refused.
 */
export function formatFor(trial: Trial, parameters: DateParameters): Promise<FormatChoice> {
  return trial.session.remember(`date format ${parameters}`, async () => {
    const tried: FormatChoice[] = []
    for (const formats of formatsToTry(trial)) {
      const choices = await Promise.all(formats.map((format) => tryFormat(trial, parameters, format)))
      // What is refused may be the length of the time, and not the format.
      if (parameters === 'range' && choices.every(({ effect }) => effect !== 'understood'))
        for (const [index, { format, effect }] of choices.entries())
          if (effect === 'refused' || effect === 'failed')
            choices[index] = await tryFormat(trial, 'short range', format)
      const understood = choices.filter(({ effect }) => effect === 'understood')
      // Where the data lets a day be read as a month, what selects may have been read as either.
      const isClear = !understood.some(({ format }) => understood.some((other) => isSwapped(format, other.format)))
      if (understood[0]) return isClear ? understood[0] : { ...understood[0], effect: 'unknown' }
      tried.push(...choices)
    }
    // A target that refuses all dates but one has read that one; its days may begin hours from ours.
    const ensureAccepted = tried.filter(({ effect }) => effect === 'unknown' || effect === 'ignored')
    if (tried.length > 1 && ensureAccepted.length === 1 && ensureAccepted[0]!.effect === 'unknown')
      return { ...ensureAccepted[0]!, effect: 'understood' as const }
    return mostTelling(tried, parameters)
  })
}

/** The formats that are tried together, one group after the other. */
function formatsToTry(trial: Trial): readonly (readonly DateFormat[])[] {
  const given = trial.session.settings.dateFormat
  if (given !== undefined) return [[dateFormat(given)]]
  return [USUAL_DATE_FORMATS.slice(0, 1), USUAL_DATE_FORMATS.slice(1), RARE_DATE_FORMATS]
}

function formatsTried(trial: Trial): string {
  return formatsToTry(trial)
    .flat()
    .map(({ name }) => name)
    .join(', ')
}

/**
 * The understood format: its own, or else the one of the other parameters, as long as it isn't refused here. A format
 * that is accepted and changes nothing is a fault; where none is accepted, nothing can be told.
 */
export async function understoodFormat(trial: Trial, parameters: DateParameters): Promise<DateFormat> {
  const choice = await formatFor(trial, parameters)
  const names = parameters === 'date' ? 'date' : 'dateStart and dateEnd'
  if (choice.effect === 'understood') return choice.format
  const sister = await orElse(formatFor(trial, parameters === 'date' ? 'range' : 'date'), undefined)
  const isKnown = sister?.effect === 'understood' && choice.effect !== 'ignored'
  const tried = isKnown ? await tryFormat(trial, parameters, sister.format) : choice
  if (tried.effect === 'failed') return reportErrors(trial, tried, names)
  if (isKnown && choice.effect !== 'refused' && tried.effect !== 'refused') return sister.format
  if (choice.effect === 'unknown') await reportLaterPage(trial, choice, names)
  if (choice.effect !== 'ignored')
    return trial.notExercised(
      `Needs the format of ${names}, which is none of those tried (${formatsTried(trial)}); set DATE_FORMAT.`,
    )
  const { exchange, body } = await trial.session.ask('listContacts', { query: choice.query })
  trial.count('formats', formatsToTry(trial).flat().length)
  trial.fail({
    message: `${names} did not select contacts by their creation, in any format that was accepted`,
    expected: `contacts created ${inWords(choice.range)}, in one of the formats tried: ${formatsTried(trial)} (set DATE_FORMAT if it is another)`,
    received: creationsOf(trial, (body as Schemas['ContactList']).contacts),
    exchange,
  })
  return trial.notExercised('The filter has no effect.')
}

/** What filters each page by itself finds nothing on a first page, and on a later one what the whole list has there. */
async function reportLaterPage(trial: Trial, { query, range }: FormatChoice, names: string): Promise<void> {
  const { pages, firstPage } = await trial.list('listContacts')
  const mayBeInside = ({ value }: Contact): boolean => isOutside(trial, value, range) === false
  const page = pages.find(({ records }) => records.some(mayBeInside))
  if (page?.number === undefined || page.number === firstPage) return
  const later = { query: { ...query, pageNumber: String(page.number) } }
  const found = recordsOf(trial.session, 'listContacts', await trial.session.attempt('listContacts', later))
  if (!found[0] || !found.every(mayBeInside)) return
  trial.fail({
    message: `${names} found nothing on the first page, and contacts on a later one`,
    expected: `contacts created ${inWords(range)} on the first page`,
    received: `${found.length} of them on page ${page.number}`,
    exchange: found[0].exchange,
    pointer: found[0].pointer,
  })
}

/** A malformed date may get an error of the target's own; where no other format selects, it was none. */
async function reportErrors(trial: Trial, { query, range }: FormatChoice, names: string): Promise<never> {
  const { exchange, status } = await trial.session.attempt('listContacts', { query })
  if (!isFault(exchange)) trial.notExercised('Needs dates that are answered in the same way each time.')
  trial.count('formats', formatsToTry(trial).flat().length)
  trial.fail({
    message: `${names} selected contacts in no format, and got an error of the target's own`,
    expected: `contacts created ${inWords(range)}, in one of the formats tried: ${formatsTried(trial)} (set DATE_FORMAT if it is another)`,
    received: `status ${status}`,
    exchange,
  })
  return trial.notExercised('The filter has no effect.')
}

function inWords({ start, end }: Required<Range>): string {
  return start === end ? `on ${start}` : `from ${start} to ${end}`
}

/** Whether one format has the day where the other has the month. */
function isSwapped(one: DateFormat, other: DateFormat): boolean {
  const swapped = one.name.replace(/^(DD?)(\W?)(MM?)(?!M)/, '$3$2$1')
  return one.name.startsWith('D') && swapped !== one.name && other.name === swapped
}

/** The days that a format is tried with. */
type Extent = DateParameters | 'short range'

async function tryFormat(trial: Trial, extent: Extent, format: DateFormat): Promise<FormatChoice> {
  const days = await trial.session.remember(`discriminating ${extent}`, () =>
    extent === 'date' ? discriminatingDay(trial) : discriminatingRange(trial, extent === 'range' ? LONG : SHORT),
  )
  if (!days) return tryDaysBeside(trial, extent, format)
  const query = queryFor(days, format)
  const far = FAR_DAYS.map((at) =>
    queryFor({ range: oneDay(at), ...(days.instant !== undefined && { instant: at }) }, format),
  )
  // Two formats may write the same days alike, which then mean the same.
  const effect = await trial.session.remember(`try ${JSON.stringify(query)}`, () =>
    effectOf(trial, query, days.range, far),
  )
  return { format, effect, query, range: days.range }
}

/** Contacts of one import, which no day tells apart, are not found by days on which none was created. */
async function tryDaysBeside(trial: Trial, extent: Extent, format: DateFormat): Promise<FormatChoice> {
  const created = await createdContacts(trial)
  // Years that are long gone, or to come, a target may not take for dates.
  for (const instant of [dayBeside(created[0]!, -1), dayBeside(created.at(-1)!, 1)]) {
    const range = oneDay(instant)
    const query = queryFor({ range, ...(extent === 'date' && { instant }) }, format)
    const effect = await trial.session.remember(`try ${JSON.stringify(query)}`, () => effectOf(trial, query, range, []))
    if (effect !== 'unknown') return { format, effect, query, range }
  }
  return tooClose(trial)
}

/** When a day begins that is more than a month before a contact's creation, or after it, and that no reader takes for a month. */
function dayBeside({ at }: Created, step: -1 | 1): number {
  let day = dayAfter(dayOf(step < 0 ? at.earliest : at.latest), step * DAYS_APART)
  while (!isUnmistakable(day)) day = dayAfter(day, step)
  return Date.parse(day)
}

async function effectOf(
  trial: Trial,
  dates: Readonly<Record<string, string>>,
  range: Range,
  far: readonly Readonly<Record<string, string>>[],
): Promise<FormatChoice['effect']> {
  const all = await trial.list('listContacts')
  const ask = (query: object): Promise<Probe> =>
    trial.session.attempt('listContacts', { query: { ...query, pageNumber: String(all.firstPage) } })
  const probe = await ask(dates)
  const list = contactsOf(probe)
  if (!Array.isArray(list)) return !probe.success && isFault(probe.exchange) ? 'failed' : 'refused'
  if (list.length === 0) return 'unknown'
  const [first] = all.pages[0]!.records
  // A long answer that came before is the same value.
  if (first && list[0] === first.value) return 'ignored'
  const ids = list.map(idOf)
  const { records } = all.pages[0]!
  const outside = areOutside(trial, list, range)
  const countOutside = outside.filter(Boolean).length
  const isIgnored =
    countOutside * 2 > outside.length ||
    isUnfiltered(trial, ids, records, range) ||
    // A much shorter answer is no first page, be it of now.
    (areAlmostAll(list.length, records.length) &&
      isUnfiltered(trial, ids, await firstPageNow(trial, all.firstPage), range)) ||
    (countOutside > 0 && (await allFindSome(far.map(ask))))
  return isIgnored ? 'ignored' : 'understood'
}

function contactsOf({ success, body }: Probe): unknown {
  return success ? (body as { contacts?: unknown } | null)?.contacts : undefined
}

/** Whether every one of some answers has contacts. */
async function allFindSome(asked: readonly Promise<Probe>[]): Promise<boolean> {
  const lists = (await Promise.all(asked)).map(contactsOf)
  return lists.every((list) => Array.isArray(list) && list.length > 0)
}

/** How many contacts of a longer list tell what most are like. */
const SAMPLE = 1000

/** Whether each contact of a list that shows it was created outside; of a long list, for some. */
function areOutside(trial: Trial, list: readonly unknown[], range: Range): boolean[] {
  const every = Math.ceil(list.length / SAMPLE)
  return list.filter((_, index) => index % every === 0).flatMap((contact) => isOutside(trial, contact, range) ?? [])
}

/** Whether an answer is an unfiltered page, of which it has those too that were created outside of the range for certain. */
function isUnfiltered(trial: Trial, ids: readonly unknown[], page: readonly Contact[], range: Range): boolean {
  const pageIds = page.map(({ value }) => idOf(value))
  const outside = page.filter(({ value }) => isOutside(trial, value, range))
  return isNearly(ids, pageIds) && (outside.length === 0 || outside.some(({ value }) => ids.includes(idOf(value))))
}

/** The unfiltered first page as it is now: others may have come or gone since it was walked. */
async function firstPageNow(trial: Trial, number: number): Promise<readonly Contact[]> {
  const query = { pageNumber: String(number) }
  const probe = await trial.session.attempt('listContacts', { query })
  return recordsOf(trial.session, 'listContacts', probe)
}

/** Whether two pages are one, but for a record in four that came or went in between. */
function isNearly(some: readonly unknown[], others: readonly unknown[]): boolean {
  const among = new Set(others)
  const common = some.filter((id) => among.has(id)).length
  return areAlmostAll(common, Math.max(some.length, others.length))
}

function areAlmostAll(count: number, all: number): boolean {
  return count * 4 >= all * 3
}

/** So far off, no time zone makes a day another's. */
const DAYS_APART = 31

/** Days on which no contact was created: a format in which both find some is not read. */
const FAR_DAYS = [Date.parse('2001-01-20'), Date.parse('2099-01-20')]

/** A query in a format that no target can answer with the unfiltered first page. */
function queryFor({ range, instant }: Discriminating, format: DateFormat): Record<string, string> {
  if (instant === undefined) return rangeQuery(range, format)
  return { date: format.write(format.wholeDay ? Date.parse(range.start) : instant) }
}

/** Days outside which contacts of the first page were created for certain, whatever format they are written in. */
interface Discriminating {
  readonly range: Required<Range>
  /** An instant of the day, where it is one. */
  readonly instant?: number
}

async function discriminatingDay(trial: Trial): Promise<Discriminating | undefined> {
  const { created, excludesFirstPage } = await creations(trial)
  // Each day once: of very many contacts, many were created on one.
  const firstOf = new Map(
    created
      .map(shownInstant)
      .toReversed()
      .map((at) => [dayOf(at), at]),
  )
  const telling = [...firstOf.values()].toSorted((a, b) => a - b).filter((one) => excludesFirstPage(oneDay(one)))
  const instant = telling.find((one) => isUnmistakable(dayOf(one))) ?? telling[0]
  return instant === undefined ? undefined : { range: oneDay(instant), instant }
}

function oneDay(instant: number): Required<Range> {
  return { start: dayOf(instant), end: dayOf(instant) }
}

const SHARES = [0.3, 0.25, 0.35, 0.2, 0.4, 0.15, 0.45, 0.1, 0.5]
/** From which share of all contacts to which a range may reach, the best first. */
const LONG = [...SHARES.flatMap((from) => [0.7, 0.6, 0.8].map((to) => [from, to])), [0.5, 1], [0, 0.25]]
const SHORT = [...SHARES, 0.6, 0.7, 0.8, 0.9].map((share) => [share, share])

async function discriminatingRange(
  trial: Trial,
  shares: readonly (readonly number[])[],
): Promise<Discriminating | undefined> {
  const { created, excludesFirstPage } = await creations(trial)
  const tight = shares.map(([from, to]) => stretch(created, from!, to!))
  const ranges = [...tight, ...tight.map(widelyUnmistakable)]
  const telling = ranges.filter(
    (candidate) => excludesFirstPage(candidate) && created.some((one) => certainlyIn(one, candidate) === true),
  )
  const range = telling.find(({ start, end }) => isUnmistakable(start) && isUnmistakable(end)) ?? telling[0]
  return range && { range }
}

interface Creations {
  readonly created: readonly Created[]
  readonly excludesFirstPage: (range: Range) => boolean
}

async function creations(trial: Trial): Promise<Creations> {
  const created = await createdContacts(trial)
  const all = await trial.list('listContacts')
  const onFirstPage = new Set(all.pages[0]!.records)
  return {
    created,
    excludesFirstPage: (range) =>
      created.some((one) => onFirstPage.has(one.contact) && certainlyIn(one, range) === false),
  }
}

/** After the twelfth no reader takes the day for the month; what comes after a month's last day is judged, not presumed. */
function isUnmistakable(day: string): boolean {
  const inMonth = Number(day.slice(8))
  return inMonth > 12 && inMonth < 28
}

/** The range, made so wide that no reader takes its days for months. */
function widelyUnmistakable({ start, end }: Required<Range>): Required<Range> {
  return {
    start: isUnmistakable(start) ? start : dayOf(Date.parse(`${start.slice(0, 7)}-01`) - 5 * DAY_MS),
    end: isUnmistakable(end) ? end : `${end.slice(0, 7)}-13`,
  }
}
