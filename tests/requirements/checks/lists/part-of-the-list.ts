import { type AnyRecord, idOf, type ListOperation, type Located } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL } from '../../operations.ts'
import { isKeptApart, isOftenShown, isSent, SCOPES } from './cut-short.ts'
import { judgeRepeated } from '../filters/matching.ts'

/**
 * What a search or another filter finds is in the unfiltered list, or is told from all that is by a state to which the
 * list keeps, such as schedules that have been sent.
 */
export function partOfTheList<O extends ListOperation>(
  operation: O,
  queries: (trial: Trial) => Promise<readonly Readonly<Record<string, string>>[]>,
): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    if (all.lacks !== undefined) trial.notExercised(all.lacks)
    const listings = await Promise.all(
      (await queries(trial)).map((query) => trial.filtered(operation, query, { refusable: true })),
    )
    for (const listing of listings) await judgeRepeated(trial, operation, listing)
    const found = listings.flatMap(({ records }) => records)
    // A record that does not show its status may be one of those that the list keeps apart by it.
    const telling = all.records.some(({ value }) => 'status' in value)
    const beyond = found.filter(
      ({ value }) => idOf(value) !== undefined && !all.byId.has(idOf(value)!) && (!telling || 'status' in value),
    )
    trial.count('records', found.length)
    const [listed, missing] = [all.records, beyond].map(valuesOnly)
    const keepsToUnsent = listed!.length === 0 && missing!.every(isSent)
    const isOutside = missing!.length > 0 && !keepsToUnsent && !isKeptApart(listed!, missing!)
    const unseen = scopesNotShown(trial, operation, all.records)
    if (isOutside && unseen.length > 0)
      trial.notExercised(
        `Needs ${PLURAL[operation]} that show ${unseen.join(', ')}, as the list may keep to one value.`,
      )
    if (isOutside)
      for (const record of beyond)
        trial.differ(
          {
            message: `${PLURAL[operation]} were found that the unfiltered list does not reach`,
            expected: `the record ${idOf(record.value)} on some page of the list`,
            received: `${all.records.length} other records`,
            exchange: record.exchange,
            pointer: record.pointer,
          },
          operation,
        )
    if (!trial.examined['records']) trial.notExercised(`Needs ${PLURAL[operation]} that a search or a filter finds.`)
  }
}

/** The states of a resource that few of its records show: what a list keeps to by one of them cannot be told. */
function scopesNotShown(trial: Trial, operation: ListOperation, records: readonly Located<object>[]): string[] {
  const { contract } = trial.session
  const states = contract.comparableFields(contract.operation(operation).schema).filter((name) => SCOPES.includes(name))
  return records.length === 0
    ? []
    : states.filter((name) => !isOftenShown(records.map(({ value }) => (value as AnyRecord)[name])))
}

function valuesOnly(records: readonly Located<object>[]): AnyRecord[] {
  return records.map(({ value }) => value as AnyRecord)
}
