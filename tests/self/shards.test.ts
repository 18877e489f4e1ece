import { expect, test } from '@playwright/test'
import { faults } from '../../fixtures/faults/index.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { Contract } from '../engine/contract.ts'
import type { Requirement } from '../engine/requirement.ts'
import { Run } from '../engine/run.ts'
import { Session } from '../engine/session.ts'
import { readRunSettings } from '../engine/settings.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { evidenceHar } from '../reporting/result/evidence-har.ts'
import { mergedReport, type ShardReport } from '../reporting/result/merged-report.ts'
import { reportOf } from '../reporting/result/report.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'
import { TestRun } from '../run/test-run.ts'
import { known } from './judge-everything.ts'
import { simulatedTarget } from './simulated-target.ts'

const SHARDS = 2
const FAULTS = 50

const contract = new Contract()
const PHASES: readonly Requirement['phase'][] = [undefined, 'write', 'unauthorized', 'review']
/** The order in which Playwright runs the tests. */
const requirements = PHASES.flatMap((phase) => register(contract).filter((requirement) => requirement.phase === phase))
const settings = { ...readRunSettings({}), seed: 1 }

/** What fails now and then fails other calls of a shard than of the whole run. */
const steady = faults.filter(({ name }) => !/every-other-call|now-and-then/.test(name))
const some = steady.filter(
  (_, index) => Math.floor((index * FAULTS) / steady.length) > Math.floor(((index - 1) * FAULTS) / steady.length),
)

for (const { name, deviation } of [{ name: 'the reference service', deviation: {} }, ...some])
  test(`shards find what the whole run finds: ${name}`, async () => {
    const parts = Array.from({ length: SHARDS }, (_, index) => judged(deviation, index + 1))
    const [whole, ...shards] = await Promise.all([judged(deviation), ...parts])
    const merged = mergedReport(shards)

    expect(toldBy(merged.report)).toEqual(toldBy(whole.report))
  })

function toldBy({ verdict, requirements: results }: Report): unknown {
  return {
    verdict,
    requirements: Object.fromEntries(
      results.map(({ id, outcome, findings }) => [id, [outcome, ...findings.map(({ message }) => message).toSorted()]]),
    ),
  }
}

/** Judges a service with a fault by all requirements, or by those of a shard. */
async function judged(deviation: Deviation, current?: number): Promise<ShardReport> {
  const { way, ...simulated } = simulatedTarget(settings, () => [deviation])
  const target = { ...simulated.target, builtIn: true } as const
  const session = new Session(new Run(target, settings, contract, { dataset: known, ...way }))
  const policy = RedactionPolicy.ofPublicData(target)
  try {
    await begin(session)
    const isShard = current !== undefined
    const run = new TestRun(session, requirements, policy, { isShard, isSelected: () => undefined })
    for (const { id } of isShard ? shareOf(current) : requirements) await run.judge(id)
    await run.sumUp()
    const shard = isShard ? { shard: { current, total: SHARDS } } : {}
    const circumstances = { contract, requirements, startedAt: new Date(), settings, target, policy, ...shard }
    const report = reportOf(circumstances, run.results, session.evidence)
    return { report, evidence: evidenceHar(session.evidence.exchanges, policy) }
  } finally {
    await session.run.close()
  }
}

function shareOf(current: number): readonly Requirement[] {
  const share = Math.ceil(requirements.length / SHARDS)
  return requirements.slice((current - 1) * share, current * share)
}
