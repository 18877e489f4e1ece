import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Row } from '../commands/row.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import { runScript } from '../run/node-process.ts'

/** What `npm run matrix` did. */
export interface MatrixRun {
  readonly exitCode: number | null
  readonly output: string
  /** A row each target; empty where no result was written. */
  readonly rows: readonly Row[]
}

/** Runs the matrix over targets, with files in a folder of the caller's, as a user does. */
export async function runMatrix(folder: string, targets: unknown, args: readonly string[] = []): Promise<MatrixRun> {
  const words = [...filesIn(folder, targets), ...args]
  const { exitCode, output } = await runScript('matrix', words, { REQUEST_TIMEOUT_MS: '3000' })
  return { exitCode, output, rows: rowsIn(path.join(folder, 'matrix.json')) }
}

/** Starts the matrix in the same way, and gives what can be ended. */
export function startMatrix(
  folder: string,
  targets: unknown,
  args: readonly string[] = [],
): { readonly run: ChildProcess; readonly ended: Promise<number | null> } {
  const words = ['--import', 'tsx', 'tests/commands/matrix.ts', ...filesIn(folder, targets), ...args]
  const run = spawn(process.execPath, words, { cwd: projectRoot, stdio: 'ignore' })
  return { run, ended: new Promise((resolve) => run.once('exit', resolve)) }
}

/** Writes the targets file, and names it and that of the result. */
function filesIn(folder: string, targets: unknown): readonly string[] {
  const file = path.join(folder, 'targets.json')
  writeFileSync(file, JSON.stringify(targets))
  return ['--targets', file, '--out', path.join(folder, 'matrix.json')]
}

function rowsIn(file: string): readonly Row[] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { targets: Row[] }).targets
  } catch {
    return []
  }
}
