import type { Requirement } from '../../engine/judging/requirement.ts'
import { dateObservations } from './date-notation.ts'
import { listObservations } from './lists.ts'
import { pagingObservations } from './paging.ts'
import { refusalObservations } from './refusals.ts'
import { updateObservations } from './updates.ts'

/** What the document leaves open, as the target turns out to do it. */
export const observations: readonly Requirement[] = [
  ...pagingObservations,
  ...listObservations,
  ...dateObservations,
  ...refusalObservations,
  ...updateObservations,
]
