import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Row } from '../commands/row.ts'
import { projectRoot } from '../engine/settings.ts'
import { runNode } from '../run/node-process.ts'

/** What `npm run matrix` did. */
export interface MatrixRun {
  readonly exitCode: number | null
  readonly output: string
  /** A row each target; empty where no result was written. */
  readonly rows: readonly Row[]
}

/** Runs the matrix over targets, with files in a folder of the caller's, as a user does. */
export async function runMatrix(folder: string, targets: unknown, args: readonly string[] = []): Promise<MatrixRun> {
  const [targetsFile, out] = [path.join(folder, 'targets.json'), path.join(folder, 'matrix.json')]
  writeFileSync(targetsFile, JSON.stringify(targets))
  const script = path.join(projectRoot, 'tests/commands/matrix.ts')
  const { exitCode, output } = await runNode(
    ['--import', 'tsx', script, '--targets', targetsFile, '--out', out, ...args],
    { REQUEST_TIMEOUT_MS: '3000' },
  )
  return { exitCode, output, rows: rowsIn(out) }
}

function rowsIn(file: string): readonly Row[] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { targets: Row[] }).targets
  } catch {
    return []
  }
}
