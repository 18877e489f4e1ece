import { SettingError } from '../../engine/settings/settings.ts'
import { counts } from '../../engine/judging/verdict.ts'
import { AREAS, areaOf } from '../wording/areas.ts'
import type { Report, ReportedRequirement } from './report-format.ts'

type Demand = Pick<ReportedRequirement, 'id' | 'operations'>

/**
 * Makes sure that everything FAIL_ON names is known.
 * @throws SettingError where it names neither `incomplete` nor an area, an operation or a requirement.
 */
export function checkFailOn(failOn: readonly string[], requirements: readonly Demand[]): void {
  const unknown = failOn.find((name) => name !== 'incomplete' && !requirements.some((one) => isNamed(one, name)))
  if (unknown === undefined) return
  throw new SettingError(
    `FAIL_ON names "${unknown}"; give incomplete, areas (${AREAS.join(', ')}), operations such as listTickets, or ids of requirements, with commas between them.`,
  )
}

/** The requirements that FAIL_ON wants judged, and were not; of a shard none, as the others may have judged them. */
export function missingOf(failOn: readonly string[], report: Report): readonly string[] {
  if (report.shard) return []
  const level = report.settings?.level ?? 'implied'
  return report.requirements
    .filter(({ outcome }) => outcome === 'not exercised')
    .filter((one) => failOn.some((name) => (name === 'incomplete' ? counts(one.level, level) : isNamed(one, name))))
    .map(({ id }) => id)
}

function isNamed({ id, operations }: Demand, name: string): boolean {
  return id === name || operations.includes(name) || areaOf(id) === name
}
