import type { OperationId } from '../contract.ts'
import type { Company } from '../http/credentials.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Trial } from './trial.ts'

/**
 * `stated`: the document says it; `implied`: the document cannot mean anything else;
 * `observed`: the document leaves it open, so it is recorded and never failed.
 */
export type Level = (typeof LEVELS)[number]

/** The levels, the weightiest first. */
export const LEVELS = ['stated', 'implied', 'observed'] as const

/**
 * `write`: changes the target, or cannot be told while others ask, so goes alone; `unauthorized`: sends bad tokens, after
 * which a target may lock its door for a while; `review`: judges all answers of the run, so comes last. What only reads has no phase of its own, and begins.
 */
export type Phase = 'write' | 'unauthorized' | 'review'

/** One checkable demand of the interface. */
export interface Requirement {
  /** Permanent; a test holds the list of them all. */
  readonly id: string
  readonly level: Level
  /** The demand as a sentence. */
  readonly title: string
  /** Section of the interface document it comes from. */
  readonly source: string
  readonly operations: readonly OperationId[]
  readonly phase?: Phase
  /** The company whose token is used and whose records are judged; the main one where it isn't given. */
  readonly caller?: Company
  /** Of what is only observed: it hangs on the data of the moment, on chance or on timing, and is no part of a profile. */
  readonly volatile?: true
  /** Raises NotExercised where the data can't tell; any other exception is a defect of the suite. */
  readonly check: (trial: Trial) => Promise<void>
}

/** One way in which a target broke a requirement. */
export interface Finding {
  readonly message: string
  readonly expected: unknown
  readonly received: unknown
  /** JSON pointer into the answer of the exchange. */
  readonly pointer: string
  /** Id of the record that it is about, where it is about one. */
  readonly record?: string
  readonly exchange: Exchange
  readonly occurrences: number
}

/** What a target does where the document is silent. */
export interface Observation {
  readonly id: string
  readonly topic: string
  readonly operation: OperationId
  readonly value: unknown
}

export type Outcome = 'passed' | 'failed' | 'not exercised' | 'broken'

/** What became of a requirement. */
export interface Result {
  readonly requirement: Requirement
  readonly outcome: Outcome
  /** Why it wasn't exercised and what would exercise it, or how the suite went wrong. */
  readonly reason?: string
  /** Counts of what was examined, by noun. */
  readonly examined: Readonly<Record<string, number>>
  readonly findings: readonly Finding[]
  readonly observations: readonly Observation[]
}
