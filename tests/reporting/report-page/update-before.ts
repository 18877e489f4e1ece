import type { EvidenceEntry } from '../result/evidence-har.ts'
import type { Found } from '../problems/findings-of.ts'
import type { EntryOf } from './findings.ts'

/**
 * The changing request whose effect an answer showed: the last one before it of an operation that the requirement is
 * about, of the record that the finding names where there was one.
 */
export function updateBefore({ requirement, finding }: Found, entryOf: EntryOf): EvidenceEntry | undefined {
  if (entryOf(finding.exchange)?.request.method !== 'GET') return undefined
  const earlier = Array.from({ length: finding.exchange - 1 }, (_, index) => entryOf(index + 1)!)
  const updates = earlier.filter(
    ({ request, _operation: operation }) => request.method !== 'GET' && requirement.operations.includes(operation),
  )
  const { record } = finding
  const isOfRecord = ({ request }: EvidenceEntry): boolean =>
    record !== undefined && request.url.endsWith(`/${encodeURIComponent(record)}`)
  return updates.findLast(isOfRecord) ?? updates.at(-1)
}
