import { parseJson, readAnswer, unreadOf, type Reading } from '../http/answer.ts'
import type { Changes } from './changes.ts'
import { callKey, type Authorization, type Call } from '../http/client.ts'
import type { Contract, OperationId } from '../contract.ts'
import type { Company } from '../http/credentials.ts'
import type { Dataset } from '../data/dataset.ts'
import type { Evidence } from './evidence.ts'
import { isSuccess, type Exchange } from '../http/exchange.ts'
import type { Run } from './run.ts'
import type { RunSettings, TargetSettings } from '../settings/settings.ts'
import { isTransient } from '../trouble/kinds-of-trouble.ts'
import { GivenUp, Unanswered } from '../trouble/unanswered.ts'

const PAUSE_BEFORE_ASKING_AGAIN_MS = 200

/** What came back for a request whose answer is open. */
export interface Probe {
  readonly exchange: Exchange
  /** Undefined where no response arrived. */
  readonly status: number | undefined
  readonly success: boolean
  /** The parsed body, where it is JSON. */
  readonly body: unknown
}

/** A run as one of its companies: what it asks the target, and what it remembers of the answers. */
export class Session {
  readonly run: Run
  readonly caller: Company
  readonly target: TargetSettings
  readonly settings: RunSettings
  readonly contract: Contract
  readonly dataset: Dataset | undefined
  readonly evidence: Evidence
  readonly changes: Changes

  constructor(run: Run, caller: Company = 'main') {
    this.run = run
    this.caller = caller
    this.target = run.target
    this.settings = run.settings
    this.contract = run.contract
    this.dataset = run.dataset
    this.evidence = run.evidence
    this.changes = run.changes
  }

  /** The same run as another of its companies. */
  as(caller: Company): Session {
    return caller === this.caller ? this : new Session(this.run, caller)
  }

  /**
   * Computes a value once per pass and company: equal questions share one answer.
   * @param key permanent name of the question.
   */
  remember<T>(key: string, compute: () => Promise<T>): Promise<T> {
    return this.run.remember(`${this.caller} ${key}`, compute)
  }

  /**
   * Calls an operation and gives its answer; the same call is sent once.
   * @throws Unanswered where no usable answer came, asked twice.
   */
  ask(operation: OperationId, call: Call = {}): Promise<Reading> {
    return this.remember(`ask ${callKey(operation, call)}`, async () =>
      this.#insist(operation, call, await this.#once(operation, call, 'answer')),
    )
  }

  /** As `ask`, but always sent. */
  async askAgain(operation: OperationId, call: Call = {}): Promise<Reading> {
    return this.#insist(operation, call, await this.#send(operation, call, 'answer'))
  }

  /**
   * Calls an operation that may refuse the call; a success is judged as the answer that the document describes.
   * @throws Unanswered where the target did not get to the call, or answered with more than is read.
   */
  attempt(operation: OperationId, call: Call = {}): Promise<Probe> {
    return this.#send(operation, call, 'probe')
  }

  /** As `attempt`, but the same call is sent once, also where others ask for its answer. */
  attemptOnce(operation: OperationId, call: Call): Promise<Probe> {
    return this.#once(operation, call, 'probe')
  }

  /** Takes a success as the answer to a call that others ask for, so that it is not sent again. */
  keep(operation: OperationId, call: Call, probe: Probe): void {
    this.judge(probe.exchange)
    void this.remember(`send ${callKey(operation, call)}`, () => Promise.resolve(probe))
  }

  /** Judges an exchange as an answer that had to come. */
  judge(exchange: Exchange): void {
    this.evidence.judge(readAnswer(this.contract, exchange))
  }

  /**
   * Calls an operation with an authorization that must be refused. It is sent again only where the target did not get to it.
   * @throws Unanswered where it never did.
   */
  async attemptUnauthorized(operation: OperationId, call: Call, authorization: Authorization): Promise<Probe> {
    return readProbe(await this.run.send(operation, call, authorization, 'probe', true))
  }

  /**
   * Waits some milliseconds.
   * @throws RunEnded as soon as no time is left.
   */
  pause(ms: number): Promise<void> {
    return this.run.pause(ms)
  }

  #once(operation: OperationId, call: Call, purpose: Exchange['purpose']): Promise<Probe> {
    return this.remember(`send ${callKey(operation, call)}`, () => this.#send(operation, call, purpose))
  }

  async #send(operation: OperationId, call: Call, purpose: Exchange['purpose']): Promise<Probe> {
    const exchange = await this.run.send(operation, call, { caller: this.caller }, purpose)
    const unread = unreadOf(exchange)
    if (unread !== undefined) throw Unanswered.unread(exchange, unread)
    const probe = readProbe(exchange)
    if (probe.success) this.judge(probe.exchange)
    return probe
  }

  /** Gives the answer to a call that must have one; one that can't be used is judged, and asked for again. */
  async #insist(operation: OperationId, call: Call, first: Probe): Promise<Reading> {
    const reading = readAnswer(this.contract, first.exchange)
    if (reading.usable) return reading
    // What no valid call may get is a fault even where asking again helps.
    if (!first.success && isFault(first.exchange) && !isTransient(first.exchange)) this.evidence.judge(reading)
    await this.pause(PAUSE_BEFORE_ASKING_AGAIN_MS)
    const second = await this.#send(operation, call, 'answer').catch((error: unknown) => {
      // It was waited for at full length before.
      if (error instanceof GivenUp && first.exchange.failure?.kind === 'timeout') this.evidence.judge(reading)
      throw error
    })
    const again = readAnswer(this.contract, second.exchange)
    if (!second.success) this.evidence.judge(again)
    if (!again.usable) throw Unanswered.by(again)
    return again
  }
}

/** Whether the target answered, and in a way that is never right: not as described, or with an error of its own. */
export function isFault(exchange: Exchange): boolean {
  const status = exchange.response?.status
  return isSuccess(exchange) || (status !== undefined && status >= 500)
}

function readProbe(exchange: Exchange): Probe {
  const parsed = exchange.response && parseJson(exchange.response.body)
  return {
    exchange,
    status: exchange.response?.status,
    success: isSuccess(exchange),
    body: parsed && 'body' in parsed ? parsed.body : undefined,
  }
}
