import { fork, type ChildProcess } from 'node:child_process'
import { on } from 'node:events'
import path from 'node:path'
import { environment } from '../../engine/settings/settings.ts'
import type { Answer, Order } from './mutant-host.ts'
import { MUTANT_HOST, type MutatedService, type MutatedServiceName } from './mutated-service.ts'

const START_LIMIT_MS = 10_000
const REST_LIMIT_MS = 2000
/** A mutant that keeps what it should give back takes no more than this from everybody else. */
const MEMORY_LIMIT_MB = 256
/** What a process keeps of its mutants does not add up to more than that of so many. */
const MOST_MUTANTS = 40

const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')))
// Whatever ends this process ends the mutants, which may be in a loop and hear nothing.
for (const ending of ['SIGINT', 'SIGTERM', 'disconnect']) process.once(ending, () => process.exit())

const resting: MutantProcess[] = []

/** A process that runs mutants of one service in turn: the packages that Node.js has compiled serve them all. */
export class MutantProcess {
  readonly #service: MutatedServiceName
  readonly #child: ChildProcess
  #started = 0

  /** @param copies the folder of all copies */
  constructor({ name, folder, args }: MutatedService, copies: string) {
    this.#service = name
    this.#child = fork(path.join(copies, `${MUTANT_HOST}.js`), [path.join(copies, folder), ...args], {
      cwd: copies,
      env: environment(),
      execArgv: [`--max-old-space-size=${MEMORY_LIMIT_MB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    running.add(this.#child)
    this.#child.once('close', () => running.delete(this.#child))
    // What it can't be told, it doesn't answer.
    this.#child.on('error', () => undefined)
  }

  /** A process that was other mutants of the service, and is none now. Those of another service are ended. */
  static resting({ name }: MutatedService): MutantProcess | undefined {
    for (;;) {
      const one = resting.pop()
      if (one === undefined || (one.#service === name && !one.hasEnded)) return one
      one.end()
    }
  }

  /** Whether it ended by itself. */
  get hasEnded(): boolean {
    return !this.#child.connected && !this.#child.killed
  }

  /**
   * Starts a mutant, or the service as it is.
   * @returns its address; undefined where it ends without having told it, or hasn't told it in time
   */
  async start(mutant: string | undefined): Promise<string | undefined> {
    this.#started += 1
    const answer = await this.#ask({ start: mutant ?? null }, START_LIMIT_MS)
    if (answer === undefined) this.end()
    return typeof answer === 'object' ? (answer.url ?? undefined) : undefined
  }

  /** Ends what was started, and the process with it where that doesn't listen or there were enough. */
  async rest(): Promise<void> {
    const rests = this.#started < MOST_MUTANTS && (await this.#ask('rest', REST_LIMIT_MS)) === 'resting'
    if (rests) resting.push(this)
    else this.end()
  }

  end(): void {
    if (this.#child.connected) this.#child.kill('SIGKILL')
  }

  /** @returns undefined where it ends without an answer, or doesn't answer in time */
  async #ask(order: Order, limitMs: number): Promise<Answer | undefined> {
    if (!this.#child.connected) return
    const signal = AbortSignal.timeout(limitMs)
    const answers = on(this.#child, 'message', { signal, close: ['disconnect'] })
    this.#child.send(order)
    try {
      for await (const [answer] of answers) return answer as Answer
    } catch {
      // It could not be told, or did not answer in time.
    }
  }
}
