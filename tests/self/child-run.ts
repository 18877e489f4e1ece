import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Har } from 'har-format'
import { projectRoot } from '../engine/settings/settings.ts'
import { runNode, type Variables } from '../run/node-process.ts'
import type { EvidenceEntry } from '../reporting/result/evidence-har.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { unpacked } from './packed-report.ts'

/** Every setting, not there, so that a developer's own change nothing. */
export const UNSET = Object.fromEntries(
  `BASE_URL ACCESS_TOKEN OTHER_ACCESS_TOKEN ACCESS_TOKEN_COMMAND OTHER_ACCESS_TOKEN_COMMAND MAX_DURATION_S DATASET ALLOW_WRITES LEVEL DATE_FORMAT PROFILE UPDATE_PROFILE TARGET_NAME SEED
  OPERATIONS CERTIFICATION_NONCE CERTIFICATION_KEY_FILE REQUEST_TIMEOUT_MS MAX_PAGES MAX_REQUESTS_PER_SECOND CLIENT_CERT_FILE CLIENT_KEY_FILE FAIL_ON HTTP_PROXY HTTPS_PROXY NO_PROXY
  CI GITHUB_ACTIONS GITHUB_STEP_SUMMARY FORCE_COLOR`
    .split(/\s+/)
    .map((name) => [name, undefined]),
)

/** A conformance run in a process of its own, after it has ended. */
export interface ChildRun {
  readonly exitCode: number | null
  /** What it printed, to either stream. */
  readonly output: string
  readonly seconds: number
  /** Its REPORTS_DIR. */
  readonly folder: string
}

/** Runs a command of Playwright, `test` where nothing else is said, as a user does. */
export async function runSuite(
  folder: string,
  settings: Variables,
  args: readonly string[] = [],
  command = 'test',
): Promise<ChildRun> {
  const start = performance.now()
  const playwright = path.join(projectRoot, 'node_modules/@playwright/test/cli.js')
  const { exitCode, output } = await runNode([playwright, command, ...args], {
    ...UNSET,
    REPORTS_DIR: folder,
    ...settings,
  })
  return { exitCode, output, seconds: (performance.now() - start) / 1000, folder }
}

type Folder = Pick<ChildRun, 'folder'>

/** The text of a file that a run has left in its folder. */
export function textOf({ folder }: Folder, file: string): string {
  return readFileSync(path.join(folder, file), 'utf8')
}

export function reportOf(run: Folder): Report {
  return JSON.parse(textOf(run, 'conformance.json')) as Report
}

export function entriesOf(run: Folder): EvidenceEntry[] {
  return (JSON.parse(textOf(run, 'evidence.har')) as Har).log.entries as EvidenceEntry[]
}

/** Everything a run has let out, by the name of the file: Playwright's HTML unpacked, and what was printed. */
export function everythingOf({ folder, output }: ChildRun): ReadonlyMap<string, string> {
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  return new Map([
    ['output', output],
    ...files
      .filter((file) => file.isFile())
      .map((file) => {
        const whole = path.join(file.parentPath, file.name)
        const name = path.relative(folder, whole)
        const text = readFileSync(whole, 'utf8')
        return [name, name === path.join('playwright', 'index.html') ? text + unpacked(text) : text] as const
      }),
  ])
}
