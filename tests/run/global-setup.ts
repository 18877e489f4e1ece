import path from 'node:path'
import type { FullConfig } from '@playwright/test'
import { Contract } from '../engine/contract.ts'
import { readDataset } from '../engine/data/dataset.ts'
import { PreflightError } from '../engine/judging/preflight.ts'
import { RunEnded } from '../engine/time/clock.ts'
import { bytesOf } from '../engine/http/exchange.ts'
import { Run } from '../engine/judging/run.ts'
import { Session } from '../engine/judging/session.ts'
import {
  readSettings,
  runReportsDirectory,
  SettingError,
  settingWarnings,
  type Settings,
  type TargetSettings,
} from '../engine/settings/settings.ts'
import { announceJudgements } from './judgements-address.ts'
import { writeArtefacts } from '../reporting/playwright/artefacts-reporter.ts'
import { NO_TARGET_YET } from '../reporting/wording/built-in.ts'
import { tellReport } from '../reporting/playwright/console-reporter.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { evidenceHar } from '../reporting/result/evidence-har.ts'
import InPlaceReporter from '../reporting/playwright/in-place-reporter.ts'
import { checkFailOn, missingOf } from '../reporting/result/must-be-exercised.ts'
import { PinnedProfile } from '../reporting/profile/pinned-profile.ts'
import { requestsOf } from '../reporting/result/finished-run.ts'
import { reportAttachments } from '../reporting/playwright/report-attachments.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { LATE, RunReporter } from '../reporting/playwright/run-reporter.ts'
import { reportOf, reportOfNothing, type Circumstances } from '../reporting/result/report.ts'
import { begin } from '../requirements/beginning.ts'
import { demands, register } from '../requirements/register.ts'
import { finishEarlierRun, leftChanged, leaveAsItWas } from '../requirements/restoration/restoration.ts'
import { endWith, EXIT_STATUS, INTERRUPTED, statusOf } from './exit-status.ts'
import { heedSignals, NOTHING_JUDGED, outlasting, stopWithGrace } from './grace.ts'
import { openJudgingService } from './judging-service.ts'
import { JOURNAL_FILE } from '../reporting/result/report-files.ts'
import { ReportsFolder } from '../reporting/result/reports-folder.ts'
import { tellProgressOf } from './run-progress.ts'
import { UserFacingError, titleOf } from './requirement-test.ts'
import { TestRun } from './test-run.ts'
import { isSelected } from './selection.ts'
import { openTarget } from './target-under-test.ts'

const FAIL_ON_LATER = 'FAIL_ON is heeded where the shards are merged: give it there.'
const PROFILE_LATER = 'PROFILE is heeded where the shards are merged: give it there.'

type Known = { -readonly [K in keyof Circumstances]: Circumstances[K] } & { profile?: PinnedProfile }

/**
 * Begins a run: it reads the settings, reaches the target and opens the service that tests get their judgements from.
 * The session lives in this process, so that tests may be run by any number of others, and restarted.
 * @returns what ends the run: it sums up, leaves the target as it was and writes the reports.
 */
export default async function beginRun(config: FullConfig): Promise<() => Promise<void>> {
  heedSignals()
  const end = await outlasting(begun(config))
  return () => outlasting(end())
}

async function begun({ shard, reporter }: FullConfig): Promise<() => Promise<void>> {
  performance.mark('begun')
  const contract = new Contract()
  const known: Known = { contract, requirements: register(contract), startedAt: new Date(), ...(shard && { shard }) }
  const folder = await sayOnly(() => new ReportsFolder(runReportsDirectory()))
  const closing: (() => Promise<void>)[] = []
  let session: Session | undefined
  const sayNothing = async (reason: string): Promise<never> => {
    folder.clear()
    const [report, evidence] = reportsOfNothing(known, reason, session)
    await folder.write(report, evidence)
    if (!RunReporter.isThere)
      writeArtefacts({ report, tests: new Map(), errors: [reason], warnings: settingWarnings(), requestOf: String })
    throw new UserFacingError(reason)
  }
  try {
    session = await openSession(known, closing)
    checkFailOn(session.settings.failOn, known.requirements)
    sayFirst(known.settings as Settings, session.target)
    if (shard && session.settings.failOn.length > 0) console.log(FAIL_ON_LATER)
    if (shard && known.profile) console.log(PROFILE_LATER)
    tellProgressOf(session)
    stopWithGrace(session)
    const restored = await finishEarlierRun(session)
    if (restored > 0)
      console.log(`A run that was killed had left ${restored} contact(s) changed; they have been put back.`)
    await begin(session)
  } catch (error) {
    await session?.run.close()
    await closeAll(closing)
    const isInterrupted = session?.run.isInterrupted === true
    const status = error instanceof SettingError ? EXIT_STATUS.wrongUse : EXIT_STATUS.broken
    endWith(isInterrupted ? INTERRUPTED : status)
    if (!(error instanceof SettingError || error instanceof PreflightError || error instanceof RunEnded)) throw error
    return sayNothing(isInterrupted ? NOTHING_JUDGED : (known.policy?.text(error.message) ?? error.message))
  }

  performance.mark('target reached')
  const policy = known.policy!
  const run = new TestRun(session, known.requirements, policy, {
    isShard: shard !== null,
    isSelected: (requirement) => isSelected(titleOf(requirement)),
  })
  tellProgressOf(session, run)
  const isPacked = reporter.some(([name]) => name === 'blob')
  const service = await openJudgingService(demands(contract, session.settings.operations), async (id) => {
    const isFirst = run.tests.size === 0
    if (isFirst) folder.clear()
    const failsInPlace = InPlaceReporter.isThere
    const attachments = isPacked && isFirst ? reportAttachments() : []
    return { ...(await run.judge(id)), attachments, failsInPlace }
  })
  closing.unshift(() => {
    announceJudgements(undefined)
    return service.close()
  })
  announceJudgements(service.address)

  const end = async (): Promise<void> => {
    performance.mark('tests ended')
    const late = await run.sumUp().catch((error: Error) => error)
    const left = await session.run.close(() => leaveAsItWas(session))
    const unclosed = await closeAll(closing)
    const { evidence } = session
    const { isInterrupted: interrupted, trouble, waited } = session.run
    const isNothing = run.tests.size === 0 || run.results.every(({ outcome }) => outcome === 'not exercised')
    if (interrupted && isNothing && left.length === 0) return sayNothing(NOTHING_JUDGED)
    // A run that selects nothing has an earlier run's reports still.
    if (run.tests.size === 0) return
    policy.learn(evidence.exchanges)
    const judged = reportOf({ ...known, policy, left, interrupted, trouble, waited }, run.results, evidence)
    const isHeld = known.profile && !shard && !(late instanceof Error)
    const report = isHeld ? await sayOnly(() => known.profile!.hold(judged)) : judged
    const unwritten = await folder
      .write(report, evidenceHar(evidence.exchanges, policy, report))
      .catch((error: Error) => error)
    if (unwritten && !(unwritten instanceof SettingError)) throw unwritten
    if (!RunReporter.isThere) tellWithoutReporters(report, run)
    const missing = missingOf(session.settings.failOn, report)
    const status = statusOf(report, missing.length > 0)
    if (status !== undefined) endWith(status)
    if (unwritten) endWith(EXIT_STATUS.broken)
    if (late instanceof Error) throw late
    const complaints = [
      ...(left.length > 0 ? [policy.text(leftChanged(left))] : []),
      ...unclosed.map((message) => policy.text(message)),
      ...(unwritten ? [`${unwritten.message} The verdict is ${report.verdict}.`] : []),
      ...(late.length === 0 ? [] : [`${LATE} ${late.join(', ')}; the report has the findings.`]),
    ]
    if (complaints.length > 0) throw new UserFacingError(complaints.join('\n'))
  }
  // Playwright, which has not been given it yet, won't call it.
  if (session.run.isInterrupted) await end()
  return end
}

/** Opens the session, and notes what becomes known on the way. */
async function openSession(known: Known, closing: (() => Promise<void>)[]): Promise<Session> {
  const settings: Settings = readSettings()
  known.requirements = register(known.contract, settings.operations)
  if (settings.profile) known.profile = new PinnedProfile(known.contract, settings.profile, known.requirements)
  const { target, close } = await openTarget(settings)
  closing.unshift(close)
  known.settings = settings
  known.target = target
  known.policy = RedactionPolicy.ofPrivateData(target, known.contract, known.requirements)
  if (target.dataset !== undefined) {
    known.dataset = readDataset(known.contract, 'DATASET', target.dataset)
    known.datasetFile = target.dataset
    known.policy = RedactionPolicy.ofPublicData(target)
  }
  // The built-in reference service ends with the run, and its contacts with it.
  const journal = target.builtIn ? undefined : path.join(runReportsDirectory(), JOURNAL_FILE)
  return new Session(
    new Run(target, settings, known.contract, {
      dataset: known.dataset,
      journal,
      hide: (token) => known.policy!.hide(token),
      tell: (text) => console.log(known.policy!.text(text)),
    }),
  )
}

/** Writes and says what the suite's own reporters would have, had the command line not named others. */
function tellWithoutReporters(report: Report, { tests }: TestRun): void {
  const finished = { report, tests, errors: [], warnings: settingWarnings(), requestOf: requestsOf(report) }
  writeArtefacts(finished)
  tellReport(report, finished)
}

/** Tells which target is judged and who named it, before anything is asked of it. */
function sayFirst({ origin, warnings }: Settings, { baseUrl, builtIn }: TargetSettings): void {
  console.log(builtIn ? NO_TARGET_YET : `Judging ${baseUrl} (BASE_URL from ${origin}).`)
  for (const warning of warnings) console.log(warning)
}

function reportsOfNothing(
  known: Circumstances,
  reason: string,
  session: Session | undefined,
): Parameters<ReportsFolder['write']> {
  if (!session || !known.policy) return [reportOfNothing(known, reason, { count: 0, bytes: 0 })]
  const { exchanges } = session.evidence
  known.policy.learn(exchanges)
  const { isInterrupted: interrupted } = session.run
  return [
    reportOfNothing({ ...known, interrupted }, reason, { count: exchanges.length, bytes: bytesOf(exchanges) }),
    evidenceHar(exchanges, known.policy),
  ]
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
    if (!(error instanceof SettingError)) throw error
    endWith(EXIT_STATUS.wrongUse)
    throw new UserFacingError(error.message)
  }
}
