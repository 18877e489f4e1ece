import { Tinypool } from 'tinypool'

/** How many processes judge, and how much each of them at once. */
export interface Judging {
  readonly processes: number
  readonly jobs: number
  /** How long any answer is waited for. */
  readonly requestTimeoutMs: number
  readonly seed: number
}

/**
 * Hands every assignment to the default function of a file, in processes of their own, and tells the progress on
 * standard error.
 */
export async function judgeInProcesses<Assignment, Run>(
  file: URL,
  assignments: readonly Assignment[],
  { processes, jobs, requestTimeoutMs, seed }: Judging,
): Promise<Run[]> {
  const pool = new Tinypool({
    filename: file.href,
    runtime: 'child_process',
    minThreads: processes,
    maxThreads: processes,
    concurrentTasksPerWorker: jobs,
    isolateWorkers: false,
    // Most of what a run makes is soon forgotten: room for it spares the time of tidying up again and again.
    execArgv: [...process.execArgv, '--max-semi-space-size=64'],
    env: { REQUEST_TIMEOUT_MS: String(requestTimeoutMs), ...process.env, SEED: String(seed) },
  })
  try {
    let done = 0
    return await Promise.all(
      assignments.map(async (assignment) => {
        const run = (await pool.run(assignment)) as Run
        tellProgress(++done, assignments.length)
        return run
      }),
    )
  } finally {
    await pool.destroy()
  }
}

/** One line that is written over on a terminal, and ten lines elsewhere. */
function tellProgress(done: number, all: number): void {
  const line = `${done} of ${all} runs, ${(performance.now() / 1000).toFixed(0)} s`
  if (process.stderr.isTTY) process.stderr.write(`\r${line}${done === all ? '\n' : ''}`)
  else if (Math.floor((10 * done) / all) > Math.floor((10 * (done - 1)) / all)) console.error(line)
}
