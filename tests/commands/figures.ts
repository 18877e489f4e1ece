import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startService } from '../../fixtures/service/start-service.ts'
import type { Dataset } from '../../fixtures/dataset/records.ts'
import { faults } from '../../fixtures/faults/index.ts'
import { projectRoot, TARGET_SETTINGS } from '../engine/settings.ts'
import { runNode, type Variables } from '../run/node-process.ts'
import { notesIn, notingIn } from '../run/process-notes.ts'
import { MODES } from '../proving/mode.ts'
import { runCommand } from './command.ts'

const RUNS = 3
const TARGETS = 10
/** Faults that dozens of requirements find. */
const WIDE_FAULTS = [
  ...['every-id-is-a-number', 'every-absent-member-of-a-contact-is-null', 'every-boolean-is-a-digit'],
  ...['every-number-is-a-text', 'every-timestamp-is-a-number', 'every-phone-number-is-a-number'],
  ...['contact-search-ignored', 'ticket-queue-ignored', 'schedule-user-ignored', 'tag-count-one-short'],
]
const PLAYWRIGHT = path.join(projectRoot, 'node_modules/@playwright/test/cli.js')
const DATASET_FILE = path.join(projectRoot, 'fixtures/dataset.json')

/** Measures what spec/guides/speed.md says of time and requests, and prints it as the table that stands there. */
await runCommand(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'conformance-figures-'))
  try {
    const runs = []
    for (let run = 0; run < RUNS; run++) runs.push(await outOfTheBox(folder))
    const matrix = await manyTargets(folder)
    const [sound, faulty] = [await ofFaults(folder, []), await ofFaults(folder, WIDE_FAULTS)]
    console.log(
      [
        '| what | figure |',
        '| --- | --- |',
        `| out-of-the-box run, service start included, median of ${RUNS} | ${median(runs.map((run) => run.seconds)).toFixed(1)} s |`,
        `| requests of that run | ${runs[0]!.requests} |`,
        `| \`npm run matrix\`, ${TARGETS} targets with everything given: processor time a target | ${matrix.processorSeconds} s |`,
        `| a run with ${faulty.findings} failing requirements: processor time, against a run with ${sound.findings} | ${faulty.seconds.toFixed(1)} s, against ${sound.seconds.toFixed(1)} s |`,
        ...matrix.requests.map(({ mode, count }) => `| requests, ${mode} | ${count} |`),
        `| requests of \`npm run certify\` | ${await ofCertificate(folder)} |`,
      ].join('\n'),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

async function outOfTheBox(folder: string): Promise<{ seconds: number; requests: number }> {
  const start = performance.now()
  await runNode([PLAYWRIGHT, 'test'], { ...ofNoTarget(), REPORTS_DIR: folder })
  return { seconds: (performance.now() - start) / 1000, requests: requestsIn(folder) }
}

/** The processor time of a run by everything, its workers' included; the median of some. */
async function ofFaults(folder: string, names: readonly string[]): Promise<{ seconds: number; findings: number }> {
  const dataset = JSON.parse(readFileSync(DATASET_FILE, 'utf8')) as Dataset
  const deviations = names.map((name) => faults.find((fault) => fault.name === name)!.deviation)
  const service = await startService({ dataset, deviations })
  try {
    const settings = {
      ...{ BASE_URL: service.url, ACCESS_TOKEN: service.accessToken, OTHER_ACCESS_TOKEN: service.otherAccessToken },
      ...{ DATASET: DATASET_FILE, ALLOW_WRITES: 'true', REPORTS_DIR: folder },
    }
    const runs = []
    for (let run = 0; run < RUNS; run++) runs.push(await processorSeconds(settings))
    const report = JSON.parse(readFileSync(path.join(folder, 'conformance.json'), 'utf8')) as {
      totals: { failed: number }
    }
    return { seconds: median(runs), findings: report.totals.failed }
  } finally {
    await service.close()
  }
}

async function processorSeconds(settings: Variables): Promise<number> {
  const notes = mkdtempSync(path.join(tmpdir(), 'conformance-notes-'))
  try {
    await runNode([PLAYWRIGHT, 'test'], { ...settings, ...notingIn(notes) })
    return notesIn(notes).reduce((sum, { seconds }) => sum + seconds, 0)
  } finally {
    rmSync(notes, { recursive: true })
  }
}

async function manyTargets(
  folder: string,
): Promise<{ processorSeconds: string; requests: { mode: string; count: number }[] }> {
  const service = await startService({ dataset: JSON.parse(readFileSync(DATASET_FILE, 'utf8')) as Dataset })
  try {
    const plain = { baseUrl: service.url, accessToken: service.accessToken }
    const given = {
      otherToken: { otherAccessToken: service.otherAccessToken },
      dataset: { dataset: DATASET_FILE },
      writes: { allowWrites: true },
    }
    const byMode = MODES.map(({ title, gives }) =>
      Object.assign({ name: title, ...plain }, ...gives.map((need) => given[need])),
    )
    const full = byMode.at(-1)!
    const everything = Array.from({ length: TARGETS }, (_, index) => ({ ...full, name: `everything ${index}` }))
    const { output } = await matrix(folder, everything)
    const { rows } = await matrix(folder, byMode)
    const processorSeconds = /([\d.]+) s a target/.exec(output)?.[1] ?? 'unknown'
    return { processorSeconds, requests: rows.map(({ name, requests }) => ({ mode: name, count: requests })) }
  } finally {
    await service.close()
  }
}

/** Requests of a run that certifies the reference service. */
async function ofCertificate(folder: string): Promise<number> {
  const script = path.join(projectRoot, 'tests/commands/certify.ts')
  await runNode(['--import', 'tsx', script], { ...ofNoTarget(), REPORTS_DIR: folder })
  return requestsIn(folder)
}

function ofNoTarget(): Variables {
  return Object.fromEntries(TARGET_SETTINGS.map((name) => [name, undefined]))
}

function requestsIn(folder: string): number {
  const file = path.join(folder, 'conformance.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { requests: { count: number } }).requests.count
}

interface MatrixRow {
  readonly name: string
  readonly requests: number
}

async function matrix(folder: string, targets: unknown): Promise<{ output: string; rows: MatrixRow[] }> {
  const [file, out] = [path.join(folder, 'targets.json'), path.join(folder, 'matrix.json')]
  writeFileSync(file, JSON.stringify(targets))
  const script = path.join(projectRoot, 'tests/commands/matrix.ts')
  const { output } = await runNode(['--import', 'tsx', script, '--targets', file, '--out', out, '--jobs', '1'], {})
  const { targets: rows } = JSON.parse(readFileSync(out, 'utf8')) as { targets: MatrixRow[] }
  return { output, rows }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
