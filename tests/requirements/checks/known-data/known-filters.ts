import { idOf, valuesOf, type RecordOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { EXACT_FILTERS, PLURAL, type Filtered, type FilterOf } from '../../operations.ts'
import { pairsOf } from './known-records.ts'
import { mayLackSome } from '../lists/cut-short.ts'
import { orderOf } from '../filters/matching.ts'
import { pairing, type Pair } from './pairing.ts'

/** A filter by each known value brings the known records that hold it, and no other known one. */
export async function judgeKnownFilters<O extends Filtered>(trial: Trial, operation: O): Promise<void> {
  const [{ translate, differences }, all] = [await pairing(trial), await trial.list(operation)]
  const filters: readonly string[] = EXACT_FILTERS[operation]
  // What has been changed since it was loaded is rightly found by other values.
  const isAsLoaded = ({ known, listed }: Pair<O>): boolean =>
    !listed || !differences(operation, known, listed.value).some(({ field }) => filters.includes(field))
  const pairs = (await pairsOf(trial, operation))[1].filter(isAsLoaded)
  const cut = !all.complete || (!all.paged && pairs.some(({ listed }) => !listed))
  const questions = EXACT_FILTERS[operation].flatMap((name) => {
    const field = name as FilterOf<O> & keyof RecordOf<O>
    // A value that isn't shown may have been changed unseen.
    const shown = pairs.filter(({ listed }) => listed && listed.value[field] !== undefined)
    const values = valuesOf(
      shown.map(({ known }) => ({ value: known })),
      field,
    )
    return values.flatMap((value) => {
      const own = name === 'status' ? value : translate(name, value)
      const tells = shown.some(({ known }) => known[field] !== undefined && known[field] !== value)
      return own === undefined || !tells ? [] : [{ field, shown, value, own }]
    })
  })
  if (questions.length === 0)
    trial.notExercised(`Needs known ${PLURAL[operation]} that show different values of a filter.`)
  await trial.each(questions, async ({ field, shown, value, own }) => {
    const wanted = shown.filter(({ known }) => known[field] === value)
    const wantedIds = new Set(wanted.map(({ listed }) => idOf(listed!.value)!))
    const found = await trial.filtered(operation, { [field]: own }, { wanted: wantedIds })
    trial.count('values')
    const basis = (id: string | undefined) => ({ operation, id })
    for (const record of found.records) {
      trial.count('records')
      const known = shown.find(({ listed }) => idOf(listed!.value) === idOf(record.value))?.known
      if (known && known[field] !== value && known[field] !== undefined)
        trial.differ(
          {
            message: `the filter ${String(field)} returned ${PLURAL[operation]} that were loaded with another`,
            expected: own,
            received: known[field],
            exchange: record.exchange,
            pointer: record.pointer,
          },
          basis(idOf(record.value)),
        )
    }
    const missing = [...wantedIds].filter((id) => !found.byId.has(id))
    if (cut || mayLackSome(all, found)) return
    for (const id of missing)
      trial.differ(
        {
          message: `the filter ${String(field)} left out ${PLURAL[operation]} that were loaded with the value`,
          expected: `the record ${id}`,
          received: `${found.records.length} record(s)`,
          exchange: found.records[0]?.exchange ?? all.records[0]!.exchange,
        },
        basis(id),
        ...orderOf(operation, found),
      )
  })
}
