import { setTimeout as sleep } from 'node:timers/promises'
import { parseJson, readAnswer, type Reading } from './answer.ts'
import { Changes } from './changes.ts'
import { callKey, Client, TRANSIENT_STATUS, type Authorization, type Call } from './client.ts'
import type { Contract, OperationId } from './contract.ts'
import type { Dataset } from './dataset.ts'
import { Evidence } from './evidence.ts'
import { requestLine, type Exchange } from './exchange.ts'
import type { RunSettings, TargetSettings } from './settings.ts'
import { Transport } from './transport.ts'

const PAUSE_BEFORE_ASKING_AGAIN_MS = 200
const TIMEOUTS_BEFORE_GIVING_UP = 2

/** A request that should have been answered was not answered in a way that can be used. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  readonly reading: Reading

  constructor(reading: Reading) {
    const { exchange } = reading
    super(
      isRateLimited(exchange)
        ? `It takes a target that lets in more requests: ${requestLine(exchange)} was refused for their number again and again (exchange ${exchange.number}); set MAX_REQUESTS_PER_SECOND`
        : `${requestLine(exchange)} gave no usable answer (exchange ${exchange.number}); see the answer requirements`,
    )
    this.reading = reading
  }
}

/** What came back for a request whose answer is open. */
export interface Probe {
  readonly exchange: Exchange
  /** Undefined where no response arrived. */
  readonly status: number | undefined
  readonly success: boolean
  /** The parsed body, where it is JSON. */
  readonly body: unknown
}

/**
 * A fault is reported only where two looks at the target, one after the other, both show it, and where a last glance
 * finds the data that it rests on as it was.
 */
export type Look = 'first' | 'second' | 'glance'

function emptyLooks(): Record<Look, Map<string, Promise<unknown>>> {
  return { first: new Map(), second: new Map(), glance: new Map() }
}

/** The run is to end: nothing is asked any more, but for what puts the target back as it was. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor() {
    super('The run was interrupted.')
  }
}

/** Everything a run knows: settings, contract, evidence, and what it has asked the target so far. */
export class Session {
  readonly target: TargetSettings
  readonly settings: RunSettings
  readonly contract: Contract
  readonly dataset: Dataset | undefined
  readonly evidence: Evidence
  readonly #transport: Transport
  readonly #client: Client
  readonly #timeouts = new Map<OperationId, number>()
  /** What the run has changed and not yet seen as it was. */
  readonly changes: Changes
  #isEnding = false
  #isInterrupted = false
  /** What was asked and answered at each of the two looks. */
  #looks = emptyLooks()
  #look: Look = 'first'

  /** @param journal file for what is changed; undefined where the target ends with the run. */
  constructor(target: TargetSettings, settings: RunSettings, contract: Contract, dataset?: Dataset, journal?: string) {
    this.target = target
    this.settings = settings
    this.contract = contract
    this.dataset = dataset
    this.evidence = new Evidence(contract)
    this.changes = new Changes(target.baseUrl, journal)
    this.#transport = new Transport(settings)
    this.#client = new Client(
      {
        baseUrl: target.baseUrl,
        ...(settings.maxRequestsPerSecond !== undefined && { maxRequestsPerSecond: settings.maxRequestsPerSecond }),
      },
      this.#transport,
      this.evidence,
    )
  }

  /**
   * Computes a value once a look: equal questions share one answer.
   * @param key permanent name of the question.
   */
  remember<T>(key: string, compute: () => Promise<T>): Promise<T> {
    const memory = this.#looks[this.#look]
    const known = memory.get(key) as Promise<T> | undefined
    if (known) return known
    const fresh = compute()
    memory.set(key, fresh)
    // Whoever asks gets the rejection; nobody asking is no reason to crash.
    fresh.catch(() => undefined)
    return fresh
  }

  /** Turns to another look at the target: what one has seen, the other asks for itself. A glance sees everything afresh. */
  turnTo(look: Look): void {
    this.#look = look
    if (look === 'glance') this.#looks.glance = new Map()
  }

  /** Forgets every look, so that the target is looked at afresh. */
  forget(): void {
    this.#looks = emptyLooks()
  }

  /**
   * Calls an operation as the main company and gives its answer; the same call is sent once.
   * @throws Unanswered where no usable answer came, asked twice.
   */
  ask(operation: OperationId, call: Call = {}): Promise<Reading> {
    return this.remember(callKey(operation, call), () => this.askAfresh(operation, call))
  }

  /** As `ask`, but always sent, and as the second company where told so. */
  async askAfresh(operation: OperationId, call: Call = {}, caller: 'main' | 'other' = 'main'): Promise<Reading> {
    const hopeless = this.#hopeless(operation)
    if (hopeless) throw new Unanswered(hopeless)
    let reading = await this.#answer(operation, call, caller)
    if (!reading.usable) {
      // What no valid call may get is a fault even where asking again helps.
      if (isFault(reading.exchange)) this.evidence.judge(reading)
      await sleep(PAUSE_BEFORE_ASKING_AGAIN_MS)
      reading = await this.#answer(operation, call, caller)
    }
    if (isRateLimited(reading.exchange)) throw new Unanswered(reading)
    this.evidence.judge(reading)
    if (!reading.usable) throw new Unanswered(reading)
    return reading
  }

  /**
   * Calls an operation that may refuse the call; a success is judged as the answer that the document describes.
   * @throws Unanswered where the target did not get to the call for the number of requests.
   */
  async attempt(operation: OperationId, call: Call = {}, caller: 'main' | 'other' = 'main'): Promise<Probe> {
    const contractOperation = this.contract.operation(operation)
    const exchange = await this.#send(contractOperation, call, this.#authorization(caller), 'probe', 'retry')
    const probe = readProbe(exchange)
    if (isRateLimited(exchange)) throw new Unanswered(readAnswer(this.contract, exchange))
    if (probe.success) this.judge(exchange)
    return probe
  }

  /** Judges an exchange as an answer that had to come. */
  judge(exchange: Exchange): void {
    this.evidence.judge(readAnswer(this.contract, exchange))
  }

  /** Calls an operation with an authorization that must be refused. Never retried once something came back. */
  async knock(operation: OperationId, call: Call, authorization: Authorization): Promise<Probe> {
    const contractOperation = this.contract.operation(operation)
    return readProbe(await this.#send(contractOperation, call, authorization, 'probe', 'once'))
  }

  /** Asks nothing more of the target for any requirement; what is on its way is waited for. */
  interrupt(): void {
    this.#isInterrupted = true
    this.#isEnding = true
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted
  }

  /**
   * Puts back what is still changed, and closes all connections.
   * @param restore puts it back, and tells in sentences what could not be.
   */
  async close(restore: (session: Session) => Promise<string[]> = () => Promise.resolve([])): Promise<string[]> {
    this.#isEnding = false
    const left = await restore(this)
    await this.#transport.close()
    return left
  }

  async #send(...call: Parameters<Client['send']>): Promise<Exchange> {
    if (this.#isEnding) throw new Interrupted()
    return this.#client.send(...call)
  }

  async #answer(operation: OperationId, call: Call, caller: 'main' | 'other'): Promise<Reading> {
    const contractOperation = this.contract.operation(operation)
    const exchange = await this.#send(contractOperation, call, this.#authorization(caller), 'answer', 'retry')
    const timedOut = exchange.failure?.kind === 'timeout'
    this.#timeouts.set(operation, timedOut ? (this.#timeouts.get(operation) ?? 0) + 1 : 0)
    return readAnswer(this.contract, exchange)
  }

  /** The last reading of an operation that has hung again and again: it is not waited for any more. */
  #hopeless(operation: OperationId): Reading | undefined {
    if ((this.#timeouts.get(operation) ?? 0) < TIMEOUTS_BEFORE_GIVING_UP) return undefined
    return this.evidence.answers.findLast((reading) => reading.exchange.operation === operation)
  }

  #authorization(caller: 'main' | 'other'): Authorization {
    const token = caller === 'main' ? this.target.accessToken : this.target.otherAccessToken
    if (token === undefined) throw new Error('the session has no token of a second company')
    return { caller, value: `Bearer ${token}` }
  }
}

/** Whether the target answered, and in a way that is never right: not as described, or with an error of its own. */
export function isFault({ response }: Exchange): boolean {
  if (!response) return false
  const { status } = response
  return (status >= 200 && status < 300) || (status >= 500 && !TRANSIENT_STATUS.has(status))
}

function isRateLimited({ response }: Exchange): boolean {
  return response?.status === 429
}

function readProbe(exchange: Exchange): Probe {
  const parsed = exchange.response && parseJson(exchange.response.body)
  const status = exchange.response?.status
  return {
    exchange,
    status,
    success: status !== undefined && status >= 200 && status < 300,
    body: parsed && 'body' in parsed ? parsed.body : undefined,
  }
}
