import { digestOf } from './digest.ts'

const SEED_DIGITS = 7

/**
 * The seed of a run that a nonce was given for: a party that has not run the suite since the nonce was issued has no evidence
 * with the random values that follow from it.
 */
export function seedOf(nonce: string): number {
  return Number.parseInt(digestOf(nonce).slice(0, SEED_DIGITS), 16)
}
