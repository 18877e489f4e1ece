import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startService } from '../../fixtures/service/start-service.ts'
import type { Dataset } from '../../fixtures/dataset/records.ts'
import { projectRoot, TARGET_SETTINGS } from '../engine/settings.ts'
import { runNode } from '../run/node-process.ts'
import { runCommand } from './command.ts'

const RUNS = 3
const TARGETS = 10
const DATASET_FILE = path.join(projectRoot, 'fixtures/dataset.json')

/** Measures what the README says of speed, and prints it as the table that stands there. */
await runCommand(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-figures-'))
  try {
    const runs = []
    for (let run = 0; run < RUNS; run++) runs.push(await outOfTheBox(folder))
    const matrix = await manyTargets(folder)
    console.log(
      [
        '| what | figure |',
        '| --- | --- |',
        `| out-of-the-box run, service start included, median of ${RUNS} | ${median(runs.map((run) => run.seconds)).toFixed(1)} s |`,
        `| requests of that run | ${runs[0]!.requests} |`,
        `| \`npm run matrix\`, ${TARGETS} targets with everything given: processor time a target | ${matrix.processorSeconds} s |`,
        `| requests a target, read-only on unknown data | ${matrix.readOnlyRequests} |`,
      ].join('\n'),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

async function outOfTheBox(folder: string): Promise<{ seconds: number; requests: number }> {
  const start = performance.now()
  await runNode([path.join(projectRoot, 'node_modules/@playwright/test/cli.js'), 'test'], {
    ...Object.fromEntries(TARGET_SETTINGS.map((name) => [name, undefined])),
    REPORTS_DIR: folder,
  })
  const report = JSON.parse(readFileSync(path.join(folder, 'conformance.json'), 'utf8')) as {
    requests: { count: number }
  }
  return { seconds: (performance.now() - start) / 1000, requests: report.requests.count }
}

async function manyTargets(folder: string): Promise<{ processorSeconds: string; readOnlyRequests: number }> {
  const service = await startService({ dataset: JSON.parse(readFileSync(DATASET_FILE, 'utf8')) as Dataset })
  try {
    const plain = { name: 'read-only', baseUrl: service.url, accessToken: service.accessToken }
    const full = { ...plain, otherAccessToken: service.otherAccessToken, dataset: DATASET_FILE, allowWrites: true }
    const everything = Array.from({ length: TARGETS }, (_, index) => ({ ...full, name: `everything ${index}` }))
    const { output } = await matrix(folder, everything)
    const { rows } = await matrix(folder, [plain])
    const processorSeconds = /([\d.]+) s a target/.exec(output)?.[1] ?? 'unknown'
    return { processorSeconds, readOnlyRequests: rows[0]!.requests }
  } finally {
    await service.close()
  }
}

async function matrix(folder: string, targets: unknown): Promise<{ output: string; rows: { requests: number }[] }> {
  const [file, out] = [path.join(folder, 'targets.json'), path.join(folder, 'matrix.json')]
  writeFileSync(file, JSON.stringify(targets))
  const script = path.join(projectRoot, 'tests/commands/matrix.ts')
  const { output } = await runNode(['--import', 'tsx', script, '--targets', file, '--out', out, '--jobs', '1'], {})
  const { targets: rows } = JSON.parse(readFileSync(out, 'utf8')) as { targets: { requests: number }[] }
  return { output, rows }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
