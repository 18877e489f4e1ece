import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { chromium } from '@playwright/test'
import { environment, projectRoot, standingFolder } from '../engine/settings/environment.ts'
import { text } from '../engine/settings/setting-values.ts'
import type { Installation, Place, Sources } from './chromium.ts'

/** No sandbox, as containers allow none to root; and nothing that asks the network of its own accord. */
export const CHROMIUM_ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']

const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
const ON_MACOS = ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
)
const LONGEST_START_MS = 30_000
const LONGEST_INSTALLATION_MS = 5 * 60_000

const CHROMIUM_PATH = 'CHROMIUM_PATH'

/** Lets the processes that this one starts know which browser to run. */
export function announceChromium(executable: string): void {
  process.env[CHROMIUM_PATH] = executable
}

/** The browser for the tests of the suite itself, where one is named. */
export function chromiumPath(): string | undefined {
  const value = text(environment(), CHROMIUM_PATH)
  return value === undefined ? undefined : path.resolve(standingFolder(), value)
}

/** Where this machine may have a browser from. */
export function sourcesOfThisMachine(): Sources {
  return {
    named: chromiumPath(),
    places: () => [
      undefined,
      ...[chromium.executablePath(), ...COMMANDS.flatMap(onPath), ...ON_MACOS].filter((place) => existsSync(place)),
    ],
    runs,
    installations: [PLAYWRIGHTS, ...(onPath('apt-get').length > 0 ? [DEBIANS] : [])],
  }
}

async function runs(place: Place): Promise<boolean> {
  const options = { args: CHROMIUM_ARGUMENTS, timeout: LONGEST_START_MS }
  try {
    await (await chromium.launch({ ...options, ...(place !== undefined && { executablePath: place }) })).close()
    return true
  } catch {
    return false
  }
}

const PLAYWRIGHTS: Installation = {
  whose: "Playwright's",
  install: async () => {
    console.error("No Chromium runs on this machine; installing Playwright's.")
    const playwright = path.join(projectRoot, 'node_modules/@playwright/test/cli.js')
    await execute([process.execPath, playwright, 'install', 'chromium', '--only-shell'])
  },
}

const DEBIANS: Installation = {
  whose: "Debian's",
  install: async () => {
    console.error("Playwright's Chromium can't be had; installing Debian's.")
    const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
    const aptGet = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-y']
    const install = [...aptGet, 'install', '--no-install-recommends', 'chromium']
    // An image of a container has no lists of packages until they are asked for.
    await execute(install).catch(async () => {
      await execute([...aptGet, 'update'])
      await execute(install)
    })
  },
}

/** Runs a command to its end, which must come in time. */
async function execute([command = '', ...args]: readonly string[]): Promise<void> {
  const options = { timeout: LONGEST_INSTALLATION_MS, killSignal: 'SIGKILL' } as const
  await promisify(execFile)(command, args, options).catch((error: Error & { stderr?: string; killed?: boolean }) => {
    if (error.killed === true) throw new Error('it takes too long')
    const lines = stripVTControlCharacters(error.stderr ?? '').split('\n')
    const reason = lines.find((line) => /^(E|Error|sudo): /.test(line)) ?? error.message.split('\n', 1)[0]!
    throw new Error(reason.replace(/^(E|Error): /, ''))
  })
}

function onPath(command: string): string[] {
  return (text(environment(), 'PATH') ?? '')
    .split(path.delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => path.join(folder, command))
    .filter((file) => existsSync(file))
}
