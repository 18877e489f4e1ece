import type { ReportedRequirement } from '../result/report-format.ts'

type Demand = Pick<ReportedRequirement, 'id' | 'level' | 'operations'> &
  Partial<Pick<ReportedRequirement, 'outcome' | 'findings'>>

/** What a demand is about: the columns of a report's table of operations by area. */
export const AREAS = [
  'authentication',
  'answer',
  'fields',
  'filters',
  'paging',
  'dates',
  'search',
  'consistency',
  'known answers',
  'isolation',
  'update',
] as const

export type Area = (typeof AREAS)[number]

/** By the second part of an id; requirements of a field have the field's name there instead. */
const AREA_OF: Readonly<Record<string, Area>> = {
  authentication: 'authentication',
  answer: 'answer',
  filter: 'filters',
  paging: 'paging',
  date: 'dates',
  search: 'search',
  consistency: 'consistency',
  tags: 'consistency',
  known: 'known answers',
  isolation: 'isolation',
  update: 'update',
}

/** The area of a requirement that can fail. */
export function areaOf(id: string): Area {
  const [subject = '', part = ''] = id.split('.')
  // Schemas begin with a capital letter, operations don't.
  return /^[A-Z]/.test(subject) ? 'fields' : (AREA_OF[part] ?? 'consistency')
}

/** Every area by which requirements can be filtered: what is only observed is one of its own. */
export function filterAreaOf({ id, level }: Pick<Demand, 'id' | 'level'>): string {
  return level === 'observed' ? 'observed' : areaOf(id)
}

/**
 * The stated and implied requirements of a report by operation and area; one of several operations is at each, or where
 * it failed at those whose answers showed it.
 */
export function demandsByArea<T extends Demand>(
  requirements: readonly T[],
): {
  readonly operations: readonly string[]
  readonly at: (operation: string, area: Area) => readonly T[]
} {
  const demands = requirements.filter(({ level }) => level !== 'observed')
  return {
    operations: [...new Set(demands.flatMap(({ operations }) => operations))],
    at: (operation, area) =>
      demands.filter(
        (one) => one.operations.includes(operation) && areaOf(one.id) === area && !failedElsewhere(one, operation),
      ),
  }
}

function failedElsewhere({ outcome, findings = [] }: Demand, operation: string): boolean {
  return (
    outcome === 'failed' &&
    findings.every((finding) => finding.operation !== undefined && finding.operation !== operation)
  )
}
