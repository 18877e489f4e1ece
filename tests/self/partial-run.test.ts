import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import type { Row } from '../../fixtures/service/row.ts'
import { reportOf, type ChildRun } from './child-run.ts'
import { test } from './own-target.ts'

const ONE = ['--grep', 'listTickets.filter.status-open']

/** Tickets have a number for a user: no filter by status is wrong, only the answers are. */
const NUMBERS_FOR_USERS: Deviation = {
  answer: (_call, { status, body }) => {
    for (const ticket of Array.isArray(body['tickets']) ? (body['tickets'] as Row[]) : []) ticket['userId'] = 17
    return { status, body }
  },
}
const TICKETS_FAIL: Deviation = {
  arrive: ({ operation }) =>
    operation === 'listTickets' ? { status: 500, headers: { 'content-type': 'text/plain' }, body: 'down' } : undefined,
}

test('what an answer breaks fails the test that asked for it, where its own is no part of the run', async ({
  run,
  target,
}) => {
  const { url, accessToken } = await target({ deviations: [NUMBERS_FOR_USERS] })

  const finished = await run({ BASE_URL: url, ACCESS_TOKEN: accessToken }, ONE)

  expect(finished.exitCode).toBe(1)
  expect(outcomesOf(finished, 'failed')).toEqual(['Ticket.userId'])
  expect(textOf(finished, 'junit.xml')).toContain('Ticket.userId')
  expect(finished.output).toContain('listTickets returned a Ticket.userId that is a number, not a string')
})

test('a run of a part in which an operation gives no usable answer fails', async ({ run, target }) => {
  const { url, accessToken } = await target({ deviations: [TICKETS_FAIL] })

  const finished = await run({ BASE_URL: url, ACCESS_TOKEN: accessToken }, ONE)

  expect(finished.exitCode).toBe(1)
  expect(outcomesOf(finished, 'failed')).toContain('listTickets.answer.status')
})

test('a --reporter of the command line adds to the reports, and fails what nobody asked for', async ({
  run,
  target,
}) => {
  const { url, accessToken } = await target({ deviations: [NUMBERS_FOR_USERS] })

  const finished = await run({ BASE_URL: url, ACCESS_TOKEN: accessToken }, [...ONE, '--reporter=list'])

  expect(finished.exitCode).toBe(1)
  expect(outcomesOf(finished, 'failed')).toEqual(['Ticket.userId'])
  for (const file of ['index.html', 'evidence.har', 'summary.md', 'junit.xml'])
    expect(existsSync(path.join(finished.folder, file)), file).toBe(true)
})

test('--list and a selection of nothing touch no report', async ({ run, target }) => {
  const { url, accessToken } = await target()
  const settings = { BASE_URL: url, ACCESS_TOKEN: accessToken }
  const first = await run(settings, ONE)
  const before = filesOf(first)

  const listed = await run({ ...settings, REPORTS_DIR: first.folder }, ['--list'])
  const nothing = await run({ ...settings, REPORTS_DIR: first.folder }, ['--grep', 'no such requirement'])

  expect(listed.exitCode).toBe(0)
  expect(nothing.exitCode).toBe(2)
  expect(filesOf(first)).toEqual(before)
})

test('--repeat-each=2 costs about twice as many requests', async ({ run, target }) => {
  const { url, accessToken } = await target()
  const settings = { BASE_URL: url, ACCESS_TOKEN: accessToken, SEED: '1' }

  const [once, twice] = await Promise.all([run(settings, ['tickets']), run(settings, ['tickets', '--repeat-each=2'])])

  const requests = [once, twice].map((finished) => reportOf(finished).requests.count)
  expect(requests[1]! / requests[0]!).toBeGreaterThan(1.7)
  expect(requests[1]! / requests[0]!).toBeLessThan(2.3)
})

function outcomesOf(finished: ChildRun, wanted: string): string[] {
  return reportOf(finished).requirements.flatMap(({ id, outcome }) => (outcome === wanted ? [id] : []))
}

function textOf({ folder }: ChildRun, file: string): string {
  return readFileSync(path.join(folder, file), 'utf8')
}

function filesOf({ folder }: ChildRun): Record<string, string> {
  const files = [
    'conformance.json',
    'evidence.har',
    'index.html',
    'junit.xml',
    'summary.md',
    'ctrf.json',
    'playwright/index.html',
  ]
  return Object.fromEntries(files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]))
}
