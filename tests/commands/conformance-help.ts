import { readFileSync } from 'node:fs'
import path from 'node:path'
import { projectRoot } from '../engine/settings/settings.ts'
import { EXIT_STATUS, INTERRUPTED } from '../run/exit-status.ts'
import { runCommand } from './command.ts'

const { fine, nonconformant, wrongUse, broken, incomplete, drifted } = EXIT_STATUS

/** The settings as the example has them, each with what it means; its first paragraph is about the file itself. */
const [, ...paragraphs] = readFileSync(path.join(projectRoot, '.env.example'), 'utf8')
  .replaceAll(/^# ?/gm, '')
  .trim()
  .split('\n\n')
/** Only the suite's own tests open pages. */
const settings = paragraphs.filter((paragraph) => !paragraph.includes('CHROMIUM_PATH='))

const USAGE = `Usage: [SETTING=VALUE …] npm run conformance -- [OPTION …] [FILE …]

Judges the target that the settings name, or the built-in reference service where they name none.

  FILE    part of the name of a file of tests, such as updates: these alone
  --help  this text

Other options are Playwright's, such as --list or --grep listTickets.filter; npx playwright test --help has them all.

Settings, from the environment or a .env file (the environment wins); a value that is shown is an example:

${settings.join('\n\n').replaceAll(/^(?=.)/gm, '  ')}

Exits with ${fine} (conformant, or incomplete), ${nonconformant} (nonconformant), ${wrongUse} (wrong use), ${broken} (broken), ${incomplete} (incomplete, and FAIL_ON
names what was not exercised), ${drifted} (the target differs from PROFILE) or ${INTERRUPTED} (interrupted).`

await runCommand(() => Promise.resolve(console.log(USAGE)))
