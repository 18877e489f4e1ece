import type { Observation, Requirement, Result } from './requirement.ts'
import { RunEnded } from '../time/clock.ts'
import { COMPANIES, type Company } from '../http/credentials.ts'
import type { Session } from './session.ts'
import { Unanswered } from '../trouble/unanswered.ts'
import { isListedStill, operationOf, Snapshot, type Basis } from '../data/snapshot.ts'
import { CACHED_MS } from '../time/time.ts'
import { NotExercised, Trial } from './trial.ts'

interface Attempt {
  readonly trial: Trial
  readonly reason?: string
  readonly broken?: boolean
}

/**
 * Judges requirements against the session's target: those that read together, then those that write one by one, then
 * those that send bad tokens, then those that weigh every answer of the run. What fails is confirmed before it is reported.
 * @param report is told of each result as soon as there is one.
 */
export async function judge(
  session: Session,
  requirements: readonly Requirement[],
  report: (result: Result) => void = () => undefined,
): Promise<Result[]> {
  const results = new Map<string, Result>()
  const settle = (batch: readonly Requirement[]): Promise<void> =>
    judgeBatch(session, batch, (result) => {
      results.set(result.requirement.id, result)
      report(result)
    })
  const ofPhase = (phase: Requirement['phase']) => requirements.filter((requirement) => requirement.phase === phase)
  await settle(ofPhase(undefined))
  await settle(ofPhase('write'))
  await settle(ofPhase('unauthorized'))
  await settle(ofPhase('review'))
  return requirements.map((requirement) => results.get(requirement.id)!)
}

async function judgeBatch(
  session: Session,
  requirements: readonly Requirement[],
  report: (result: Result) => void,
): Promise<void> {
  session.run.turnTo('first')
  const first = await attemptAll(session, requirements, (attempted) => {
    if (!isToBeConfirmed(attempted)) report(toResult(attempted))
  })
  const failed = first.filter(isToBeConfirmed)
  if (failed.length === 0) return

  const before = await takeSnapshots(failed)
  await outlastCaches(session, failed)
  session.run.turnTo('confirmation')
  const again = await attemptAll(
    session,
    failed.map(({ trial }) => trial.requirement),
  )
  const between = await takeSnapshots(failed)
  // Where a list moves, a cached answer would say that it stands, however soon it is asked for.
  if (COMPANIES.some((company) => before[company].hasMoved(between[company]))) await outlastCaches(session, again)
  session.run.turnTo('stability check')
  const after = await takeSnapshots(failed)
  session.run.turnTo('first')
  const stood = new Map<string, boolean>()
  const stands = (caller: Company, basis: Basis): boolean => {
    // Thousands of findings may rest on the same, such as everything in a list.
    const key = JSON.stringify([caller, basis])
    const known = stood.get(key)
    if (known !== undefined) return known
    const isSame = [between, after].every((other) => before[caller].isSame(basis, other[caller]))
    stood.set(key, isSame)
    return isSame
  }
  const restless = (caller: Company, basis: Basis): readonly string[] => {
    const still = between[caller].restlessFields(basis, after[caller])
    return before[caller].restlessFields(basis, between[caller]).filter((field) => still.includes(field))
  }
  for (const [index, attempted] of failed.entries()) report(confirm(attempted, again[index]!, { stands, restless }))
}

/** A comparison may set a cached answer against a fresh one, of data that others change: it is made again only later. */
async function outlastCaches(session: Session, failed: readonly Attempt[]): Promise<void> {
  if (!failed.some(({ trial }) => trial.findings.some(({ basis }) => basis !== undefined))) return
  try {
    await session.pause(CACHED_MS)
  } catch (error) {
    // The confirmation then says that the run's time was over.
    if (!(error instanceof RunEnded)) throw error
  }
}

/** What companies see of the lists on which their findings rest. */
async function takeSnapshots(failed: readonly Attempt[]): Promise<Record<Company, Snapshot>> {
  const { session } = failed[0]!.trial
  const basesOf = (caller: Company) =>
    failed.flatMap(({ trial }) =>
      trial.session.caller === caller ? trial.findings.flatMap(({ basis }) => basis ?? []) : [],
    )
  const take = (caller: Company) => Snapshot.take(session.as(caller), basesOf(caller))
  return { main: await take('main'), other: await take('other') }
}

function isToBeConfirmed(attempted: Attempt): boolean {
  return attempted.trial.findings.length > 0 && !attempted.broken && !isCertain(attempted)
}

/** What one answer alone proves, of all the answers of the run, a confirmation would only prove again. */
function isCertain({ trial }: Attempt): boolean {
  const { findings, requirement } = trial
  if (findings.every(({ once }) => once)) return true
  return requirement.phase === 'review' && findings.every(({ basis }) => basis === undefined)
}

/** Checks that read run together; a check that writes has the target to itself. */
async function attemptAll(
  session: Session,
  requirements: readonly Requirement[],
  tell: (attempted: Attempt) => void = () => undefined,
): Promise<Attempt[]> {
  const attempts = new Map<Requirement, Attempt>()
  const make = async (requirement: Requirement): Promise<void> => {
    const attempted = await attempt(session, requirement)
    attempts.set(requirement, attempted)
    tell(attempted)
  }
  for (const requirement of requirements) if (requirement.phase === 'write') await make(requirement)
  await Promise.all(requirements.filter(({ phase }) => phase !== 'write').map(make))
  return requirements.map((requirement) => attempts.get(requirement)!)
}

async function attempt(session: Session, requirement: Requirement): Promise<Attempt> {
  const trial = new Trial(session.as(requirement.caller ?? 'main'), requirement)
  try {
    await requirement.check(trial)
    return { trial }
  } catch (error) {
    if (error instanceof NotExercised) return { trial, reason: error.message }
    if (error instanceof Unanswered) return { trial, reason: `${error.message}.` }
    if (error instanceof RunEnded) return { trial, reason: error.message }
    return { trial, reason: error instanceof Error ? (error.stack ?? error.message) : String(error), broken: true }
  }
}

/** What became, between the looks, of the data that findings rest on. */
interface Stability {
  readonly stands: (caller: Company, basis: Basis) => boolean
  /** The fields that were another in every record at each look. */
  readonly restless: (caller: Company, basis: Basis) => readonly string[]
}

/** Reports of a failed check what the confirmation shows too, on data that has not moved in between. */
function confirm(first: Attempt, second: Attempt, stability: Stability): Result {
  const { stands } = stability
  if (second.broken) return toResult(second)
  const seen = new Map(first.trial.findings.map((finding) => [finding.message, finding]))
  const { caller } = second.trial.session
  const certain = first.trial.findings.filter(({ once }) => once)
  const confirmed = second.trial.findings.filter(({ message, basis = [], places, once }) => {
    const before = seen.get(message)
    if (before?.once) return false
    if (once) return true
    if (!before || !basis.every((one) => stands(caller, one))) return false
    // Where others change a list, another record each time is one of theirs.
    const isQuiet = basis.every((one) => isListedStill(one) || stands(caller, { everythingIn: operationOf(one) }))
    return isQuiet || [...places].some((place) => before.places.has(place))
  })
  const findings = [...certain, ...confirmed]
  if (findings.length > 0) return { ...toResult(second), outcome: 'failed', findings }
  const gone = first.trial.findings[0]!.message
  if (second.reason !== undefined && second.trial.findings.length === 0)
    return {
      ...toResult(second),
      outcome: 'not exercised',
      reason: `"${gone}" was seen, and could not be confirmed: ${second.reason}`,
    }
  return {
    ...toResult(second),
    outcome: 'not exercised',
    reason: whyUnconfirmed(first, second, stability),
    findings: [],
  }
}

/** Why a finding that was seen is not reported, in a sentence. */
function whyUnconfirmed(first: Attempt, second: Attempt, { stands, restless }: Stability): string {
  const { message, basis = [] } = first.trial.findings[0]!
  const { caller } = second.trial.session
  const isSeenAgain = second.trial.findings.some((finding) => finding.message === message)
  const seen = `"${message}" was seen`
  const [restlessField] = basis.flatMap((one) => restless(caller, one))
  if (restlessField !== undefined)
    return `Needs records that say the same each time they are asked for: ${seen}, and ${restlessField} is another in every record at each look.`
  if (!isSeenAgain && basis.length > 0 && basis.every((one) => stands(caller, one)))
    return `Needs a target that answers the same in the same way: ${seen}, and then not again, though what it rests on had not changed.`
  return `Needs data that stands still while it is looked at: ${seen}, and then not again on unchanged data. Run again when the target is quiet; if it was, its lists are in another order each time, or one of several servers answers otherwise than the others.`
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
