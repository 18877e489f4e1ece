import type { Contract } from '../engine/contract.ts'
import type { Requirement } from '../engine/requirement.ts'
import { answers } from './answers.ts'
import { authentication } from './authentication.ts'
import { consistency } from './consistency.ts'
import { contacts } from './contacts.ts'
import { dates } from './dates.ts'
import { fields } from './fields.ts'
import { isolation } from './isolation.ts'
import { knownAnswers } from './known-answers.ts'
import { observations } from './observations/observations.ts'
import { paging } from './paging.ts'
import { schedules } from './schedules.ts'
import { tags } from './tags.ts'
import { tickets } from './tickets.ts'
import { updates } from './updates.ts'

/** Every requirement there is, in the order in which a report shows them. */
export function register(contract: Contract): readonly Requirement[] {
  return [
    ...authentication,
    ...contacts,
    ...dates,
    ...paging,
    ...schedules,
    ...tickets,
    ...tags,
    ...consistency,
    ...isolation,
    ...knownAnswers,
    ...updates,
    ...observations,
    ...answers,
    ...fields(contract),
  ]
}
