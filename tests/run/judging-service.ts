import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Demand } from '../requirements/register.ts'
import type { Judgement } from './judgement.ts'

/**
 * Answers the tests, which run in processes of their own, with what this one holds: the demands that are tests, on GET,
 * and the judgements, on POST.
 */
export interface JudgingService {
  readonly address: string
  readonly close: () => Promise<void>
}

/**
 * Opens the service on this machine alone, at an address that can't be guessed.
 * @param judge makes a judgement on the requirement of an id.
 */
export async function openJudgingService(
  demands: readonly Demand[],
  judge: (id: string) => Promise<Judgement>,
): Promise<JudgingService> {
  const secret = `/${randomBytes(16).toString('hex')}`
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: unknown }> => {
    if (request.url !== secret) return { status: 404, body: 'nothing is here' }
    if (request.method === 'GET') return { status: 200, body: demands }
    try {
      return { status: 200, body: await judge(await text(request)) }
    } catch (error) {
      return { status: 500, body: (error as Error).message }
    }
  }
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${secret}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
