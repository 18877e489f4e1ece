import { existsSync } from 'node:fs'
import path from 'node:path'
import { Contract } from '../engine/contract.ts'
import { withTokens } from '../engine/http/credentials.ts'
import { standingFolder } from '../engine/settings/environment.ts'
import { preflight, PreflightError } from '../engine/judging/preflight.ts'
import { Run } from '../engine/judging/run.ts'
import { Session } from '../engine/judging/session.ts'
import { readSettings, reportsDirectory, SettingError } from '../engine/settings/settings.ts'
import { JOURNAL_FILE } from '../reporting/result/report-files.ts'
import { leftChanged, restoreAll } from '../requirements/restoration/restoration.ts'
import { EXIT_STATUS } from '../run/exit-status.ts'
import { readArgument, runCommand } from './command.ts'

const USAGE = `Usage: npm run restore -- [FILE]

Restores the contacts that a killed run left changed. Needs the run's own settings: BASE_URL, ACCESS_TOKEN and, where
the second company's contacts are concerned, OTHER_ACCESS_TOKEN.

  FILE      the journal of the run (default: ${JOURNAL_FILE} in REPORTS_DIR; of a matrix, beside its output)
  --help    this text`

await runCommand(async () => {
  const given = readArgument(USAGE, 'journal')
  if (!given) return
  const file = path.resolve(standingFolder(), given.argument ?? path.join(reportsDirectory(), JOURNAL_FILE))
  if (!existsSync(file) && given.argument !== undefined)
    throw new SettingError(`There is no ${file}; name the journal.`)
  if (!existsSync(file)) return console.log(`There is nothing to put back: there is no ${file}.`)
  const settings = readSettings()
  if (!settings.target)
    throw new SettingError('BASE_URL is not set; give the address of the target, and the token, that the run had.')
  const session = new Session(
    new Run(await withTokens(settings.target), settings, new Contract(), { journal: file, tell: console.log }),
  )
  session.changes.resume()
  const { length } = session.changes.open
  try {
    await preflight(session)
    const left = await restoreAll(session)
    if (left.length === 0) return console.log(`${length} contact(s) are as they were before the run.`)
    process.exitCode = EXIT_STATUS.broken
    console.error(leftChanged(left))
  } catch (error) {
    if (!(error instanceof PreflightError)) throw error
    process.exitCode = EXIT_STATUS.broken
    console.error(error.message)
  } finally {
    await session.run.close()
  }
})
