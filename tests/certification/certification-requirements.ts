import type { Contract } from '../engine/contract.ts'
import type { Requirement } from '../engine/requirement.ts'
import { register } from '../requirements/register.ts'

/** Every requirement that a certificate needs. */
export function certificationRequirements(contract: Contract, operations?: readonly string[]): readonly Requirement[] {
  return register(contract, operations)
}
