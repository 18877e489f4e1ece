import type { EvidenceEntry } from '../reporting/result/evidence-har.ts'
import type { Report } from '../reporting/result/report-format.ts'

/** Times are recorded in whole milliseconds. */
const ROUNDING_MS = 2

/** What no run could have recorded of the times of its exchanges, in sentences: each kind once. */
export function faultsOfTimes(
  { startedAt, finishedAt }: Pick<Report, 'startedAt' | 'finishedAt'>,
  entries: readonly EvidenceEntry[],
): string[] {
  const without = entries.find((entry) => !hasTimes(entry))
  if (without) return [`Exchange ${without['_exchange']} of the evidence has no time, or ends before it begins.`]
  const ends = entries.map(({ startedDateTime, time }) => Date.parse(startedDateTime) + time)
  const isDated = entries.every(
    ({ startedDateTime }, index) =>
      Date.parse(startedAt) <= Date.parse(startedDateTime) && ends[index]! <= Date.parse(finishedAt) + ROUNDING_MS,
  )
  const at = ends.findIndex((end, index) => index > 0 && end + ROUNDING_MS < ends[index - 1]!)
  return [
    ...(isDated ? [] : ['The run is dated otherwise than the exchanges of its evidence.']),
    ...(at === -1
      ? []
      : [`Exchange ${at + 1} of the evidence was over before exchange ${at}; they are numbered as they ended.`]),
  ]
}

function hasTimes({ startedDateTime, time }: EvidenceEntry): boolean {
  return !Number.isNaN(Date.parse(startedDateTime)) && Number.isFinite(time) && time >= 0
}
