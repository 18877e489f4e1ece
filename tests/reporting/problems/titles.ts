import { OPERATIONS } from '../../requirements/operations.ts'
import { areaOf } from '../wording/areas.ts'
import { enumerated } from '../wording/enumerated.ts'
import type { Found } from './findings-of.ts'

const MOST_NAMED = 4

/** The headline of a problem, in plain words. @param telling its findings that do not rest on others; at least one. */
export function titleOf(telling: readonly Found[]): string {
  const [{ requirement, finding }] = telling as [Found]
  const ids = [...new Set(telling.map((one) => one.requirement.id))]
  const operations = [...new Set(telling.map(aboutWhat))]
  const area = areaOf(requirement.id)
  if (area === 'authentication') return acceptance(operations, telling)
  const fields = ids.filter((id) => areaOf(id) === 'fields')
  if (fields.length > 1) return `${fields.length} fields ${wrongType(telling)}: ${enumerated(fields, MOST_NAMED)}`
  const filters = [...new Set(ids.flatMap((id) => /\.filter\.(status|\w+Id)/.exec(id)?.[1] ?? []))]
  if (filters.length > 1) return `${operations[0]}: filters do not select what they ask for: ${filters.join(', ')}`
  const isNamed = operations.some((operation) => finding.message.includes(operation))
  return isNamed ? finding.message : `${enumerated(operations, MOST_NAMED)}: ${finding.message}`
}

/** The operation that a requirement is about, though the answer of another showed it; of a field, the one that showed it. */
function aboutWhat({ requirement: { id }, operation }: Found): string {
  return OPERATIONS.find((one) => id.startsWith(`${one}.`)) ?? operation
}

function acceptance(operations: readonly string[], telling: readonly Found[]): string {
  const [message, ...others] = new Set(telling.map(({ finding }) => finding.message))
  const isAmong = (demands: RegExp): boolean => telling.some(({ requirement: { id } }) => demands.test(id))
  const how = isAmong(/\.(no-header|empty-bearer|filtered|second-page)$/)
    ? 'without a token'
    : `with a ${isAmong(/\.unknown-token$/) ? 'wrong token' : 'token much like a good one'}`
  if (OPERATIONS.every((operation) => operations.includes(operation))) return `No operation refuses a call ${how}`
  return `${enumerated(operations, MOST_NAMED)}: ${others.length === 0 ? message : `a call ${how} is accepted`}`
}

function wrongType(telling: readonly Found[]): string {
  const [{ finding }] = telling as [Found]
  if (finding.absent) return 'are left out'
  return finding.received === null ? 'are null' : `are not of the type ${String(finding.expected)}`
}
