import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { conformance } from '../engine/conformance.ts'
import { Contract } from '../engine/contract.ts'
import { readDataset, type Dataset } from '../engine/dataset.ts'
import { Unjudgeable } from '../engine/preflight.ts'
import type { Requirement, Result } from '../engine/requirement.ts'
import {
  checkBaseUrl,
  checkToken,
  readRunSettings,
  SettingError,
  type RunSettings,
  type TargetSettings,
} from '../engine/settings.ts'
import { VERDICTS, type Verdict } from '../engine/verdict.ts'
import { Discretion } from '../reporting/discretion.ts'
import { findingLine } from '../reporting/finding-line.ts'
import { register } from '../requirements/register.ts'
import { runCommand, UsageError } from './command.ts'

const USAGE = `Usage: npm run matrix -- --targets FILE --out FILE [--jobs N]

Judges many targets in one process, by every requirement.

  --targets FILE  JSON: [{name, baseUrl, accessToken, otherAccessToken?, dataset?, allowWrites?}]
                  (a dataset is a path, relative to the targets file or to the working directory)
  --out FILE      where the result goes, a row each target
  --jobs N        targets judged at once (default 4)
  --help          this text`

const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'baseUrl', 'accessToken'],
    properties: {
      name: { type: 'string' },
      baseUrl: { type: 'string' },
      accessToken: { type: 'string' },
      otherAccessToken: { type: 'string' },
      dataset: { type: 'string' },
      allowWrites: { type: 'boolean' },
    },
  },
}

/** One target's row of a matrix. */
export interface Row {
  readonly name: string
  readonly verdict: Verdict
  readonly durationMs: number
  readonly requests: number
  readonly outcomes: Readonly<Record<string, string>>
  readonly findings: Readonly<Record<string, readonly string[]>>
}

interface Entry {
  readonly target: TargetSettings
  readonly dataset: Dataset | undefined
}

await runCommand(async () => {
  const options = readOptions()
  if (!options) return console.log(USAGE)
  const contract = new Contract()
  const settings = readRunSettings()
  const entries = readEntries(options.targets, contract)
  const requirements = register(contract)
  const limit = pLimit(options.jobs)
  let done = 0
  const targets = await Promise.all(
    entries.map((entry) =>
      limit(async () => {
        const row = await judgeRow(entry, settings, contract, requirements)
        console.error(
          `${++done}/${entries.length} ${row.name}: ${row.verdict} (${row.requests} requests, ${row.durationMs} ms)`,
        )
        return row
      }),
    ),
  )
  writeFileSync(options.out, `${JSON.stringify({ targets }, undefined, 2)}\n`)
  console.error(summary(targets))
  if (targets.some(({ verdict }) => verdict === 'nonconformant' || verdict === 'broken')) process.exitCode = 1
})

/** What the matrix took, in time and in processor time of this process. */
function summary(targets: readonly Row[]): string {
  const { user, system } = process.cpuUsage()
  const processorMs = (user + system) / 1000
  const each = targets.length === 0 ? 0 : processorMs / targets.length
  const count = (verdict: Verdict): number => targets.filter((row) => row.verdict === verdict).length
  const verdicts = VERDICTS.map((verdict) => `${count(verdict)} ${verdict}`).join(', ')
  return `${targets.length} targets: ${verdicts}; ${seconds(performance.now())} s, ${seconds(processorMs)} s of processor time, ${seconds(each)} s a target`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}

function readOptions(): { targets: string; out: string; jobs: number } | undefined {
  const { values } = parseArgs({
    options: {
      targets: { type: 'string' },
      out: { type: 'string' },
      jobs: { type: 'string', default: '4' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return undefined
  if (values.targets === undefined || values.out === undefined)
    throw new UsageError('--targets and --out are both needed; see --help.')
  if (!/^[1-9]\d{0,2}$/.test(values.jobs))
    throw new UsageError(`--jobs is "${values.jobs}"; give a whole number from 1 to 999.`)
  return { targets: values.targets, out: values.out, jobs: Number(values.jobs) }
}

function readEntries(file: string, contract: Contract): Entry[] {
  const validate = contract.compile(SCHEMA)
  const content = readJson(file)
  if (!validate(content)) {
    const { instancePath, message } = validate.errors![0]!
    throw new SettingError(`--targets (${path.basename(file)}) is no targets file: ${instancePath || 'it'} ${message}.`)
  }
  const datasets = new Map<string, Dataset>()
  return (content as (Omit<TargetSettings, 'allowWrites'> & { allowWrites?: boolean })[]).map((entry, index) => {
    const where = `--targets entry ${index}`
    const dataset = entry.dataset === undefined ? undefined : locate(entry.dataset, file, where)
    if (dataset !== undefined && !datasets.has(dataset))
      datasets.set(dataset, readDataset(contract, `${where}, dataset`, dataset))
    return {
      target: {
        name: entry.name,
        baseUrl: checkBaseUrl(`${where}, baseUrl`, entry.baseUrl),
        accessToken: checkToken(`${where}, accessToken`, entry.accessToken),
        ...(entry.otherAccessToken !== undefined && {
          otherAccessToken: checkToken(`${where}, otherAccessToken`, entry.otherAccessToken),
        }),
        allowWrites: entry.allowWrites ?? false,
      },
      dataset: dataset === undefined ? undefined : datasets.get(dataset),
    }
  })
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as NodeJS.ErrnoException).code
    throw new SettingError(`--targets (${path.basename(file)}) can't be read: ${reason}.`)
  }
}

function locate(dataset: string, targetsFile: string, where: string): string {
  const candidates = [path.resolve(path.dirname(targetsFile), dataset), path.resolve(dataset)]
  for (const candidate of candidates) {
    try {
      readFileSync(candidate)
      return candidate
    } catch {
      continue
    }
  }
  throw new SettingError(`${where}, dataset names ${path.basename(dataset)}, and there is no such file.`)
}

async function judgeRow(
  { target, dataset }: Entry,
  settings: RunSettings,
  contract: Contract,
  requirements: readonly Requirement[],
): Promise<Row> {
  const start = performance.now()
  const discretion = dataset
    ? Discretion.ofPublicData(target)
    : Discretion.ofPrivateData(target, contract, requirements)
  const row = (rest: Pick<Row, 'verdict' | 'requests' | 'outcomes' | 'findings'>): Row => ({
    name: target.name,
    durationMs: Math.round(performance.now() - start),
    ...rest,
  })
  try {
    const { verdict, results, session } = await conformance(target, settings, contract, requirements, dataset)
    const told = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'broken')
    // What personal values there are matters only where something is quoted.
    if (told.length > 0) discretion.learn(session.evidence.exchanges)
    return row({
      verdict,
      requests: session.evidence.exchanges.length,
      outcomes: Object.fromEntries(results.map(({ requirement, outcome }) => [requirement.id, outcome])),
      findings: Object.fromEntries(told.map((result) => [result.requirement.id, messagesOf(result, discretion)])),
    })
  } catch (error) {
    if (!(error instanceof Unjudgeable)) throw error
    const outcomes = Object.fromEntries(requirements.map(({ id }) => [id, 'not exercised']))
    return row({ verdict: 'broken', requests: 0, outcomes, findings: { preflight: [discretion.text(error.message)] } })
  }
}

function messagesOf({ requirement, outcome, reason, findings }: Result, discretion: Discretion): string[] {
  if (outcome === 'broken') return [discretion.text(reason ?? 'The suite itself went wrong.')]
  return findings.map((finding) => findingLine(requirement, discretion.finding(finding)))
}
