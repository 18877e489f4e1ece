import { everyRecord, type Placed } from '../../engine/data/every-record.ts'
import { endOf, headerOf, type Exchange } from '../../engine/http/exchange.ts'
import { DAY_MS, type Instant } from '../../engine/time/instants.ts'
import { asText, idOf, type ListOperation } from '../../engine/data/records.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import { PLURAL } from '../operations.ts'

/** Timestamps of what has happened, by their names and the document's notes. */
const PAST = ['createdAt', 'updatedAt', 'sentAt']

/** The zeros of calendars: of some languages, of file systems, databases and spreadsheets, and of the epoch. */
const ZEROS = ['0001-01-01', '1601-01-01', '1753-01-01', '1899-12-30', '1900-01-01', '1904-01-01', '1970-01-01'].map(
  (day) => Date.parse(day),
)
/** Seconds since 1970 that are read as milliseconds end here for some decades to come. */
const SECONDS_AS_MILLISECONDS_MS = 2 ** 31
/** So many records, and no other, leave no doubt that their times are of the wrong unit. */
const LEAST_OF_WRONG_UNIT = 3

/** What has happened is not to come, nor at the zero of a calendar. Clocks differ, and zones that are not shown: a day is allowed for both. */
export async function judgePast(trial: Trial, operation: ListOperation): Promise<void> {
  await trial.list(operation)
  const placed = everyRecord(trial, operation)
  for (const field of PAST) {
    const dated = placed.flatMap(({ record, exchange, pointer }) => {
      const at = trial.instantOf(record[field])
      return at
        ? [{ at, id: asText(idOf(record)), value: record[field], exchange, pointer: `${pointer}/${field}` }]
        : []
    })
    trial.count('timestamps', dated.length)
    const isOfWrongUnit =
      new Set(dated.map(({ id }) => id)).size >= LEAST_OF_WRONG_UNIT &&
      dated.every(({ at }) => at.earliest >= 0 && at.latest < SECONDS_AS_MILLISECONDS_MS)
    for (const { at, value, exchange, pointer } of dated) {
      const what = isOfWrongUnit ? 'a time in seconds that was taken for milliseconds' : notPast(at, exchange)
      if (what === undefined) continue
      const message = `${field} is ${what}`
      trial.fail({ message, expected: 'a time that has passed', received: value, exchange, pointer })
    }
  }
  judgeCreation(trial, placed)
  judgeOrder(trial, placed)
  if (!trial.examined['timestamps']) trial.notExercised(`Needs ${PLURAL[operation]} with timestamps that can be read.`)
}

/** One record may have been deleted and created again meanwhile; several, all with a later time, have not. */
const RECORDS_CREATED_AGAIN = 3

/** When a record was created, a later answer to the same company says as an earlier one does: each may count its own ids. */
function judgeCreation(trial: Trial, placed: readonly Placed[]): void {
  const last = new Map<string, Instant>()
  const again = new Map<string, Placed>()
  const unsteady = new Set<string>()
  for (const one of placed) {
    const [own, at] = [idOf(one.record), trial.instantOf(one.record['createdAt'])]
    if (own === undefined || !at) continue
    const id = `${one.exchange.request.caller === 'other' ? 'other ' : ''}${own}`
    const before = last.get(id) ?? at
    last.set(id, at)
    if (at.earliest > before.latest) again.set(id, one)
    if (at.latest < before.earliest) unsteady.add(id)
  }
  for (const id of unsteady) again.delete(id)
  const [created] = [...again.values()]
  if (!created || again.size < RECORDS_CREATED_AGAIN) return
  trial.fail({
    message: 'createdAt is later in each answer',
    expected: 'the time that an earlier answer has shown',
    received: created.record['createdAt'],
    exchange: created.exchange,
    pointer: `${created.pointer}/createdAt`,
    occurrences: again.size,
  })
}

/** So many records, created so far apart that no import has written them, and none that was updated later. */
const RECORDS_UPDATED_BEFORE = 3
const LONGEST_IMPORT_MS = 14 * DAY_MS

/** Where records are said to have been updated before they were created, and none after, the one time stands for the other. */
function judgeOrder(trial: Trial, placed: readonly Placed[]): void {
  const before = new Map<string, Placed & { readonly createdAt: number }>()
  for (const one of placed) {
    const [id, created, updated] = [
      idOf(one.record),
      trial.instantOf(one.record['createdAt']),
      trial.instantOf(one.record['updatedAt']),
    ]
    if (!created || !updated) continue
    if (updated.latest > created.earliest) return
    const isBefore = updated.latest < created.earliest - DAY_MS
    if (isBefore && id !== undefined) before.set(id, { ...one, createdAt: created.earliest })
  }
  const times = [...before.values()].map(({ createdAt }) => createdAt).toSorted((a, b) => a - b)
  const [first] = before.values()
  if (!first || times.length < RECORDS_UPDATED_BEFORE || times.at(-1)! - times[0]! < LONGEST_IMPORT_MS) return
  trial.fail({
    message: 'updatedAt is before createdAt',
    expected: `a time that is not before ${JSON.stringify(first.record['createdAt'])}, on some record at least`,
    received: first.record['updatedAt'],
    exchange: first.exchange,
    pointer: `${first.pointer}/updatedAt`,
    occurrences: times.length,
  })
}

/** What an instant is that can't have passed. */
function notPast({ earliest, latest }: Instant, exchange: Exchange): string | undefined {
  if (ZEROS.some((zero) => latest > zero - DAY_MS && earliest < zero + DAY_MS)) return 'a zero that stands for no time'
  if (earliest <= endOf(exchange) + DAY_MS) return undefined
  const targetsNow = Date.parse(headerOf(exchange.response?.headers ?? [], 'date') ?? '')
  return earliest <= targetsNow + DAY_MS ? undefined : 'in the future'
}
