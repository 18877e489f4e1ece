import { RunEnded, type Clock } from '../time/clock.ts'
import { TOKEN_SETTING, type Company, type Credentials } from '../http/credentials.ts'
import { isForbidden, type Exchange } from '../http/exchange.ts'
import { SettingError } from '../settings/setting-values.ts'

/** How long a token that a control call has shown to be valid is not suspected where a probe is refused. */
const VALIDITY_HOLDS_MS = 1000

/** What a run knows of one company's token: whether it was accepted, has expired, and was replaced. */
export class Expiry {
  readonly #company: Company
  readonly #credentials: Credentials
  readonly #clock: Clock
  #wasAccepted = false
  /** Why no call with the token is sent any more, in a sentence. */
  #reason: string | undefined
  #renewing: Promise<void> | undefined
  /** When a control call was last accepted after another call had been refused. */
  #shownValidAt = -Infinity

  constructor(company: Company, credentials: Credentials, clock: Clock) {
    this.#company = company
    this.#credentials = credentials
    this.#clock = clock
  }

  /** @throws RunEnded where the token has expired and could not be renewed. */
  check(): void {
    if (this.#reason !== undefined) throw new RunEnded(this.#reason)
  }

  /** Lets calls be sent again, whatever is known of the token. */
  forget(): void {
    this.#reason = undefined
  }

  /** Notes that the token was accepted. */
  accepted(): void {
    this.#wasAccepted = true
  }

  /**
   * Tells a token that has expired from a call that is refused for what it asks, and renews it.
   * @param refused the token that a call was refused with.
   * @param control sends a plain call again that succeeded before; undefined where there is none.
   * @param mayBeLockedOut whether the target may refuse the token for bad ones that were sent meanwhile.
   * @returns whether there is another token now.
   * @throws RunEnded where it has expired and could not be renewed.
   */
  async isRenewed(
    refused: string,
    exchange: Exchange,
    control: () => Promise<Exchange | undefined>,
    mayBeLockedOut: boolean,
  ): Promise<boolean> {
    // A token that was never accepted may have no right to this call.
    if (!this.#wasAccepted || (mayBeLockedOut && !this.#credentials.canRenew(this.#company))) return false
    this.#renewing ??= this.#renewIfExpired(refused, exchange, control, mayBeLockedOut)
    try {
      await this.#renewing
    } finally {
      this.#renewing = undefined
    }
    return this.#credentials.token(this.#company) !== refused
  }

  async #renewIfExpired(
    refused: string,
    exchange: Exchange,
    control: () => Promise<Exchange | undefined>,
    mayBeLockedOut: boolean,
  ): Promise<void> {
    this.check()
    if (this.#credentials.token(this.#company) !== refused) return
    // A probe may be refused for what it asks.
    if (exchange.purpose === 'probe' && this.#clock.now - this.#shownValidAt < VALIDITY_HOLDS_MS) return
    if (await this.#isShownValid(control)) return
    const { problem, isCommands } = await this.#renew(refused, control)
    if (problem === undefined || (mayBeLockedOut && !isCommands)) return
    this.#reason = this.#expired(exchange, problem)
    throw new RunEnded(this.#reason)
  }

  /** Why a company's token is of no use any more, in a sentence, where it was answered in a way that names no reason. */
  whyRedirected(exchange: Exchange): string {
    return this.#expired(
      exchange,
      this.#credentials.canRenew(this.#company) ? `, and so were fresh ones.` : this.#remedy,
    )
  }

  #expired({ response, number }: Exchange, remedy: string): string {
    return `${TOKEN_SETTING[this.#company]} expired in the middle of the run (status ${response!.status} in exchange ${number})${remedy}`
  }

  get #remedy(): string {
    return `; give a token that lives longer, or ${TOKEN_SETTING[this.#company]}_COMMAND, which prints a fresh one.`
  }

  async #isShownValid(control: () => Promise<Exchange | undefined>): Promise<boolean> {
    const answer = await control()
    if (answer && isForbidden(answer)) return false
    this.#shownValidAt = this.#clock.now
    return true
  }

  /** @returns what is in the way of a better token, as the end of a sentence, and whether the command alone is. */
  async #renew(
    refused: string,
    control: () => Promise<Exchange | undefined>,
  ): Promise<{ readonly problem?: string; readonly isCommands?: true }> {
    if (!this.#credentials.canRenew(this.#company)) return { problem: this.#remedy }
    try {
      await this.#credentials.renew(this.#company)
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      return { problem: `, and ${error.message}`, isCommands: true }
    }
    const isSame = this.#credentials.token(this.#company) === refused
    if (!isSame && (await this.#isShownValid(control))) return {}
    const printed = isSame ? 'the same token again' : 'a token that was refused too'
    return { problem: `, and ${TOKEN_SETTING[this.#company]}_COMMAND printed ${printed}; run it by hand to see why.` }
  }
}
