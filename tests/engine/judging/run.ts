import { Changes } from './changes.ts'
import { Client, type Authorization, type Call } from '../http/client.ts'
import { Clock, RunEnded, WAS_INTERRUPTED } from '../time/clock.ts'
import type { Contract, OperationId } from '../contract.ts'
import { Credentials, type Company } from '../http/credentials.ts'
import type { Dataset } from '../data/dataset.ts'
import { Evidence } from './evidence.ts'
import { isForbidden, isSuccess, requestLine, type Exchange } from '../http/exchange.ts'
import { Expiry } from '../trouble/expiry.ts'
import type { RunSettings, TargetSettings } from '../settings/settings.ts'
import { realTime, type Time } from '../time/time.ts'
import { Transport, type Wire } from '../http/transport.ts'
import { Redirected, TargetDown, type Waiting } from '../trouble/trouble.ts'
import { GivenUp, Unanswered } from '../trouble/unanswered.ts'

/** What putting the target back as it was may take, after the run's own time: a quota by the minute may have to pass. */
const RESTORATION_S = 75

/**
 * A fault is reported only where a first pass over the target shows it and a confirmation does too, and where a stability
 * check finds the data that it rests on as it was.
 */
export type Pass = 'first' | 'confirmation' | 'stability check'

function emptyPasses(): Record<Pass, Map<string, Promise<unknown>>> {
  return { first: new Map(), confirmation: new Map(), 'stability check': new Map() }
}

/** What a run goes by besides its settings. */
export interface Surroundings {
  /** What the target has been loaded with, where that is known. */
  readonly dataset?: Dataset | undefined
  /** File for what is changed; undefined where the target ends with the run. */
  readonly journal?: string | undefined
  /** Is told of each token that replaces an expired one. */
  readonly hide?: (token: string) => void
  /** Is told, in sentences, what the run waits for before it begins. */
  readonly tell?: (text: string) => void
  /** What answers requests in place of the target. */
  readonly transport?: Wire | undefined
  readonly time?: Time | undefined
}

/** What a run has once, whichever of its companies asks: settings, contract, evidence, time, and the way to the target. */
export class Run {
  readonly target: TargetSettings
  readonly settings: RunSettings
  readonly contract: Contract
  readonly dataset: Dataset | undefined
  readonly evidence: Evidence
  readonly tell: (text: string) => void
  readonly #transport: Wire
  readonly #client: Client
  readonly #clock: Clock
  /** The tokens as they are now. */
  readonly credentials: Credentials
  readonly #expiry: Readonly<Record<Company, Expiry>>
  #hasSentBadTokens = false
  #trouble: string | undefined
  /** What the run has changed and not yet seen as it was. */
  readonly changes: Changes
  #isInterrupted = false
  #isClosing = false
  /** What was asked and answered at each of the two looks. */
  #passes = emptyPasses()
  #pass: Pass = 'first'

  constructor(
    target: TargetSettings,
    settings: RunSettings,
    contract: Contract,
    { dataset, journal, hide = () => undefined, tell = () => undefined, transport, time = realTime }: Surroundings = {},
  ) {
    this.target = target
    this.settings = settings
    this.contract = contract
    this.dataset = dataset
    this.tell = tell
    this.evidence = new Evidence(contract)
    this.changes = new Changes(target.baseUrl, journal)
    this.#transport = transport ?? new Transport(settings)
    this.credentials = new Credentials(target, hide)
    this.#clock = new Clock(
      settings.maxDurationS * 1000,
      `MAX_DURATION_S (${settings.maxDurationS}) was over before this was looked at; raise it.`,
      time,
    )
    this.#expiry = {
      main: new Expiry('main', this.credentials, this.#clock),
      other: new Expiry('other', this.credentials, this.#clock),
    }
    this.#client = new Client(
      {
        baseUrl: target.baseUrl,
        requestTimeoutMs: settings.requestTimeoutMs,
        waitLimits: settings.waitLimits,
        ...(settings.maxRequestsPerSecond !== undefined && { maxRequestsPerSecond: settings.maxRequestsPerSecond }),
      },
      this.credentials,
      this.#transport,
      this.evidence,
      this.#clock,
    )
  }

  /** What time it is, in milliseconds since 1970. */
  get now(): number {
    return this.#clock.now
  }

  /** Notes that the target was waited for, since some time, before anything was asked of it. */
  countOutage(since: number): void {
    this.#client.countOutage(this.now - since)
  }

  /** Sends again what has hung before. */
  forgetHangs(): void {
    this.#client.forgetHangs()
  }

  /** What an operation that had worked was answered as long as it was waited for, while others were answered, and since. */
  downFor(operation: OperationId): Exchange | undefined {
    return this.#client.downFor(operation)
  }

  /** What was waited for. */
  get waited(): readonly Waiting[] {
    return this.#client.waited
  }

  /** Why the target could not be judged to the end, in a sentence. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /**
   * Computes a value once per pass: equal questions share one answer.
   * @param key permanent name of the question.
   */
  remember<T>(key: string, compute: () => Promise<T>): Promise<T> {
    const memory = this.#passes[this.#pass]
    const known = memory.get(key) as Promise<T> | undefined
    if (known) return known
    const fresh = compute()
    memory.set(key, fresh)
    // The caller gets the rejection; without a caller it is no reason to crash.
    fresh.catch(() => undefined)
    return fresh
  }

  /** Whether what failed is judged again. */
  get isConfirming(): boolean {
    return this.#pass === 'confirmation'
  }

  /**
   * Resumes the first pass, or begins another one: what the first has seen, a later one asks for itself, and so does each
   * later one, since what an earlier confirmation saw may have changed meanwhile.
   */
  turnTo(pass: Pass): void {
    this.#pass = pass
    this.#passes = { ...emptyPasses(), first: this.#passes.first }
  }

  /** Forgets every pass, so that the target is asked again. */
  forget(): void {
    this.#passes = emptyPasses()
  }

  /**
   * Waits some milliseconds.
   * @throws RunEnded as soon as no time is left.
   */
  pause(ms: number): Promise<void> {
    return this.#clock.sleep(ms)
  }

  /**
   * Asks nothing more of the target for any requirement; what is on its way is waited for. However often that is wished, the
   * target is put back as it was.
   */
  interrupt(): void {
    this.#isInterrupted = true
    if (!this.#isClosing) this.#clock.end(WAS_INTERRUPTED)
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted
  }

  /**
   * Puts back what is still changed, and closes all connections.
   * @param restore puts it back, and tells in sentences what could not be.
   */
  async close(restore: () => Promise<string[]> = () => Promise.resolve([])): Promise<string[]> {
    this.#isClosing = true
    this.#clock.extend(RESTORATION_S * 1000, `${RESTORATION_S} s for putting back what was changed were over.`)
    this.#client.tryAgain()
    for (const expiry of Object.values(this.#expiry)) expiry.forget()
    const left = await restore()
    await this.#transport.close()
    return left
  }

  /** @throws Unanswered where no answer is to be had, for a reason that is not the call's own; RunEnded for any call. */
  async send(
    operation: OperationId,
    call: Call,
    authorization: Authorization,
    purpose: Exchange['purpose'],
    mustBeRefused = false,
  ): Promise<Exchange> {
    if ('value' in authorization) this.#hasSentBadTokens = true
    if (this.settings.operations?.includes(operation) === false)
      throw new Unanswered(operation, `OPERATIONS leaves ${operation} out`)
    const sending = { operation: this.contract.operation(operation), call, authorization, purpose }
    try {
      if ('value' in authorization) return await this.#client.send(sending, mustBeRefused)
      const { caller } = authorization
      const expiry = this.#expiry[caller]
      if (mustBeRefused) {
        const exchange = await this.#client.send(sending, mustBeRefused)
        if (isSuccess(exchange)) expiry.accepted()
        return exchange
      }
      expiry.check()
      const token = this.credentials.token(caller)
      const exchange = await this.#client.send(sending, false)
      if (exchange.failure?.kind === 'given up')
        throw new GivenUp(
          operation,
          `${requestLine(exchange)} was given up (${exchange.failure.message}; exchange ${exchange.number}), as many requests hung before it`,
        )
      if (!isForbidden(exchange)) {
        expiry.accepted()
        return exchange
      }
      const control = () => this.#client.controlWhenUp(caller, operation)
      const isRenewed = await expiry.isRenewed(token, exchange, control, this.#hasSentBadTokens)
      return isRenewed ? await this.#client.send(sending, false) : exchange
    } catch (error) {
      if (error instanceof Redirected) {
        const reason = this.#expiry.main.whyRedirected(error.exchange)
        this.#clock.end(reason)
        throw new RunEnded(reason)
      }
      if (!(error instanceof TargetDown)) throw error
      const locked = ' Bad tokens had been sent by then, for which a target may turn everybody away.'
      this.#trouble ??= error.message + (this.#hasSentBadTokens ? locked : '')
      this.#clock.end(this.#trouble)
      throw new RunEnded(this.#trouble)
    }
  }
}
