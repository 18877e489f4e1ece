import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hono } from 'hono'
import type { Reply } from '../../fixtures/service/answer.ts'
import type { Environment } from '../../fixtures/service/app.ts'
import type { Failure, ReceivedResponse } from '../engine/http/exchange.ts'
import type { SimulatedTime } from './simulated-time.ts'
import { decode, Transport, type TransportSettings, type Wire, type WireRequest } from '../engine/http/transport.ts'

/** Made once: without a reason, each abort makes an exception of its own. */
const ANSWERED = new Error('answered')

/**
 * Hands requests to a service in this process, which spares the third of a run's time that a network takes. What a
 * service sends in a way of its own, such as half an answer, goes through a real connection.
 */
export class InProcess implements Wire {
  readonly #service: Hono<Environment>
  readonly #timeoutMs: number
  readonly #time: SimulatedTime
  readonly #connection: Connection

  /** @param time of the run and of the service. */
  constructor(service: Hono<Environment>, settings: TransportSettings, time: SimulatedTime) {
    this.#service = service
    this.#time = time
    this.#timeoutMs = settings.requestTimeoutMs
    this.#connection = new Connection(settings)
  }

  async send(request: WireRequest, patienceMs: number): Promise<ReceivedResponse | Failure> {
    const isFull = patienceMs >= this.#timeoutMs
    const ms = isFull ? this.#timeoutMs : Math.ceil(patienceMs)
    const failure: Failure = { kind: isFull ? 'timeout' : 'given up', message: `no whole answer within ${ms} ms` }
    const answered = new AbortController()
    const silence = this.#time.sleep(ms, answered.signal).then(
      () => failure,
      () => failure,
    )
    try {
      return await Promise.race([this.#time.during(() => this.#ask(request, patienceMs)), silence])
    } finally {
      answered.abort(ANSWERED)
    }
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }

  async #ask(request: WireRequest, patienceMs: number): Promise<ReceivedResponse | Failure> {
    const { method, origin, target, headers, body } = request
    const asked = new Request(origin + target, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      ...(body !== undefined && { body }),
    })
    let reply: Reply | undefined
    await this.#service.fetch(asked, { take: (given) => (reply = given) })
    if (!reply) throw new Error('the service itself went wrong')
    if (reply.transmit) return this.#connection.send(request, patienceMs, reply)
    const received = Object.entries(reply.headers)
    return { status: reply.status, statusText: '', headers: received, body: decode(Buffer.from(reply.body), received) }
  }
}

/** A server that sends replies in the ways that they bring along. */
class Connection {
  readonly #transport: Transport
  readonly #replies = new Map<string, Reply>()
  #server: Promise<Server> | undefined

  constructor(settings: TransportSettings) {
    this.#transport = new Transport(settings)
  }

  async send(request: WireRequest, patienceMs: number, reply: Reply): Promise<ReceivedResponse | Failure> {
    this.#server ??= this.#listen()
    const { port } = (await this.#server).address() as AddressInfo
    const target = `/${this.#replies.size}`
    this.#replies.set(target, reply)
    return this.#transport.send({ ...request, origin: `http://127.0.0.1:${port}`, target }, patienceMs)
  }

  async close(): Promise<void> {
    await this.#transport.close()
    const server = await this.#server
    server?.closeAllConnections()
    server?.close()
  }

  async #listen(): Promise<Server> {
    const server = createServer(({ url = '' }, outgoing) => {
      const reply = this.#replies.get(url)!
      reply.transmit!(outgoing, reply)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return server
  }
}
