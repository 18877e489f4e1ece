import type { Reading } from '../../../engine/http/answer.ts'
import { queryOf } from '../../../engine/http/exchange.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import { idOf, sameShown, type Located, type RecordOf } from '../../../engine/data/records.ts'
import { CACHED_MS } from '../../../engine/time/time.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL, type Searched } from '../../operations.ts'
import { updatesSent } from '../updates/send-update.ts'
import { eventually } from '../eventually.ts'

type Query = Readonly<Record<string, string>>

/** Records of one answer that are compared: of a longer one, as many all over it. */
const MOST_RECORDS = 2000
/** Fields that were shown otherwise which are looked at again: more of them have the same cause. */
const MOST_FIELDS = 5

/** A field that a record shows otherwise where a filter finds it than in the whole list. */
interface Difference<R> {
  readonly field: string
  readonly listed: Located<R>
  readonly found: Located<R>
}

/**
 * A record is the same record, whichever filters find it: in every answer of the run, before any update.
 * @param ask calls with filters, where nothing else has sent any.
 */
export function sameWhenFiltered<O extends Searched>(
  operation: O,
  ask: (trial: Trial) => Promise<readonly Query[]>,
): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const { byId } = await trial.list(operation)
    if (filteredAnswers(trial, operation).length === 0)
      await trial.each(await ask(trial), (query) => trial.filtered(operation, query, { refusable: true }))
    const { contract } = trial.session
    const fields = contract.comparableFields(contract.operation(operation).schema)
    const differences = new Map<string, Difference<RecordOf<O>>>()
    for (const answer of filteredAnswers(trial, operation))
      for (const found of sampleOf(recordsOf(trial.session, operation, answer))) {
        const listed = byId.get(idOf(found.value) ?? '')
        const both = listed
          ? fields.filter((field) => field in (found.value as object) && field in (listed.value as object))
          : []
        if (both.length > 0) trial.count('records')
        for (const field of both)
          if (isOtherwise(field, found, listed!) && !differences.has(field))
            differences.set(field, { field, listed: listed!, found })
      }
    await trial.each([...differences.values()].slice(0, MOST_FIELDS), (one) => lookAgain(trial, operation, one))
    if (!trial.examined['records']) trial.notExercised(`Needs ${PLURAL[operation]} that a filter finds.`)
  }
}

/** Others may have changed the record between the two answers, or one may have been kept for a while: both are asked for again. */
async function lookAgain<O extends Searched>(
  trial: Trial,
  operation: O,
  { field, ...was }: Difference<RecordOf<O>>,
): Promise<void> {
  const now = async ({ value, exchange }: Located<RecordOf<O>>): Promise<Located<RecordOf<O>> | undefined> => {
    const query = queryOf(exchange)
    const records = recordsOf(trial.session, operation, await trial.session.attempt(operation, { query }))
    return records.find((one) => idOf(one.value) === idOf(value))
  }
  const { listed, found } = await eventually(
    trial.session,
    async () => {
      const before = await now(was.listed)
      const between = await now(was.found)
      const after = await now(was.listed)
      const stands = before && after && !isOtherwise(field, before, after)
      return { listed: stands ? after : undefined, found: between }
    },
    (seen) => seen.listed !== undefined && seen.found !== undefined && !isOtherwise(field, seen.found, seen.listed),
  )
  if (!listed || !found || !isOtherwise(field, found, listed)) return
  // Of two answers that were kept for a while, the one may be of before a change and the other of after it.
  await trial.session.pause(CACHED_MS)
  const later = await now(listed)
  if (!later || isOtherwise(field, later, listed)) return
  trial.fail({
    message: `${PLURAL[operation]} show ${field} otherwise when filtered than in the whole list`,
    expected: (listed.value as Query)[field],
    received: (found.value as Query)[field],
    exchange: found.exchange,
    pointer: `${found.pointer}/${field}`,
    once: true,
  })
}

function isOtherwise(field: string, one: Located<unknown>, other: Located<unknown>): boolean {
  return !sameShown((one.value as Query)[field], (other.value as Query)[field])
}

/** Answers that the company got for calls with filters before the first update; of equal ones, one. */
function filteredAnswers(trial: Trial, operation: Searched): Reading[] {
  const { caller, evidence } = trial.session
  const firstUpdate = updatesSent(trial)[0]?.number ?? Infinity
  const bodies = new Set<unknown>()
  return evidence.answers.filter(({ exchange, usable, body }) => {
    if (!usable || exchange.operation !== operation || exchange.request.caller !== caller) return false
    const parameters = [...new URL(exchange.request.url).searchParams.keys()]
    const isFiltered = parameters.some((name) => name !== 'pageNumber')
    if (!isFiltered || exchange.number > firstUpdate || bodies.has(body)) return false
    bodies.add(body)
    return true
  })
}

function sampleOf<T>(records: readonly T[]): readonly T[] {
  const step = Math.ceil(records.length / MOST_RECORDS)
  return step <= 1 ? records : records.filter((_, index) => index % step === 0)
}
