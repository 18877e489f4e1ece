import type { Contract, OperationId } from '../engine/contract.ts'
import { digestOf } from './digest.ts'

const SEED_DIGITS = 7

/**
 * The seed of a run that a nonce was given for: a party that has not run the suite since the nonce was issued has no evidence
 * with the random values that follow from it.
 */
export function seedOf(nonce: string): number {
  return Number.parseInt(digestOf(nonce).slice(0, SEED_DIGITS), 16)
}

/** Whether a request to some operations can hold a random value: without parameters, every run asks the same. */
export function isDecidedByNonce(contract: Contract, operations: readonly string[]): boolean {
  return operations.some((id) => {
    const { path, queryParameters } = contract.operation(id as OperationId)
    return queryParameters.length > 0 || path.includes('{')
  })
}
