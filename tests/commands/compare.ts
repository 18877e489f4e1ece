import { existsSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { Contract } from '../engine/contract.ts'
import { standingFolder } from '../engine/settings/environment.ts'
import { printable, SettingError } from '../engine/settings/settings.ts'
import { compare } from '../reporting/comparison/comparison.ts'
import { comparisonPage } from '../reporting/comparison/comparison-page.ts'
import { comparisonText } from '../reporting/comparison/comparison-text.ts'
import { readJson, readJsonAs } from '../reporting/result/read-json.ts'
import { REPORT_FILE } from '../reporting/result/report-files.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { checkWritable, runCommand, UsageError } from './command.ts'

const USAGE = `Usage: npm run compare -- A B [--html FILE]

Shows two reports side by side, of two targets or of one before and after a change: requirements with another outcome,
observations that differ, and fields that came or went.

  A, B         folders of conformance runs, or their ${REPORT_FILE}
  --html FILE  a page of it, too
  --help       this text

Exits with 1 where B is worse: where the verdict is, or where a stated or implied requirement that passed in A does not
pass in B, or fails in B and did not in A.`

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    options: { html: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  })
  if (values.help) return console.log(USAGE)
  const [first, second, ...others] = positionals
  if (first === undefined || second === undefined || others.length > 0)
    throw new UsageError('Give two reports; --help tells more.')
  const page = values.html === undefined ? undefined : path.resolve(standingFolder(), values.html)
  if (page !== undefined) checkWritable('--html', page)
  const contract = new Contract()
  const comparison = compare(readSide(contract, 'A', first), readSide(contract, 'B', second))
  console.log(comparisonText(comparison))
  if (page !== undefined) writeFileSync(page, await comparisonPage(comparison))
  if (comparison.isRegression) process.exitCode = 1
})

/** @throws SettingError where there is no report of a format that this suite reads. */
function readSide(contract: Contract, letter: string, given: string): Report {
  const place = path.resolve(standingFolder(), given)
  const file = existsSync(place) && statSync(place).isDirectory() ? path.join(place, REPORT_FILE) : place
  const { formatVersion } = (readJson(file) ?? {}) as { formatVersion?: unknown }
  if (typeof formatVersion === 'number' && formatVersion !== 1)
    throw new SettingError(
      `${letter} is "${printable(given)}", which has formatVersion ${formatVersion}; this suite reads 1; compare with the suite that wrote it.`,
    )
  const report = readJsonAs<Report>(contract, file, 'report')
  if (report) return report
  throw new SettingError(
    `${letter} is "${printable(given)}", and there is no report; name the folder of a conformance run, or its ${REPORT_FILE}.`,
  )
}
