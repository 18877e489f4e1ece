import type { OperationId } from '../../engine/contract.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import type { BaseListing } from '../../engine/data/listing.ts'
import type { ListOperation, RecordOf } from '../../engine/data/records.ts'
import { PLURAL, SECTION } from '../operations.ts'

/**
 * Tells what the target does where the document is silent; raises NotExercised where there was nothing to see. Other data
 * may show fewer of the values in a list, and fewer members of an object: a profile takes neither for a change.
 */
export type Observe = (trial: Trial) => Promise<unknown>

/** A requirement that can't fail: what it sees is recorded. */
export function observation(
  operation: OperationId,
  name: string,
  topic: string,
  observe: Observe,
  options: Pick<Requirement, 'phase' | 'volatile'> & { readonly source?: string } = {},
): Requirement {
  const { source = SECTION[operation], ...others } = options
  return {
    id: `${operation}.observed.${name}`,
    level: 'observed',
    title: `Not shown: ${topic}.`,
    source,
    operations: [operation],
    ...others,
    check: async (trial) => trial.observe(topic, operation, await observe(trial)),
  }
}

/** The unfiltered list of an operation, which must not be empty. */
export async function someOf<O extends ListOperation>(trial: Trial, operation: O): Promise<BaseListing<RecordOf<O>>> {
  const all = await trial.list(operation)
  return all.records.length > 0 ? all : trial.notExercised(`Needs ${PLURAL[operation]}; the target lists none.`)
}
