import { idOf, type ListOperation } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { NOUN } from '../operations.ts'

/** What a search or another filter finds is in the unfiltered list. */
export function partOfTheList<O extends ListOperation>(
  operation: O,
  queries: (trial: Trial) => Promise<readonly Readonly<Record<string, string>>[]>,
): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    if (!all.complete) trial.notExercised(`It takes a list that ends within MAX_PAGES; raise it to reach the end.`)
    const listings = await Promise.all(
      (await queries(trial)).map((query) => trial.filtered(operation, query, { toTheEnd: true, refusable: true })),
    )
    for (const record of listings.flatMap(({ records }) => records)) {
      trial.count('records')
      if (idOf(record.value) !== undefined && !all.byId.has(idOf(record.value)!))
        trial.differ(
          {
            message: `${NOUN[operation]} were found that the unfiltered list does not reach`,
            expected: `the record ${idOf(record.value)} on some page of the list`,
            received: `${all.records.length} other records`,
            exchange: record.exchange,
            pointer: record.pointer,
          },
          operation,
        )
    }
    if (!trial.examined['records']) trial.notExercised(`It takes ${NOUN[operation]} that a search or a filter finds.`)
  }
}
