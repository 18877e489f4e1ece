import type { OperationId } from '../../engine/contract.ts'
import type { Requirement } from '../../engine/requirement.ts'
import type { Trial } from '../../engine/trial.ts'
import { SECTION } from '../operations.ts'

/** Tells what the target does where the document is silent; raises NotExercised where there was nothing to see. */
export type Look = (trial: Trial) => Promise<unknown>

/** A requirement that can't fail: what it sees is recorded. */
export function observation(
  operation: OperationId,
  name: string,
  topic: string,
  look: Look,
  options: { readonly source?: string; readonly turn?: Requirement['turn'] } = {},
): Requirement {
  return {
    id: `${operation}.observed.${name}`,
    level: 'observed',
    title: `Not shown: ${topic}.`,
    source: options.source ?? SECTION[operation],
    operations: [operation],
    ...(options.turn && { turn: options.turn }),
    check: async (trial) => trial.observe(topic, operation, await look(trial)),
  }
}
