import type { Reading } from '../../engine/answer.ts'
import { recordsOf } from '../../engine/listing.ts'
import { idOf, sameShown, type Located, type RecordOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { PLURAL, type Searched } from '../operations.ts'
import { updatedContact, updatesSent } from '../send-update.ts'

type Query = Readonly<Record<string, string>>

/** Queries that are asked again for a confirmation: more of them show the same cause. */
const MOST_QUERIES = 5
/** Records of one answer that are compared: of a longer one, as many all over it. */
const MOST_RECORDS = 2000

/**
 * A record is the same record, whichever filters find it: in every answer of the run, before any update.
 * @param ask calls with filters, where nothing else has sent any.
 */
export function sameWhenFiltered<O extends Searched>(
  operation: O,
  ask: (trial: Trial) => Promise<readonly Query[]>,
): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    const { contract } = trial.session
    const fields = contract.comparableFields(contract.operation(operation).schema) as (keyof RecordOf<O> & string)[]
    // What a contact shows that was updated since doesn't stand still any more.
    const updated = new Set(updatesSent(trial).map(updatedContact))
    const isUpdated = (value: { readonly contact?: unknown }): boolean =>
      [value, value.contact].some((one) => updated.has(idOf(one) ?? ''))
    const otherwise = ({ value }: Located<RecordOf<O>>): (keyof RecordOf<O> & string)[] => {
      const listed = all.byId.get(idOf(value) ?? '')?.value
      const both =
        listed && !isUpdated(value)
          ? fields.filter((name) => name in (value as object) && name in (listed as object))
          : []
      if (both.length > 0) trial.count('records')
      return both.filter((name) => !sameShown(value[name], listed![name]))
    }
    if (filteredAnswers(trial, operation).length === 0)
      await trial.each(await ask(trial), (query) => trial.filtered(operation, query, { refusable: true }))
    const suspected = new Map<string, Query>()
    for (const answer of filteredAnswers(trial, operation))
      if (sampleOf(recordsOf(trial.session, operation, answer)).some((record) => otherwise(record).length > 0)) {
        const query = filtersOf(answer)
        suspected.set(JSON.stringify(query), query)
      }
    // What is confirmed is asked again: others may have changed a record after the list was read.
    const listings = await trial.each([...suspected.values()].slice(0, MOST_QUERIES), (query) =>
      trial.filtered(operation, query, { toTheEnd: true, refusable: true }),
    )
    for (const record of listings.flatMap(({ records }) => sampleOf(records)))
      for (const name of otherwise(record))
        trial.differ(
          {
            message: `${PLURAL[operation]} show ${name} otherwise when filtered than in the whole list`,
            expected: all.byId.get(idOf(record.value)!)!.value[name],
            received: record.value[name],
            exchange: record.exchange,
            pointer: `${record.pointer}/${name}`,
          },
          { operation, id: idOf(record.value) },
        )
    if (!trial.examined['records'])
      trial.notExercised(`Needs ${PLURAL[operation]} that a filter finds, and whose contacts are not updated.`)
  }
}

/** Answers that the company got for calls with filters before the first update; of equal ones, one. */
function filteredAnswers(trial: Trial, operation: Searched): Reading[] {
  const { caller, evidence } = trial.session
  const firstUpdate = updatesSent(trial)[0]?.number ?? Infinity
  const bodies = new Set<unknown>()
  return evidence.answers.filter((answer) => {
    const { exchange, usable, body } = answer
    if (!usable || exchange.operation !== operation || exchange.request.caller !== caller) return false
    if (exchange.number > firstUpdate || bodies.has(body) || Object.keys(filtersOf(answer)).length === 0) return false
    bodies.add(body)
    return true
  })
}

function filtersOf({ exchange }: Reading): Query {
  const { pageNumber: _page, ...filters } = Object.fromEntries(new URL(exchange.request.url).searchParams)
  return filters
}

function sampleOf<T>(records: readonly T[]): readonly T[] {
  const step = Math.ceil(records.length / MOST_RECORDS)
  return step <= 1 ? records : records.filter((_, index) => index % step === 0)
}
