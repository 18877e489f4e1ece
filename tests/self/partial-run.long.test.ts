import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { setting } from '../../fixtures/faults/building/answers.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { REPORT_FILES } from '../reporting/result/report-files.ts'
import { reportOf, textOf, type ChildRun } from './child-run.ts'
import { deviationOf } from './deviation-of.ts'
import { test } from './own-target.ts'

const ONE = ['--grep', 'listTickets.filter.status-open']

/** Tickets have a number for a user: no filter by status is wrong, only the answers are. */
const NUMBERS_FOR_USERS = setting('ticket', 'userId', () => 17)
const TICKETS_FAIL: Deviation = {
  arrive: ({ operation }) =>
    operation === 'listTickets' ? { status: 500, headers: { 'content-type': 'text/plain' }, body: 'down' } : undefined,
}

test('what an answer breaks fails the test that asked for it, where its own is no part of the run', async ({
  run,
  target,
}) => {
  const { settings } = await target({ deviations: [NUMBERS_FOR_USERS] })

  const finished = await run(settings, ONE)

  expect(finished.exitCode).toBe(1)
  expect(outcomesOf(finished, 'failed')).toEqual(['Ticket.userId'])
  expect(textOf(finished, 'junit.xml')).toContain('Ticket.userId')
  expect(finished.output).toContain('listTickets returned a Ticket.userId that is a number, not a string')
})

test('a run of a part in which an operation gives no usable answer fails', async ({ run, target }) => {
  const { settings } = await target({ deviations: [TICKETS_FAIL] })

  const finished = await run(settings, ONE)

  expect(finished.exitCode).toBe(1)
  expect(outcomesOf(finished, 'failed')).toContain('listTickets.answer.status')
})

test('a --reporter of the command line adds to the reports, and fails what nobody asked for', async ({
  run,
  target,
}) => {
  const { settings } = await target({ deviations: [NUMBERS_FOR_USERS] })

  const finished = await run(settings, [...ONE, '--reporter=list'])

  expect(finished.exitCode).toBe(1)
  expect(outcomesOf(finished, 'failed')).toEqual(['Ticket.userId'])
  for (const file of ['index.html', 'evidence.har', 'summary.md', 'junit.xml'])
    expect(existsSync(path.join(finished.folder, file)), file).toBe(true)
})

test('--list and a selection of nothing touch no report', async ({ run, target }) => {
  const { settings } = await target()
  const first = await run(settings, ONE)
  const before = filesOf(first)

  const listed = await run({ ...settings, REPORTS_DIR: first.folder }, ['--list'])
  const nothing = await run({ ...settings, REPORTS_DIR: first.folder }, ['--grep', 'no such requirement'])

  expect(listed.exitCode).toBe(0)
  expect(nothing.exitCode).toBe(2)
  expect(filesOf(first)).toEqual(before)
})

test('--repeat-each=2 costs about twice as many requests', async ({ run, target }) => {
  const settings = { ...(await target()).settings, SEED: '1' }

  const [once, twice] = await Promise.all([run(settings, ['tickets']), run(settings, ['tickets', '--repeat-each=2'])])

  const requests = [once, twice].map((finished) => reportOf(finished).requests.count)
  expect(requests[1]! / requests[0]!).toBeGreaterThan(1.7)
  expect(requests[1]! / requests[0]!).toBeLessThan(2.3)
})

function outcomesOf(finished: ChildRun, wanted: string): string[] {
  return reportOf(finished).requirements.flatMap(({ id, outcome }) => (outcome === wanted ? [id] : []))
}

function filesOf(finished: ChildRun): Record<string, string> {
  const files = [...REPORT_FILES, 'playwright/index.html']
  return Object.fromEntries(files.map((file) => [file, textOf(finished, file)]))
}

test('an operation that is judged alone is called with what others are called with for all', async ({
  run,
  target,
}) => {
  const { settings } = await target({ deviations: [deviationOf('token-compared-as-a-pattern')] })

  const finished = await run({ ...settings, OPERATIONS: 'listContacts' }, ['--grep', 'listContacts.authentication'])

  expect(outcomesOf(finished, 'failed')).toEqual(['listContacts.authentication.changed-token'])
})
