import { idOf, sameShown, type ListOperation, type Located, type RecordOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { EXACT_FILTERS, PLURAL, type Filtered, type Searched } from '../operations.ts'
import { filterValue } from './filter-value.ts'
import { searchable } from './searchable.ts'

/**
 * A record is the same record, whichever filter finds it.
 * @param more further queries that a target may refuse.
 */
export function sameWhenFiltered<O extends Searched>(
  operation: O,
  more: (trial: Trial) => Promise<readonly Readonly<Record<string, string>>[]> = async () => [],
): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    const texts = (await searchable(trial, operation, 'any')).flatMap((one) => one.texts)
    const further = await more(trial)
    const listings = await Promise.all([
      ...texts.map((text) => trial.searched(operation, text)),
      ...filterQueries(trial, operation, all.records).map((query) => trial.filtered(operation, query)),
      ...further.map((query) => trial.filtered(operation, query, { toTheEnd: true, refusable: true })),
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
              message: `${PLURAL[operation]} show ${name} otherwise when filtered than in the whole list`,
              expected: listed.value[name],
              received: record.value[name],
              exchange: record.exchange,
              pointer: `${record.pointer}/${name}`,
            },
            { operation, id: idOf(record.value) },
          )
    }
    if (!trial.examined['records']) trial.notExercised(`Needs ${PLURAL[operation]} that a filter finds.`)
  }
}

function valueOf(record: unknown, field: string): string | undefined {
  return filterValue(record as Record<string, unknown>, field)
}

function filterQueries<O extends ListOperation>(
  trial: Trial,
  operation: O,
  records: readonly Located<RecordOf<O>>[],
): Record<string, string>[] {
  const filters: readonly string[] = operation in EXACT_FILTERS ? EXACT_FILTERS[operation as unknown as Filtered] : []
  const alone = filters.flatMap((field) => {
    const values = [...new Set(records.flatMap(({ value }) => valueOf(value, field) ?? []))]
    return trial.random.helpers.arrayElements(values, field === 'status' ? 3 : 1).map((value) => ({ [field]: value }))
  })
  const together = records
    .map(({ value }) => filters.slice(0, 2).map((field) => [field, valueOf(value, field)]))
    .find((pairs) => pairs.length === 2 && pairs.every(([, value]) => value !== undefined))
  return together ? [...alone, Object.fromEntries(together) as Record<string, string>] : alone
}
