import { spawn } from 'node:child_process'
import { devNull } from 'node:os'
import { projectRoot } from '../engine/settings.ts'

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
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { exitCode, output }
}
