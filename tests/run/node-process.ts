import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { devNull } from 'node:os'
import path from 'node:path'
import { projectRoot } from '../engine/settings/settings.ts'

/** A Node.js process after its end: its exit code, and what it printed to either stream. */
export interface Ended {
  readonly exitCode: number | null
  readonly output: string
}

/** What the environment is to hold; a variable that is undefined is not there. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Runs Node.js in the project's folder, with the variables laid over the environment's, and without any `.env`. */
export async function runNode(args: readonly string[], variables: Variables): Promise<Ended> {
  const env = { ...process.env, INIT_CWD: projectRoot, DOTENV_CONFIG_PATH: devNull, ...variables }
  const child = spawn(process.execPath, args, { cwd: projectRoot, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, output }
}

/** Runs a script of tests/commands in the same way. */
export function runScript(name: string, args: readonly string[], variables: Variables = {}): Promise<Ended> {
  return runNode(['--import', 'tsx', path.join(projectRoot, 'tests/commands', `${name}.ts`), ...args], variables)
}
