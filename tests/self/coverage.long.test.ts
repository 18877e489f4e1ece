import { expect } from '@playwright/test'
import { coverageOf } from '../reporting/wording/coverage.ts'
import { markdownSummary } from '../reporting/exports/markdown-summary.ts'
import { test, WITHOUT_RECORDS } from './own-target.ts'
import { aReport, aRequirement, aRun } from './small-run.ts'

const INCOMPLETE = 4

test('the last line says how much was judged, and FAIL_ON makes a gap fail', async ({ run, target }) => {
  const { settings } = await target()

  const finished = await run({ ...settings, FAIL_ON: 'paging, updateContact' })

  expect(finished.exitCode).toBe(INCOMPLETE)
  const lines = finished.output.trim().split('\n')
  expect(lines.at(-1)).toMatch(
    /^Judged \d+ of \d+; not judged: .*update \(\d+ need ALLOW_WRITES\).*known answers \(\d+ need DATASET\).*\.$/,
  )
  expect(lines.at(-2)).toBe('Nothing could be judged of updateContact.')
  expect(finished.output).toMatch(/^FAIL_ON: not exercised: (\S+, ){4}\S+ and \d+ more\.$/m)
})

test('FAIL_ON is content with what was judged', async ({ run, target }) => {
  const settings = { ...(await target()).settings, FAIL_ON: 'listTags.tags.count' }

  const [judged, left] = await Promise.all([
    run(settings, ['--grep', 'listTags.tags.count']),
    run(settings, ['--grep', 'listTags.answer.status']),
  ])

  expect([judged.exitCode, left.exitCode]).toEqual([0, INCOMPLETE])
})

test('a target without records is told so before anything else', async ({ run, target }) => {
  const { settings } = await target({ deviations: [WITHOUT_RECORDS] })

  const finished = await run(settings, ['tickets', 'answers'])

  expect(finished.exitCode).toBe(0)
  expect(finished.output).toContain('No record of any kind was returned, so hardly anything could be judged.')
})

const missing = (id: string, reason: string) => aRequirement({ id, reason, outcome: 'not exercised' })

test('each setting is counted for itself, and so is what no setting exercises', () => {
  const [token, writes] = ['Needs …; set OTHER_ACCESS_TOKEN to ….', 'Needs …; set ALLOW_WRITES=true where ….']
  const requirements = [
    missing('listTickets.authentication.a', 'Needs a ticket.'),
    missing('listTickets.authentication.b', writes),
    missing('listTickets.authentication.c', writes),
    missing('listTickets.consistency.d', 'Needs a ticket.'),
    missing('listTickets.isolation.e', `${token} ${writes}`),
    missing('listTickets.update.f', writes),
    missing('listTickets.update.g', writes),
    aRequirement(),
  ]

  expect(coverageOf(aReport(requirements)).at(-1)).toBe(
    'judged 1 of 8; not judged: authentication (3: 2 need ALLOW_WRITES, 1 other), update (2 need ALLOW_WRITES), consistency (1), isolation (1 needs OTHER_ACCESS_TOKEN and ALLOW_WRITES)',
  )
})

const UPDATE = missing('updateContact.update.name', 'Needs an update of a contact; set ALLOW_WRITES=true.')

test('what MAX_DURATION_S left out is counted for itself', () => {
  const late = missing('listTickets.filter.two', 'MAX_DURATION_S (2) was over before this was looked at; raise it.')

  expect(coverageOf(aReport([aRequirement(), UPDATE, late])).at(-1)).toBe(
    'judged 1 of 3; past MAX_DURATION_S (raise it): 1; not judged: update (1 needs ALLOW_WRITES)',
  )
})

test('an interrupted run says so first and last, and is no defect of the suite', () => {
  const all = [aRequirement(), UPDATE, missing('listTickets.filter.two', 'The run was interrupted.')]
  const run = aRun(all, { report: { interrupted: true, verdict: 'incomplete' } })

  expect(coverageOf(run.report!).at(-1)).toBe(
    'judged 1 of 3; interrupted: 1; not judged: update (1 needs ALLOW_WRITES)',
  )
  const page = markdownSummary(run)
  expect(page).toMatch(/^## Interrupted after 2\.5 s: 1 of 3 judged\n\n## INCOMPLETE: /)
  expect(page).not.toContain('went wrong')
})
