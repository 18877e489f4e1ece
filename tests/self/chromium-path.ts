import path from 'node:path'
import { environment, standingFolder, type Environment } from '../engine/environment.ts'
import { text } from '../engine/setting-values.ts'

const CHROMIUM_PATH = 'CHROMIUM_PATH'

/** Lets the processes that this one starts know which browser to run. */
export function announceChromium(executable: string): void {
  process.env[CHROMIUM_PATH] = executable
}

/** The browser for the tests of the suite itself, where one is named. */
export function chromiumPath(env: Environment = environment()): string | undefined {
  const value = text(env, CHROMIUM_PATH)
  return value === undefined ? undefined : path.resolve(standingFolder(), value)
}

/** The folders in which commands are looked for. */
export function commandFolders(env: Environment = environment()): string[] {
  return (text(env, 'PATH') ?? '').split(path.delimiter).filter((folder) => folder !== '')
}
