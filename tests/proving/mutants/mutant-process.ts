import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { environment } from '../../engine/settings.ts'
import type { MutatedService } from './mutated-service.ts'

/** Where the header of instrumented code reads which mutant it is to be. */
const ACTIVE_MUTANT = '__STRYKER_ACTIVE_MUTANT__'

const START_LIMIT_MS = 10_000
/** A mutant that keeps what it should give back takes no more than this from everybody else. */
const MEMORY_LIMIT_MB = 256

/** A mutant as a running service. */
export interface MutantProcess {
  readonly url: string
  end(): void
}

const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))
// Whatever ends this process ends the mutants, which may be in a loop and hear nothing.
for (const ending of ['SIGINT', 'SIGTERM', 'disconnect']) process.once(ending, () => process.exit())

/**
 * Starts a mutant, or the service as it is, from its instrumented copy.
 * @param copies the folder of all copies
 * @returns undefined where it ends without having told its address, or hasn't told it in time
 */
export async function startMutant(
  { folder, args }: MutatedService,
  copies: string,
  mutant: string | undefined,
): Promise<MutantProcess | undefined> {
  const main = path.join(folder, 'main.js')
  const child = spawn(process.execPath, [`--max-old-space-size=${MEMORY_LIMIT_MB}`, main, ...args], {
    cwd: copies,
    env: { ...environment(), ...(mutant !== undefined && { [ACTIVE_MUTANT]: mutant }) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  const end = () => void child.kill('SIGKILL')
  const url = await addressToldBy(child)
  if (url === undefined) end()
  return url === undefined ? undefined : { url, end }
}

function addressToldBy(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let output = ''
    const limit = setTimeout(() => resolve(undefined), START_LIMIT_MS).unref()
    child.once('close', () => resolve(undefined))
    child.once('error', () => resolve(undefined))
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [url] = /http:\/\/127\.0\.0\.1:\d+(?=\n)/.exec(output) ?? []
      if (url === undefined) return
      clearTimeout(limit)
      resolve(url)
    })
  })
}
