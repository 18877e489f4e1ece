import type { Exchange } from '../engine/http/exchange.ts'

const UPDATED_AT = /"updatedAt":"([^"]+)"/g

/** What a service answered to each request of a run, so that another service's answers can be told from it. */
export class Wire {
  readonly #answers = new Map<string, Set<string>>()
  readonly #since: string

  /** @param since ISO time of the run's start: later times are those of its own updates, which no two runs share. */
  constructor(exchanges: readonly Exchange[], since: string) {
    this.#since = since
    for (const exchange of exchanges) {
      const key = keyOf(exchange)
      const answers = this.#answers.get(key) ?? new Set()
      this.#answers.set(key, answers.add(this.#answerOf(exchange)))
    }
  }

  /** Whether a request that this run has sent was answered otherwise in another. */
  differsFrom(exchanges: readonly Exchange[]): boolean {
    return exchanges.some((exchange) => {
      const answers = this.#answers.get(keyOf(exchange))
      return answers !== undefined && !answers.has(this.#answerOf(exchange))
    })
  }

  #answerOf({ response, failure }: Exchange): string {
    if (!response) return failure?.kind ?? ''
    const headers = response.headers.filter(([name]) => name.toLowerCase() !== 'date')
    const body = response.body
      .toString('latin1')
      .replace(UPDATED_AT, (member, time: string) => (time >= this.#since ? '"updatedAt":"now"' : member))
    return JSON.stringify([response.status, headers, body])
  }
}

function keyOf({ request }: Exchange): string {
  return JSON.stringify([request.method, request.target, request.caller, request.body])
}
