import { spawn } from 'node:child_process'
import { environment, projectRoot } from '../engine/settings.ts'

/** A Node.js process after its end: its exit code, and what it printed to either stream. */
export interface Ended {
  readonly exitCode: number | null
  readonly output: string
}

/** Runs Node.js in the project's folder, with the settings laid over the environment's. */
export async function runNode(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, args, { cwd: projectRoot, env: { ...environment(), ...settings } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { exitCode, output }
}
