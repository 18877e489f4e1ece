import { mkdirSync, readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { inEvery } from '../../fixtures/faults/building/answers.ts'
import { isWorker, notesIn, notingIn } from '../run/process-notes.ts'
import { textOf, type ChildRun } from './child-run.ts'
import { test } from './own-target.ts'

const SOME = ['answers', '--grep', 'Ticket\\.(status|userId|unreadMessages):']
const TYPES_ARE_WRONG = inEvery('ticket', (ticket) => {
  for (const field of ['userId', 'status']) ticket[field] = 17
})

test('failing tests share a worker, which loads nothing that judges', async ({ run, target }, testInfo) => {
  const { settings } = await target({ deviations: [TYPES_ARE_WRONG] })
  const notes = testInfo.outputPath('notes')
  mkdirSync(notes)

  const finished = await run({ ...settings, ...notingIn(notes) }, SOME)

  expect(finished.exitCode).toBe(1)
  expect(failedIn(finished)).toEqual(['Ticket.status', 'Ticket.userId'])
  const workers = notesIn(notes).filter(isWorker)
  expect(workers).toHaveLength(1)
  const packages = workers[0]!.modules.map((file) => /.*node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(file)?.[1])
  expect([...new Set(packages)].toSorted()).toEqual(['dotenv', 'fastest-levenshtein', 'playwright', 'playwright-core'])
})

test('a failing test has a step for each exchange that shows its findings, with request and response, masked', async ({
  run,
  target,
}, testInfo) => {
  const { settings, accessToken } = await target({ deviations: [TYPES_ARE_WRONG] })
  const file = testInfo.outputPath('playwright.json')

  await run({ ...settings, PLAYWRIGHT_JSON_OUTPUT_NAME: file }, [...SOME, '--reporter=json'])

  const written = readFileSync(file, 'utf8')
  const failed = specsIn(JSON.parse(written) as Suite).filter(({ ok }) => !ok)
  expect(failed).toHaveLength(2)
  for (const { tests } of failed) {
    const [{ steps = [], attachments }] = tests[0]!.results as [SpecResult]
    expect(steps[0]?.title).toMatch(/^GET \/api\/tickets: status 200 \(exchange \d+\)$/)
    const [request, response] = attachments.map(({ body }) => Buffer.from(body, 'base64').toString())
    expect(request).toMatch(/^GET \/api\/tickets\n(.+\n)*Authorization: Bearer \[token\]\n/)
    expect(response).toMatch(/^HTTP\/1\.1 200.*\n(.+\n)*\n\{"tickets":\[/)
    expect(response).not.toContain('Bom dia')
  }
  expect(written).not.toContain(accessToken)
})

interface SpecResult {
  readonly steps?: readonly { readonly title: string }[]
  readonly attachments: readonly { readonly body: string }[]
}

interface Suite {
  readonly suites?: readonly Suite[]
  readonly specs?: readonly { readonly ok: boolean; readonly tests: readonly { readonly results: SpecResult[] }[] }[]
}

function specsIn({ suites = [], specs = [] }: Suite): NonNullable<Suite['specs']> {
  return [...specs, ...suites.flatMap(specsIn)]
}

test('Playwright sees the failures: it stops at the first, and remembers the last', async ({ run, target }) => {
  const { settings } = await target({ deviations: [TYPES_ARE_WRONG] })

  const whole = await run(settings, SOME)
  const failed = lastFailedOf(whole)
  const again = await run({ ...settings, REPORTS_DIR: whole.folder }, [...SOME, '--last-failed'])
  const stopped = await run(settings, [...SOME, '-x'])

  expect(failed).toHaveLength(2)
  expect(lastFailedOf(whole)).toEqual(failed)
  expect(again.exitCode).toBe(1)
  expect(stopped.exitCode).toBe(1)
  expect(stopped.output).toContain('Testing stopped early after 1 maximum allowed failures.')
})

test('with a --reporter of the command line, and with retries, failures are failures too', async ({ run, target }) => {
  const { settings } = await target({ deviations: [TYPES_ARE_WRONG] })

  const [listed, retried] = [
    await run(settings, [...SOME, '--reporter=line']),
    await run(settings, [...SOME, '--retries=1']),
  ]

  expect(listed.output).toContain('2 failed')
  expect(listed.exitCode).toBe(1)
  expect(lastFailedOf(retried)).toHaveLength(2)
  expect(retried.exitCode).toBe(1)
})

function failedIn(run: ChildRun): string[] {
  const { results } = JSON.parse(textOf(run, 'ctrf.json')) as {
    results: { tests: { name: string; status: string }[] }
  }
  return results.tests
    .filter(({ status }) => status === 'failed')
    .map(({ name }) => name.split(':')[0]!)
    .toSorted()
}

function lastFailedOf(run: ChildRun): readonly string[] {
  return (JSON.parse(textOf(run, 'playwright-output/.last-run.json')) as { failedTests: string[] }).failedTests
}
