import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { inEvery } from '../../fixtures/faults/building/answers.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import { annotationsOf } from '../reporting/exports/github-annotations.ts'
import type { Report } from '../reporting/result/report-format.ts'
import { reportOf, textOf, type ChildRun } from './child-run.ts'
import { test } from './own-target.ts'
import { aReport, aRun } from './small-run.ts'

const TOKEN = 'a-token-that-is-in-no-file'

interface Ctrf {
  readonly results: {
    readonly summary: Readonly<Record<string, number>>
    readonly tests: readonly { readonly name: string; readonly status: string; readonly message?: string }[]
  }
}

function ctrfOf(finished: ChildRun): Ctrf['results'] {
  return (JSON.parse(textOf(finished, 'ctrf.json')) as Ctrf).results
}

/** Gives tickets a text for their order, and quotes the caller's token in it. */
const WRONG_ORDER = inEvery('ticket', (ticket, { request }) => {
  ticket['order'] = `]]> ]]> <b>\u0007 ${request.headers.get('authorization')}`
})

test('a failing run is told alike in every file for continuous integration', async ({ run, target }, testInfo) => {
  const own = await target({ deviations: [WRONG_ORDER], token: TOKEN })
  const page = testInfo.outputPath('job-summary.md')
  writeFileSync(page, 'What another step said.\n')
  const settings = { ...own.settings, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: page }

  const finished = await run(settings, ['tickets', 'answers'])

  expect(finished.exitCode).toBe(1)
  const { requirements } = reportOf(finished)
  const failed = requirements.filter(({ outcome }) => outcome === 'failed').map(({ id, title }) => `${id}: ${title}`)
  expect(failed).toEqual(['Ticket.order: Ticket.order is a number.'])
  const notExercised = requirements.filter(
    ({ outcome, reason }) =>
      outcome === 'not exercised' &&
      reason !== 'Not looked at in this run: it was not selected, or the run was interrupted.',
  )

  const junit = textOf(finished, 'junit.xml')
  expect([...junit.matchAll(/name="([^"]+)" time="[\d.]+">\s*<failure /g)].map(([, name]) => name)).toEqual(failed)
  expect(junit.match(/<skipped /g)).toHaveLength(notExercised.length)
  expect(junit.match(/<testcase classname="listTickets" /g)!.length).toBeGreaterThan(30)

  const { summary, tests } = ctrfOf(finished)
  expect(summary).toMatchObject({ failed: 1, skipped: notExercised.length, tests: junit.match(/<testcase /g)!.length })
  const [one] = tests.filter(({ status }) => status === 'failed')
  expect(one).toMatchObject({ name: failed[0], filePath: 'tests/answers.spec.ts' })

  const markdown = textOf(finished, 'summary.md')
  expect(markdown).toMatch(/^## NONCONFORMANT: `127\.0\.0\.1:\d+`\n/)
  expect(readFileSync(page, 'utf8')).toBe(`What another step said.\n${markdown}`)

  const annotations = finished.output.match(/^::error .*$/gm)
  expect(annotations).toHaveLength(1)
  expect(annotations![0]).toMatch(/^::error title=listTickets returned .*::Ticket\.order: GET /)
  const finding = 'listTickets returned a Ticket.order that is a string, not a number'
  for (const text of [junit, one!.message, markdown, annotations![0]]) expect(text).toContain(finding)

  for (const text of [junit, textOf(finished, 'ctrf.json'), markdown, finished.output]) {
    expect(text).not.toContain(TOKEN)
    expect(text).not.toContain(projectRoot)
  }
  // Progress is for terminals.
  for (const part of ['\r', '\u001B', 'reaching the target']) expect(finished.output).not.toContain(part)
})

test('a run that could not begin is an error in every file for continuous integration', async ({ run }) => {
  const settings = { BASE_URL: 'http://127.0.0.1:1', ACCESS_TOKEN: TOKEN, MAX_DURATION_S: '10' }
  const finished = await run({ ...settings, GITHUB_ACTIONS: 'true' })

  const annotation = /^::error title=The run could not begin::(.*)\n/m
  const said = finished.output
    .replace(/^Judging .*\n/, '')
    .replace(annotation, '')
    .trim()
  expect(said).toMatch(/^BASE_URL[^\n]+\.$/)
  expect(annotation.exec(finished.output)?.[1]).toBe(said)
  expect(textOf(finished, 'junit.xml')).toContain(`<error message="${said}">${said}</error>`)
  expect(ctrfOf(finished)).toMatchObject({ summary: { tests: 1, failed: 1, passed: 0 }, tests: [{ message: said }] })
  expect(textOf(finished, 'summary.md')).toContain(`\`${said}\``)
})

function annotationTitle(error: string, report?: Report): string | undefined {
  return /title=([^:]+)/.exec(annotationsOf({ ...aRun([]), report, errors: [error] })[0]!)?.[1]
}

test('only what is wrong with the suite is said to be', () => {
  expect(annotationTitle('REPORTS_DIR is in use by another run.')).toBe('The run could not begin')
  expect(annotationTitle('Error: No tests found')).toBe('The run could not begin')
  expect(annotationTitle('TypeError: x is not a function')).toBe('The suite itself went wrong')
  expect(annotationTitle('The target was down.', aReport([]))).toBe('The run as a whole')
})

test('where nothing is run, nothing is written', async ({ run }, testInfo) => {
  mkdirSync(testInfo.outputPath('reports-1'))
  const files = ['junit.xml', 'ctrf.json', 'summary.md'].map((file) => testInfo.outputPath('reports-1', file))
  for (const file of files) writeFileSync(file, 'what an earlier run said')

  const { output } = await run({}, ['--list', 'tags'])

  expect(output).toContain('getTag.tags.same')
  expect(output).not.toContain('Error')
  for (const file of files) expect(readFileSync(file, 'utf8')).toBe('what an earlier run said')
})
