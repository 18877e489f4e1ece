import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { Contract } from '../engine/contract.ts'
import { readDataset, type Dataset } from '../engine/dataset.ts'
import {
  checkBaseUrl,
  checkToken,
  readProfileSettings,
  readRunSettings,
  SettingError,
  type TargetSettings,
} from '../engine/settings.ts'
import { VERDICTS, type Verdict } from '../engine/verdict.ts'
import { Discretion } from '../reporting/discretion.ts'
import { JOURNAL_FILE } from '../reporting/report-files.ts'
import { register } from '../requirements/register.ts'
import { INTERRUPTED } from '../run/exit-status.ts'
import { SIGNALS } from '../run/grace.ts'
import { runCommand, UsageError } from './command.ts'
import { judgeRow, type Entry, type Row } from './row.ts'

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

await runCommand(async () => {
  const options = readOptions()
  if (!options) return console.log(USAGE)
  const contract = new Contract()
  const settings = readRunSettings()
  if (readProfileSettings())
    throw new SettingError('PROFILE is of one target, and npm run matrix judges many; unset it.')
  const entries = readEntries(options.targets, contract)
  const requirements = register(contract)
  const limit = pLimit(options.jobs)
  let done = 0
  const interruption = new AbortController()
  for (const signal of SIGNALS) process.on(signal, () => interruption.abort())
  const targets = await Promise.all(
    entries.map((entry, index) =>
      limit(async () => {
        const discretion = entry.dataset
          ? Discretion.ofPublicData(entry.target)
          : Discretion.ofPrivateData(entry.target, contract, requirements)
        // There only while contacts are changed: where this process is killed, `npm run restore` puts them back by it.
        const journal = `${options.out}.${index + 1}.${JOURNAL_FILE}`
        const { row } = await judgeRow(
          { ...entry, discretion },
          settings,
          contract,
          requirements,
          journal,
          interruption.signal,
        )
        console.error(
          `${++done}/${entries.length} ${row.name}: ${row.verdict} (${row.requests} requests, ${row.durationMs} ms)`,
        )
        return row
      }),
    ),
  )
  writeFileSync(options.out, `${JSON.stringify({ targets }, undefined, 2)}\n`)
  console.error(summary(targets))
  if (interruption.signal.aborted) process.exitCode = INTERRUPTED
  else if (targets.some(({ verdict }) => verdict === 'nonconformant' || verdict === 'broken')) process.exitCode = 1
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

function readEntries(file: string, contract: Contract): Omit<Entry, 'discretion'>[] {
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
