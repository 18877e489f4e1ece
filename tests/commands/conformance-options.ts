import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { runReportsDirectory } from '../engine/settings/settings.ts'
import { HTML_FOLDER } from '../reporting/result/report-files.ts'
import { ReportsFolder } from '../reporting/result/reports-folder.ts'
import { runCommand, UsageError } from './command.ts'

/** As much of Playwright's own reading of its command line (commander) as is called here. */
interface Command {
  readonly commands: readonly Command[]
  name(): string
  action(act: () => void): this
  exitOverride(): this
  configureOutput(output: { writeErr: () => void }): this
  parse(words: readonly string[], options: { from: 'user' }): this
}

/**
 * Reads the words of the command line as Playwright does, which ends with the status of a nonconformant target where it
 * does not know one, and leaves the reports of an earlier run.
 */
await runCommand(() => {
  const { program } = createRequire(createRequire(import.meta.url).resolve('@playwright/test'))(
    'playwright/lib/program',
  ) as { program: Command }
  const test = program.commands.find((command) => command.name() === 'test')!
  test
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .action(() => undefined)
  try {
    program.parse(['test', ...process.argv.slice(2)], { from: 'user' })
    return Promise.resolve()
  } catch (error) {
    const directory = runReportsDirectory()
    new ReportsFolder(directory).clear()
    rmSync(path.join(directory, HTML_FOLDER), { recursive: true, force: true })
    const problem = (error as Error).message.replaceAll(/^error: |\.$/g, '').replaceAll('\n', ' ')
    throw new UsageError(`npm run conformance: ${problem}; --help tells more.`)
  }
})
