import type { ListOperation } from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import { SECTION } from './operations.ts'

/** Makes the requirements of one list that its section of the document can only mean. */
export function impliedOf(
  operation: ListOperation,
): (name: string, title: string, check: Requirement['check']) => Requirement {
  return (name, title, check) => ({
    id: `${operation}.${name}`,
    level: 'implied',
    title,
    source: SECTION[operation],
    operations: [operation],
    check,
  })
}
