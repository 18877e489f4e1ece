import { idOf, sameShown, type ListOperation, type Located, type RecordOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { EXACT_FILTERS, NOUN, type Filtered, type Searched } from '../operations.ts'
import { filterValue } from './filter-value.ts'
import { searchable } from './searchable.ts'

/** A record is the same record, whichever filter finds it. */
export function sameWhenFiltered<O extends Searched>(operation: O): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    const texts = (await searchable(trial, operation, 'any')).flatMap((one) => one.texts)
    const listings = await Promise.all([
      ...texts.map((text) => trial.searched(operation, text)),
      ...filterQueries(trial, operation, all.records).map((query) => trial.filtered(operation, query)),
    ])
    const names = trial.session.contract.comparableFields(trial.session.contract.operation(operation).schema)
    for (const record of listings.flatMap(({ records }) => records)) {
      const listed = all.byId.get(idOf(record.value) ?? '')
      if (!listed) continue
      trial.count('records')
      for (const name of names as (keyof RecordOf<O> & string)[])
        if (
          name in (record.value as object) &&
          name in (listed.value as object) &&
          !sameShown(record.value[name], listed.value[name])
        )
          trial.differ(
            {
              message: `${NOUN[operation]} have another ${name} when filtered than in the whole list`,
              expected: listed.value[name],
              received: record.value[name],
              exchange: record.exchange,
              pointer: `${record.pointer}/${name}`,
            },
            { operation, id: idOf(record.value) },
          )
    }
    if (!trial.examined['records']) trial.notExercised(`It takes ${NOUN[operation]} that a filter finds.`)
  }
}

function filterQueries<O extends ListOperation>(
  trial: Trial,
  operation: O,
  records: readonly Located<RecordOf<O>>[],
): Record<string, string>[] {
  const filters: readonly string[] = operation in EXACT_FILTERS ? EXACT_FILTERS[operation as unknown as Filtered] : []
  return filters.flatMap((field) => {
    const values = [
      ...new Set(records.flatMap(({ value }) => filterValue(value as Record<string, unknown>, field) ?? [])),
    ]
    return trial.random.helpers.arrayElements(values, field === 'status' ? 3 : 1).map((value) => ({ [field]: value }))
  })
}
