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

/** Every requirement there is by the file that has it, in the order in which a report shows them. */
function sections(contract: Contract) {
  return {
    authentication,
    contacts,
    dates,
    paging,
    schedules,
    tickets,
    tags,
    consistency,
    isolation,
    'known-answers': knownAnswers,
    updates,
    observations,
    answers,
    fields: fields(contract),
  } satisfies Record<string, readonly Requirement[]>
}

/** A file of requirements. */
export type Section = keyof ReturnType<typeof sections>

/** Every requirement there is, in the order in which a report shows them. */
export function register(contract: Contract): readonly Requirement[] {
  return Object.values(sections(contract)).flat()
}

/** What a requirement says, without what checks it. */
export type Demand = Omit<Requirement, 'check'> & { readonly section: Section }

/** What every requirement says: all that it takes to list it as a test. */
export function demands(contract: Contract): readonly Demand[] {
  return Object.entries(sections(contract)).flatMap(([section, requirements]) =>
    requirements.map((requirement) => ({ ...requirement, section: section as Section })),
  )
}
