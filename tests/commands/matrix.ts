import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { Contract } from '../engine/contract.ts'
import { readProfileSettings, readRunSettings, SettingError } from '../engine/settings/settings.ts'
import { VERDICTS, type Verdict } from '../engine/judging/verdict.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { JOURNAL_FILE } from '../reporting/result/report-files.ts'
import { withoutControls } from '../reporting/wording/finding-line.ts'
import { folderNames } from '../reporting/support-table/folder-names.ts'
import { counted } from '../reporting/wording/counted.ts'
import { register } from '../requirements/register.ts'
import { INTERRUPTED } from '../run/exit-status.ts'
import { onEnd } from '../run/grace.ts'
import { checkWritable, readNumber, runCommand, UsageError } from './command.ts'
import { MatrixPages, type PagesOptions } from './matrix-pages.ts'
import { judgeRow, type Row } from './row.ts'
import { rowLines } from './row-lines.ts'
import { readEntries } from './targets-file.ts'

const USAGE = `Usage: npm run matrix -- --targets FILE --out FILE [--html FILE] [--reports DIR] [--jobs N]

Judges many targets in one process, by every requirement.

  --targets FILE  JSON: [{name, baseUrl, accessToken, otherAccessToken?, dataset?, allowWrites?}]
                  (a dataset is a path, relative to the targets file or to the working directory)
  --out FILE      where the result goes, one row per target
  --html FILE     a support table of it: one column per target, one row per requirement and per thing that the
                  interface document leaves open
  --reports DIR   a folder with the report of each target, which the heads of the support table link to
  --jobs N        targets judged at once (default 4)
  --help          this text

Settings of a run apply to every target, from the environment or .env: SEED, LEVEL, OPERATIONS, DATE_FORMAT, MAX_PAGES,
MAX_DURATION_S, MAX_REQUESTS_PER_SECOND, REQUEST_TIMEOUT_MS, CLIENT_CERT_FILE, CLIENT_KEY_FILE and proxies; data set and
writes are each target's own (dataset, allowWrites).`

await runCommand(async () => {
  const options = readOptions()
  if (!options) return console.log(USAGE)
  const contract = new Contract()
  const settings = readRunSettings()
  if (readProfileSettings())
    throw new SettingError('PROFILE is of one target, and npm run matrix judges many; unset it.')
  const entries = readEntries(options.targets, contract)
  const requirements = register(contract, settings.operations)
  const pages = new MatrixPages(options, entries, { settings, contract, requirements })
  const limit = pLimit(options.jobs)
  // A target has the same journal in another matrix, wherever it stands there.
  const journals = folderNames(entries.map(({ target }) => `${target.name} ${target.baseUrl}`))
  let done = 0
  const interruption = new AbortController()
  onEnd(() => interruption.abort())
  const targets = await Promise.all(
    entries.map((entry, index) =>
      limit(async () => {
        const policy = entry.dataset
          ? RedactionPolicy.ofPublicData(entry.target)
          : RedactionPolicy.ofPrivateData(entry.target, contract, requirements)
        // There only while contacts are changed: where this process is killed, `npm run restore` puts them back by it.
        const startedAt = new Date()
        const whole = { ...entry, policy }
        const judgedRow = await judgeRow(whole, settings, contract, requirements, {
          journal: `${options.out}.${journals[index]!}.${JOURNAL_FILE}`,
          signal: interruption.signal,
        })
        const { row } = judgedRow
        await pages.add(index, whole, judgedRow, startedAt)
        console.error(
          `${++done}/${entries.length} ${row.name}: ${row.verdict} (${row.requests} requests, ${row.durationMs} ms)${whyBroken(row)}`,
        )
        for (const line of rowLines(judgedRow, whole)) console.error(line)
        return row
      }),
    ),
  )
  writeFileSync(options.out, `${JSON.stringify({ targets }, undefined, 2)}\n`)
  await pages.write(interruption.signal.aborted)
  console.error(summary(targets))
  if (interruption.signal.aborted) {
    process.exitCode = INTERRUPTED
    console.error('Interrupted: what was not judged by then is not exercised.')
  } else if (targets.some(({ verdict }) => verdict === 'nonconformant' || verdict === 'broken')) process.exitCode = 1
})

/** Why a target could not be judged, or was not left as it was. */
function whyBroken({ findings }: Row): string {
  const [reason] = [...(findings['preflight'] ?? []), ...(findings['restoration'] ?? [])]
  return reason === undefined ? '' : `: ${withoutControls(reason)}`
}

/** What the matrix took, in time and in processor time of this process. */
function summary(targets: readonly Row[]): string {
  const { user, system } = process.cpuUsage()
  const processorMs = (user + system) / 1000
  const each = targets.length === 0 ? 0 : processorMs / targets.length
  const count = (verdict: Verdict): number => targets.filter((row) => row.verdict === verdict).length
  const verdicts = VERDICTS.map((verdict) => `${count(verdict)} ${verdict}`).join(', ')
  return `${counted(targets.length, 'targets')}: ${verdicts}; ${seconds(performance.now())} s, ${seconds(processorMs)} s of processor time, ${seconds(each)} s a target`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}

function readOptions(): (PagesOptions & { targets: string; out: string; jobs: number }) | undefined {
  const { values } = parseArgs({
    options: {
      targets: { type: 'string' },
      out: { type: 'string' },
      html: { type: 'string' },
      reports: { type: 'string' },
      jobs: { type: 'string', default: '4' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return undefined
  if (values.targets === undefined || values.out === undefined)
    throw new UsageError('--targets and --out are both needed; see --help.')
  const { targets, out, html, reports } = values
  const jobs = readNumber('--jobs', values.jobs, 999)
  checkWritable('--out', out)
  if (html !== undefined) checkWritable('--html', html)
  return {
    targets,
    out,
    jobs,
    ...(html !== undefined && { html }),
    ...(reports !== undefined && { reports }),
  }
}
