import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Contract } from '../engine/contract.ts'
import { reportsDirectory } from '../engine/settings/settings.ts'
import { readReport } from '../reporting/result/read-report.ts'
import { reportPage } from '../reporting/report-page/report-page.ts'
import { PAGE_FILE } from '../reporting/result/report-files.ts'
import { readArgument, runCommand } from './command.ts'

const USAGE = `Usage: npm run report -- [DIR]

Makes DIR/${PAGE_FILE}, the report that a person reads, again from the conformance.json and the evidence.har there.

  DIR       the folder of a conformance run (default: REPORTS_DIR)
  --help    this text`

await runCommand(async () => {
  const given = readArgument(USAGE, 'folder')
  if (!given) return
  const folder = given.argument ?? reportsDirectory()
  const { report, evidence } = readReport(new Contract(), folder)
  const file = path.join(folder, PAGE_FILE)
  writeFileSync(file, await reportPage(report, evidence))
  console.log(file)
})
