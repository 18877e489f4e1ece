import type { Contract } from './contract.ts'
import type { Dataset } from './dataset.ts'
import { judge } from './judge.ts'
import { preflight } from './preflight.ts'
import type { Requirement, Result } from './requirement.ts'
import { Session } from './session.ts'
import type { RunSettings, TargetSettings } from './settings.ts'
import { verdictOn, type Verdict } from './verdict.ts'

/** What a whole run found out about a target. */
export interface Conformance {
  readonly verdict: Verdict
  readonly results: readonly Result[]
  readonly session: Session
}

/**
 * Judges a target by every requirement, in this process.
 * @param begin makes sure that the target can be judged.
 * @throws Unjudgeable where the target can't be reached or refuses its token.
 */
export async function conformance(
  target: TargetSettings,
  settings: RunSettings,
  contract: Contract,
  requirements: readonly Requirement[],
  dataset?: Dataset,
  begin: (session: Session) => Promise<void> = preflight,
): Promise<Conformance> {
  const session = new Session(target, settings, contract, dataset)
  try {
    await begin(session)
    const results = await judge(session, requirements)
    return { verdict: verdictOn(results, settings.level), results, session }
  } finally {
    await session.close()
  }
}
