import type { Contract } from '../engine/contract.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { narrowed, register } from '../requirements/register.ts'
import { updatesInDepth } from './updates-in-depth.ts'

/** Every requirement that a certificate needs: those of any run, and updates in depth. */
export function certificationRequirements(contract: Contract, operations?: readonly string[]): readonly Requirement[] {
  return [...register(contract, operations), ...narrowed(updatesInDepth, operations)]
}
