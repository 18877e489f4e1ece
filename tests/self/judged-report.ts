import type { Deviation } from '../../fixtures/service/deviation.ts'
import { Contract } from '../engine/contract.ts'
import type { Dataset } from '../engine/data/dataset.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { Run } from '../engine/judging/run.ts'
import { Session } from '../engine/judging/session.ts'
import { readRunSettings, type TargetSettings } from '../engine/settings/settings.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { evidenceHar } from '../reporting/result/evidence-har.ts'
import type { ShardReport } from '../reporting/result/merged-report.ts'
import { reportOf } from '../reporting/result/report.ts'
import { begin } from '../requirements/beginning.ts'
import { demands, register } from '../requirements/register.ts'
import { leaveAsItWas } from '../requirements/restoration/restoration.ts'
import { TestRun } from '../run/test-run.ts'
import { simulatedTarget } from './simulated-target.ts'

export const contract = new Contract()

const PHASES: readonly Requirement['phase'][] = [undefined, 'write', 'unauthorized', 'review']
/** The order in which a whole run is judged. */
export const requirements = PHASES.flatMap((phase) =>
  register(contract).filter((requirement) => requirement.phase === phase),
)

/** The order of the files, in which Playwright runs the tests of a shard. */
const inFiles = demands(contract).toSorted((a, b) => a.section.localeCompare(b.section))

/** What a run is given, and what its target does otherwise than the reference service. */
export interface Judged {
  readonly deviations?: readonly Deviation[]
  readonly seed?: string
  readonly dataset?: Dataset
  readonly more?: Partial<TargetSettings>
  /** Which part of the requirements is judged, of how many; in the order of the files, or in that of a whole run. */
  readonly shard?: { readonly current: number; readonly total: number; readonly inFiles?: boolean }
}

/** Judges a target as a run of Playwright's does, in this process and on simulated time. */
export async function judgedReport({
  deviations = [],
  seed = '1',
  dataset,
  more,
  shard,
}: Judged): Promise<ShardReport> {
  const settings = readRunSettings({ SEED: seed })
  const { way, ...simulated } = simulatedTarget(settings, () => deviations)
  const target = { ...simulated.target, ...more }
  const session = new Session(new Run(target, settings, contract, { dataset, ...way }))
  const policy = dataset
    ? RedactionPolicy.ofPublicData(target)
    : RedactionPolicy.ofPrivateData(target, contract, requirements)
  const isShard = shard !== undefined
  const share = shard ? Math.ceil(requirements.length / shard.total) : requirements.length
  const first = shard ? (shard.current - 1) * share : 0
  try {
    await begin(session)
    const run = new TestRun(session, requirements, policy, { isShard, isSelected: () => undefined })
    for (const { id } of (shard?.inFiles ? inFiles : requirements).slice(first, first + share)) await run.judge(id)
    await run.sumUp()
    const circumstances = { contract, requirements, startedAt: new Date(), settings, target, policy }
    const report = reportOf({ ...circumstances, ...(shard && { shard }) }, run.results, session.evidence)
    return { report, evidence: evidenceHar(session.evidence.exchanges, policy) }
  } finally {
    await session.run.close(() => leaveAsItWas(session))
  }
}
