import { expect, test } from '@playwright/test'
import { faults } from '../../fixtures/faults/index.ts'
import { mergedReport } from '../reporting/result/merged-report.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { known } from './judge-everything.ts'
import { judgedReport } from './judged-report.ts'

const SHARDS = 2
const FAULTS = Number(process.env['SHARDED_FAULTS'] ?? 10)

/** What fails now and then fails other calls of a shard than of the whole run. */
const steady = faults.filter(({ name }) => !/every-other-call|now-and-then/.test(name))
const some = steady.filter(
  (_, index) => Math.floor((index * FAULTS) / steady.length) > Math.floor(((index - 1) * FAULTS) / steady.length),
)

for (const { name, deviation, inFiles = false } of [
  { name: 'the reference service', deviation: {} },
  // As Playwright runs them, what a fault has changed in one file shows in the next.
  { name: 'the reference service, in the order of the files', deviation: {}, inFiles: true },
  ...some.map((fault) => ({ ...fault, inFiles: false })),
])
  test(`shards find what the whole run finds: ${name}`, async () => {
    const judged = { deviations: [deviation], dataset: known, more: { isUnshared: true } } as const
    const parts = Array.from({ length: SHARDS }, (_, index) =>
      judgedReport({ ...judged, shard: { current: index + 1, total: SHARDS, inFiles } }),
    )
    const [whole, ...shards] = await Promise.all([judgedReport(judged), ...parts])

    expect(toldBy(mergedReport(shards).report)).toEqual(toldBy(whole.report))
  })

function toldBy({ verdict, requirements }: Report): unknown {
  return {
    verdict,
    requirements: Object.fromEntries(
      requirements.map(({ id, outcome, findings }) => [
        id,
        [outcome, ...findings.map(({ message }) => message).toSorted()],
      ]),
    ),
  }
}
