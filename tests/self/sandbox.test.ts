/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@playwright/test'
import { Contract } from '../engine/contract.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import { sampleCall } from '../reporting/documentation/sample-call.ts'
import { runNode } from '../run/node-process.ts'
import { dataset } from './own-target.ts'

const MAIN = ['--import', 'tsx', path.join(projectRoot, 'fixtures/service/main.ts')]
const contract = new Contract()

interface Sandbox {
  readonly url: string
  readonly token: string
}

const closing: (() => void)[] = []
test.afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function sandbox(...args: readonly string[]): Promise<Sandbox> {
  const child = spawn(process.execPath, [...MAIN, ...args], { cwd: projectRoot })
  closing.push(() => void child.kill())
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  await expect.poll(() => output).toContain('OTHER_ACCESS_TOKEN=')
  const [, url, token] = /BASE_URL=(\S+)\nACCESS_TOKEN=(\S+)\n/.exec(output)!
  return { url: url!, token: token! }
}

async function call({ url, token }: Sandbox, pathAndQuery: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url + pathAndQuery, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
}

test("what the documentation's samples ask for is in the sandbox", async () => {
  const own = await sandbox()

  for (const { id, path: template, method, listMember } of contract.operations.values()) {
    const sample = sampleCall(contract, id)
    const place = Object.entries(sample.path ?? {}).reduce(
      (at, [name, value]) => at.replace(`{${name}}`, String(value)),
      template,
    )
    const query = new URLSearchParams(sample.query as Record<string, string>)
    const body = sample.body === undefined ? {} : { body: JSON.stringify(sample.body) }

    const answer = await call(own, `${place}?${query.toString()}`, { method, ...body })

    expect(answer.status, id).toBe(200)
    const found = (await answer.json()) as Record<string, unknown[]>
    if (listMember !== undefined) expect(found[listMember]!.length, id).toBeGreaterThan(0)
  }
})

test('web pages may call the sandbox', async () => {
  const { url } = await sandbox()

  const answer = await fetch(`${url}/api/contacts/1`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://client.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type',
    },
  })

  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('access-control-allow-methods')).toContain('PUT')
  expect(answer.headers.get('access-control-allow-headers')).toContain('authorization')
})

test('the sandbox serves other data, and behaves as known ones do', async ({}, testInfo) => {
  const file = testInfo.outputPath('data.json')
  writeFileSync(file, JSON.stringify({ ...dataset, tickets: dataset.tickets.slice(0, 3) }))

  const own = await sandbox('--data', file, '--variant', 'first-page-0', '--fault', 'ticket-search-finds-nothing')

  const all = (await (await call(own, '/api/tickets')).json()) as { tickets: unknown[] }
  expect(all.tickets.length).toBeLessThanOrEqual(3)
  const found = (await (await call(own, '/api/tickets?searchParam=a')).json()) as { tickets: unknown[] }
  expect(found.tickets).toEqual([])
  const [zero, plain] = await Promise.all(
    ['/api/contacts?pageNumber=0', '/api/contacts'].map(async (at) => (await call(own, at)).text()),
  )
  expect(zero).toBe(plain)
})

test('a call that is never answered is not answered by the sandbox', async () => {
  const own = await sandbox('--fault', 'campaigns-never-answer')

  await expect(call(own, '/api/campaigns', { signal: AbortSignal.timeout(500) })).rejects.toThrow('timeout')
  expect((await call(own, '/api/tags')).status).toBe(200)
})

const MISTAKES: Readonly<Record<string, readonly [args: readonly string[], says: RegExp]>> = {
  'an invalid port': [['--port', 'x'], /^--port is "x"; give a number from 0 to 65535\.$/],
  'an unknown variant': [
    ['--variant', 'first-page-o'],
    /^--variant is "first-page-o", which is unknown; the nearest is first-page-0, and --list names all\.$/,
  ],
  'a fault that is like none': [['--fault', 'nope'], /^--fault is "nope", which is unknown; --list names all\.$/],
  'a file that is not there': [
    ['--data', 'no/such.json'],
    /^--data is "no\/such\.json", which can't be read \(ENOENT\)\.$/,
  ],
  'a file that is no JSON': [['--data', 'README.md'], /^--data is "README\.md", which is not JSON\.$/],
}

for (const [what, [args, says]] of Object.entries(MISTAKES))
  test(`${what} is told in a sentence`, async () => {
    const { exitCode, output } = await runNode([...MAIN, ...args], {})

    expect(exitCode).toBe(2)
    expect(output.trim()).toMatch(says)
  })

test('--list names every variant and fault', async () => {
  const { exitCode, output } = await runNode([...MAIN, '--list'], {})

  expect(exitCode).toBe(0)
  expect(output).toContain('  first-page-0: ')
  expect(output).toContain('  ticket-search-finds-nothing: The search of the ticket list never finds anything.')
})

test('--list ends without a complaint where nobody reads on', () => {
  const { stdout, stderr } = spawnSync('sh', ['-c', '"$@" --list | head -n 1', 'sh', process.execPath, ...MAIN], {
    cwd: projectRoot,
  })

  expect(String(stdout)).toBe('Variants\n')
  expect(String(stderr)).toBe('')
})
