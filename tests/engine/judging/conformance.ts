import type { Contract } from '../contract.ts'
import { judge } from './judge.ts'
import { preflight } from './preflight.ts'
import type { Requirement, Result } from './requirement.ts'
import { Session } from './session.ts'
import { Run, type Surroundings } from './run.ts'
import type { RunSettings, TargetSettings } from '../settings/settings.ts'
import { verdictOn, type Verdict } from './verdict.ts'

/** What a whole run found out about a target. */
export interface Conformance {
  readonly verdict: Verdict
  readonly results: readonly Result[]
  readonly session: Session
  /** What could not be put back, in sentences. */
  readonly left: readonly string[]
}

/** How a run begins, ends and may be ended, and what it goes by besides its settings. */
export interface Frame extends Surroundings {
  /** Makes sure that the target can be judged. */
  readonly begin?: (session: Session) => Promise<void>
  /** Puts back what was changed, and tells what could not be. */
  readonly restore?: (session: Session) => Promise<string[]>
  /** Interrupts the run. */
  readonly signal?: AbortSignal
  /** Is told of each result as it comes. */
  readonly onResult?: (result: Result) => void
}

/**
 * Judges a target by every requirement, in this process.
 * @throws PreflightError where the target can't be reached or refuses its token.
 */
export async function conformance(
  target: TargetSettings,
  settings: RunSettings,
  contract: Contract,
  requirements: readonly Requirement[],
  { begin = preflight, restore = () => Promise.resolve([]), signal, onResult, ...surroundings }: Frame = {},
): Promise<Conformance> {
  const session = new Session(new Run(target, settings, contract, surroundings))
  const interrupt = () => session.run.interrupt()
  if (signal?.aborted) interrupt()
  signal?.addEventListener('abort', interrupt)
  let results: readonly Result[] = []
  let left: readonly string[] = []
  try {
    await begin(session)
    results = await judge(session, requirements, onResult)
  } finally {
    left = await session.run.close(() => restore(session))
    signal?.removeEventListener('abort', interrupt)
  }
  return { verdict: verdictOn(results, settings.level, { left, trouble: session.run.trouble }), results, session, left }
}
