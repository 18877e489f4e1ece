import type { Observation, Requirement, Result } from './requirement.ts'
import { Unanswered, type Session } from './session.ts'
import { NotExercised, Snapshot, Trial } from './trial.ts'

interface Attempt {
  readonly trial: Trial
  readonly reason?: string
  readonly broken?: boolean
}

/**
 * Judges requirements against the session's target: those that read together, then those that write one by one, then
 * those that weigh every answer of the run. What fails is looked at a second time before it is reported.
 */
export async function judge(
  session: Session,
  requirements: readonly Requirement[],
  report: (result: Result) => void = () => undefined,
): Promise<Result[]> {
  const results = new Map<string, Result>()
  const settle = async (batch: readonly Requirement[]): Promise<void> => {
    for (const result of await judgeBatch(session, batch)) {
      results.set(result.requirement.id, result)
      report(result)
    }
  }
  await settle(requirements.filter((requirement) => requirement.turn === undefined))
  for (const requirement of requirements.filter(({ turn }) => turn === 'writes')) await settle([requirement])
  await settle(requirements.filter((requirement) => requirement.turn === 'everything'))
  return requirements.map((requirement) => results.get(requirement.id)!)
}

async function judgeBatch(session: Session, requirements: readonly Requirement[]): Promise<Result[]> {
  const first = await Promise.all(requirements.map((requirement) => attempt(session, requirement)))
  const failed = first.filter(({ trial }) => trial.findings.length > 0)
  if (failed.length === 0) return first.map(toResult)

  const before = new Snapshot(session)
  for (const { trial } of failed) await Promise.all(grounds(trial).map((ground) => before.of(ground)))
  session.forget()
  const after = new Snapshot(session)
  const second = new Map(
    await Promise.all(
      failed.map(async (attempted) => {
        const again = await attempt(session, attempted.trial.requirement)
        return [attempted, await confirm(attempted, again, before, after)] as const
      }),
    ),
  )
  return first.map((attempted) => second.get(attempted) ?? toResult(attempted))
}

async function attempt(session: Session, requirement: Requirement): Promise<Attempt> {
  const trial = new Trial(session, requirement)
  try {
    await requirement.check(trial)
    return { trial }
  } catch (error) {
    if (error instanceof NotExercised) return { trial, reason: error.message }
    if (error instanceof Unanswered) return { trial, reason: `${error.message}; see the answer requirements.` }
    return { trial, reason: error instanceof Error ? (error.stack ?? error.message) : String(error), broken: true }
  }
}

/** Reports of a failed check what the second look shows too, on ground that has not moved in between. */
async function confirm(first: Attempt, second: Attempt, before: Snapshot, after: Snapshot): Promise<Result> {
  if (second.broken) return toResult(second)
  const messages = new Set(first.trial.findings.map(({ message }) => message))
  const findings = []
  for (const finding of second.trial.findings) {
    const moved = await Promise.all(
      (finding.ground ?? []).map(async (ground) => (await before.of(ground)) !== (await after.of(ground))),
    )
    if (messages.has(finding.message) && !moved.includes(true)) findings.push(finding)
  }
  if (findings.length > 0) return { ...toResult(second), outcome: 'failed', findings }
  const gone = first.trial.findings[0]!.message
  return {
    ...toResult(second),
    outcome: 'not exercised',
    reason: `The data changed while it was looked at: "${gone}" was seen once, and not again on data that stood still. Run again when the target is quiet.`,
    findings: [],
  }
}

function grounds(trial: Trial): NonNullable<Trial['findings'][number]['ground']>[number][] {
  return trial.findings.flatMap(({ ground }) => ground ?? [])
}

function toResult({ trial, reason, broken }: Attempt): Result {
  const { requirement, examined, findings } = trial
  const observations: readonly Observation[] = trial.observations
  const common = { requirement, examined, findings, observations }
  if (broken) return { ...common, outcome: 'broken', reason: reason!, findings: [] }
  if (findings.length > 0) return { ...common, outcome: 'failed' }
  if (reason !== undefined && observations.length === 0) return { ...common, outcome: 'not exercised', reason }
  if (Object.values(examined).every((number) => number === 0) && observations.length === 0)
    return { ...common, outcome: 'not exercised', reason: 'Nothing was there to be examined.' }
  return { ...common, outcome: 'passed' }
}
