import type { Exchange } from '../../../engine/http/exchange.ts'
import { idOf, isObject, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { UPDATE_FIELDS, type UpdateField } from './update-body.ts'
import type { Embedded } from '../after-updates/shown-elsewhere.ts'

/** The fields that are not in a contact: a null is another fault's, and shows as little. */
function missingFields(contact: Schemas['Contact']): readonly UpdateField[] {
  return UPDATE_FIELDS.filter((field) => isMissing(contact[field]))
}

/**
 * The fields that an update has taken from an embedded contact: those that the same record showed of it in an earlier
 * answer to the same request, be it on another page. Which fields are shown is open, and what is false or empty may be left out: it is missed
 * only where such values are shown.
 */
export function takenFields(trial: Trial, { operation, before, now, changed }: Embedded): readonly UpdateField[] {
  // What an earlier pass has lost is gone before this one.
  const missing = now ? missingFields(now.value).filter((field) => before[field]) : []
  if (!now || missing.length === 0) return []
  const earlier = everyRecord(trial, operation, trial.session.caller).filter(
    ({ exchange }) => exchange.number < now.exchange.number && withoutPage(exchange) === withoutPage(now.exchange),
  )
  const shown = earlier.flatMap(({ record }) =>
    [record['contact'], record['contacts']]
      .flat()
      .filter(isObject)
      .map((contact: Schemas['Contact']) => ({ recordId: idOf(record), contact })),
  )
  return missing.filter((field) => {
    const was = shown.find(
      ({ recordId, contact }) => recordId === now.recordId && idOf(contact) === idOf(now.value) && contact[field],
    )
    const isTold = changed[field] || shown.some(({ contact }) => !contact[field] && !isMissing(contact[field]))
    return was && (changed[field] === undefined || isTold)
  })
}

function withoutPage({ request }: Exchange): string {
  const url = new URL(request.url)
  url.searchParams.delete('pageNumber')
  return url.href
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null
}
