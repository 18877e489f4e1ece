import type { OperationId } from '../engine/contract.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { SECTION } from './operations.ts'

/** A requirement of an operation that its section of the document can only mean, with what else there is to say of it. */
export function implied(
  operation: OperationId,
  name: string,
  title: string,
  check: Requirement['check'],
  besides: Partial<Pick<Requirement, 'source' | 'operations' | 'phase' | 'caller'>> = {},
): Requirement {
  return {
    id: `${operation}.${name}`,
    level: 'implied',
    title,
    source: SECTION[operation],
    operations: [operation],
    check,
    ...besides,
  }
}

/** One that holds between the callers of an operation: of what the document shows, what the service does comes first. */
export function impliedOfCompanies(
  ...[operation, name, title, check, besides]: Parameters<typeof implied>
): Requirement {
  return implied(operation, name, title, check, { source: `What the service does; ${SECTION[operation]}`, ...besides })
}
