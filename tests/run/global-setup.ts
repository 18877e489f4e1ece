import { Contract } from '../engine/contract.ts'
import { readDataset } from '../engine/dataset.ts'
import { preflight, Unjudgeable } from '../engine/preflight.ts'
import { Session } from '../engine/session.ts'
import { announceJudgements, readSettings, reportsDirectory, SettingError, type Settings } from '../engine/settings.ts'
import { Discretion } from '../reporting/discretion.ts'
import { evidenceHar } from '../reporting/evidence-har.ts'
import { reportOf, reportOfNothing, type Circumstances } from '../reporting/report.ts'
import { register } from '../requirements/register.ts'
import { openJudgingService } from './judging-service.ts'
import { ReportsFolder } from '../reporting/reports-folder.ts'
import { countRequestsOf } from './requests-sent.ts'
import { Said } from './requirement-test.ts'
import { Run } from './run.ts'
import { openTarget } from './target-under-test.ts'

type Known = { -readonly [K in keyof Circumstances]: Circumstances[K] }

/**
 * Begins a run: it reads the settings, reaches the target and opens the service that tests get their judgements from.
 * The session lives in this process, so that tests may be run by any number of others, and restarted.
 * @returns what ends the run: it sums up, leaves the target as it was and writes the reports.
 */
export default async function beginRun(): Promise<() => Promise<void>> {
  const contract = new Contract()
  const known: Known = { contract, requirements: register(contract), startedAt: new Date() }
  const folder = await sayOnly(() => new ReportsFolder(reportsDirectory()))
  const closing: (() => Promise<void>)[] = []
  let session: Session | undefined
  try {
    session = await openSession(known, closing)
    countRequestsOf(session)
    await preflight(session)
  } catch (error) {
    await closeAll(closing)
    if (!(error instanceof SettingError || error instanceof Unjudgeable)) throw error
    const reason = known.discretion?.text(error.message) ?? error.message
    await folder.write(...reportsOfNothing(known, reason, session))
    throw new Said(reason)
  }

  const discretion = known.discretion!
  const run = new Run(session, known.requirements, discretion)
  const service = await openJudgingService((id) => run.judge(id))
  closing.unshift(service.close)
  announceJudgements(service.address)

  return async () => {
    const late = await run.sumUp().catch((error: Error) => error)
    const left = await closeAll(closing)
    const { evidence } = session
    discretion.learn(evidence.exchanges)
    const report = reportOf({ ...known, discretion }, run.results, evidence)
    await sayOnly(() => folder.write(report, evidenceHar(evidence.exchanges, discretion)))
    if (late instanceof Error) throw late
    const complaints = [
      ...left.map((message) => `The target could not be left as it was: ${discretion.text(message)}.`),
      ...(late.length === 0
        ? []
        : [`Answers that came after their tests had passed broke ${late.join(', ')}; the report has the findings.`]),
    ]
    if (complaints.length > 0) throw new Said(complaints.join('\n'))
  }
}

/** Opens the session, and notes what becomes known on the way. */
async function openSession(known: Known, closing: (() => Promise<void>)[]): Promise<Session> {
  const settings: Settings = readSettings()
  const { target, close } = await openTarget(settings)
  closing.unshift(close)
  known.settings = settings
  known.target = target
  known.discretion = Discretion.ofPrivateData(target, known.contract, known.requirements)
  if (target.dataset !== undefined) {
    known.dataset = readDataset(known.contract, 'DATASET', target.dataset)
    known.datasetFile = target.dataset
    known.discretion = Discretion.ofPublicData(target)
  }
  const session = new Session(target, settings, known.contract, known.dataset)
  closing.unshift(() => session.close())
  return session
}

function reportsOfNothing(
  known: Circumstances,
  reason: string,
  session: Session | undefined,
): Parameters<ReportsFolder['write']> {
  if (!session || !known.discretion) return [reportOfNothing(known, reason, { count: 0, bytes: 0 })]
  const { exchanges } = session.evidence
  const bytes = exchanges.reduce((sum, { response }) => sum + (response?.body.length ?? 0), 0)
  known.discretion.learn(exchanges)
  return [reportOfNothing(known, reason, { count: exchanges.length, bytes }), evidenceHar(exchanges, known.discretion)]
}

/** Closes everything, whatever goes wrong, and gives the messages of what did. */
async function closeAll(closing: readonly (() => Promise<void>)[]): Promise<string[]> {
  const messages: string[] = []
  for (const close of closing) await close().catch((error: Error) => messages.push(error.message))
  return messages
}

/** Turns what the user can put right into a sentence without a stack trace. */
async function sayOnly<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw error instanceof SettingError ? new Said(error.message) : error
  }
}
