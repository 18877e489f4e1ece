import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from '@playwright/test'
import { Contract } from '../engine/contract.ts'
import { Run } from '../engine/judging/run.ts'
import { Session } from '../engine/judging/session.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { realTime } from '../engine/time/time.ts'

export const TOKEN = 'token-of-the-main-company'

const contract = new Contract()
const closing: (() => unknown)[] = []

/** Closes after each test of a file what these functions opened in it. */
export function closeAfterEach(): void {
  test.afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })
}

/** Starts a server on this machine, and gives its address. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A session with a target. */
export function sessionOf(baseUrl: string, env: Readonly<Record<string, string>> = {}, time = realTime): Session {
  const settings = { name: 'target', baseUrl, accessToken: TOKEN, allowWrites: false }
  const session = new Session(new Run(settings, readRunSettings({ SEED: '1', ...env }), contract, { time }))
  closing.push(() => session.run.close())
  return session
}
