import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import dotenv from 'dotenv'

/** The folder of package.json: where `spec/` and `fixtures/` are found, wherever a command is started. */
export const projectRoot = fileURLToPath(new URL('../../../', import.meta.url))

export type Environment = Readonly<Record<string, string | undefined>>

/** The folder in which the user stands, whatever folder npm has gone to; paths that are given count from there. */
export function standingFolder(): string {
  return path.resolve(process.env['INIT_CWD'] ?? process.cwd())
}

/** The process environment laid over the `.env` file: the environment wins. */
export function environment(): Environment {
  return { ...readDotenv(), ...process.env }
}

/** Where the value of a setting comes from, in words that follow "from". */
export function originOf(name: string): string {
  if (process.env[name] !== undefined) return 'the environment'
  const file = dotenvFile()
  return file === undefined ? 'nowhere' : path.relative(standingFolder(), file) || file
}

/** Whether the `.env` file alone has a name. */
export function isOfDotenv(name: string): boolean {
  return process.env[name] === undefined && readDotenv()[name] !== undefined
}

function readDotenv(): Environment {
  const file = dotenvFile()
  return file === undefined ? {} : dotenv.parse(readFileSync(file))
}

/** The file that DOTENV_CONFIG_PATH names, where there is none. */
export function missingDotenvFile(): string | undefined {
  const named = process.env['DOTENV_CONFIG_PATH']
  return named && !existsSync(path.resolve(standingFolder(), named)) ? named : undefined
}

/** The file that DOTENV_CONFIG_PATH names, or else `.env` where the user stands, or else the suite's own. */
function dotenvFile(): string | undefined {
  const named = process.env['DOTENV_CONFIG_PATH']
  const folders = [standingFolder(), projectRoot]
  const files = named ? [path.resolve(standingFolder(), named)] : folders.map((folder) => path.join(folder, '.env'))
  return files.find((file) => existsSync(file))
}
