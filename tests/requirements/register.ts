import type { Contract } from '../engine/contract.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { printable, SettingError } from '../engine/settings/settings.ts'
import { answers } from './answers.ts'
import { authentication } from './authentication.ts'
import { consistency } from './consistency.ts'
import { contacts } from './contacts.ts'
import { dates } from './dates.ts'
import { fields } from './fields.ts'
import { isolation } from './isolation.ts'
import { knownAnswers } from './known-answers.ts'
import { observations } from './observations/observations.ts'
import { isList, OPERATIONS } from './operations.ts'
import { paging } from './paging.ts'
import { secondCompany } from './second-company.ts'
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
    isolation: [...isolation, ...secondCompany],
    'known-answers': knownAnswers,
    updates,
    observations,
    answers,
    fields: fields(contract),
  } satisfies Record<string, readonly Requirement[]>
}

/** A file of requirements. */
export type Section = keyof ReturnType<typeof sections>

/**
 * Every requirement there is, in the order in which a report shows them.
 * @param operations what OPERATIONS names: those of these operations alone.
 * @throws SettingError where it names none that can be judged.
 */
export function register(contract: Contract, operations?: readonly string[]): readonly Requirement[] {
  return narrowed(Object.values(sections(contract)).flat(), operations)
}

/** A requirement that weighs answers does so of some operations too; any other needs all that it is about. */
export function narrowed<R extends Omit<Requirement, 'check'>>(
  requirements: readonly R[],
  operations: readonly string[] | undefined,
): readonly R[] {
  if (!operations) return requirements
  const known = OPERATIONS.filter((operation) => operations.includes(operation))
  const unknown = operations.find((name) => !OPERATIONS.some((operation) => operation === name))
  if (unknown !== undefined)
    throw new SettingError(`OPERATIONS names "${printable(unknown)}"; give some of: ${OPERATIONS.join(', ')}.`)
  if (!known.some(isList))
    throw new SettingError('OPERATIONS needs a list among them, as records are learned from lists; add one.')
  return requirements.flatMap((requirement) => {
    const own = requirement.operations.filter((operation) => known.includes(operation))
    const isWhole = own.length === requirement.operations.length
    return isWhole || (requirement.phase === 'review' && own.length > 0) ? [{ ...requirement, operations: own }] : []
  })
}

/** What a requirement says, without what checks it. */
export type Demand = Omit<Requirement, 'check'> & { readonly section: Section }

/** What every requirement says: all that it takes to list it as a test. */
export function demands(contract: Contract, operations?: readonly string[]): readonly Demand[] {
  return Object.entries(sections(contract)).flatMap(([section, requirements]) =>
    narrowed(requirements, operations).map((requirement) => ({ ...requirement, section: section as Section })),
  )
}
