import { request, type RequestListener } from 'node:http'
import { expect } from '@playwright/test'
import { reportOf } from './child-run.ts'
import { closeAfterEach, serve } from './own-server.ts'
import { test } from './own-target.ts'

closeAfterEach()

/** Hands plain requests on, the only one who knows where target.test is, as proxies do that let nothing but TLS be tunnelled. */
const FORWARDS: RequestListener = (incoming, outgoing) => {
  const { port, pathname, search } = new URL(incoming.url!)
  const { method, headers } = incoming
  const onward = request({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(outgoing)
  })
  incoming.pipe(onward)
}

function refusing(status: number): RequestListener {
  return (_incoming, outgoing) => {
    outgoing.writeHead(status, { 'content-type': 'text/html', 'proxy-authenticate': 'Basic realm="way out"' })
    outgoing.end('<!DOCTYPE html><title>Denied</title>')
  }
}

test('plain http goes through a proxy by its whole address', async ({ run, target }) => {
  const { url, accessToken } = await target()
  const httpProxy = await serve(FORWARDS)

  const finished = await run(
    { BASE_URL: url.replace('127.0.0.1', 'target.test'), ACCESS_TOKEN: accessToken, HTTP_PROXY: httpProxy },
    ['tags'],
  )

  expect(finished.output).toContain('INCOMPLETE: target.test')
  expect(finished.exitCode).toBe(0)
  expect(reportOf(finished).totals).toMatchObject({ failed: 0, broken: 0 })
})

const WAYS: Readonly<Record<string, readonly [proxy: string | RequestListener, says: RegExp, exit: number]>> = {
  'a proxy that is down': [
    'http://127.0.0.1:1',
    /^HTTP_PROXY 127\.0\.0\.1:1 can't be reached \(ECONNREFUSED\); check the proxy, .*\.$/m,
    3,
  ],
  'a proxy that lets nobody out': [
    refusing(403),
    /^HTTP_PROXY refused the way to the target \(status 403\); check the proxy, .*\.$/m,
    3,
  ],
  'a proxy that asks who is there': [
    refusing(407),
    /^HTTP_PROXY asks for a user name and a password in its address \(status 407\); check the proxy, .*\.$/m,
    3,
  ],
  'a proxy without a scheme': [
    'user:secret@proxy.test:3128',
    /^HTTP_PROXY is "proxy\.test:3128", which is not the address of a proxy; give one with its scheme, .*\.$/m,
    2,
  ],
  'an invalid proxy': ['http://', /^HTTP_PROXY is "http:\/\/", which is not the address of a proxy; .*\.$/m, 2],
}

for (const [what, [way, says, exit]] of Object.entries(WAYS))
  test(`${what} is told in a sentence that names the proxy`, async ({ run }) => {
    const httpProxy = typeof way === 'string' ? way : await serve(way)

    const finished = await run({ BASE_URL: 'http://target.test:4010', ACCESS_TOKEN: 'a-token', HTTP_PROXY: httpProxy })

    expect(finished.output).toMatch(says)
    expect(finished.output).not.toContain('secret')
    expect(finished.exitCode).toBe(exit)
  })

test('TLS that is spoken to plain http is told', async ({ run, target }) => {
  const { url } = await target()

  const finished = await run({ BASE_URL: url.replace('http:', 'https:'), ACCESS_TOKEN: 'a-token' })

  expect(finished.output).toMatch(/^BASE_URL \S+ does not speak TLS: .*; is http:\/\/ meant\?$/m)
  expect(finished.exitCode).toBe(3)
})
