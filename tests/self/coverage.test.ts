import { expect } from '@playwright/test'
import { coverageOf } from '../reporting/wording/coverage.ts'
import { test } from './own-target.ts'
import { aReport, aRequirement } from './small-run.ts'

const INCOMPLETE = 4

test('the last line says how much was judged, and FAIL_ON makes a gap fail', async ({ run, target }) => {
  const { url, accessToken } = await target()
  const settings = { BASE_URL: url, ACCESS_TOKEN: accessToken }

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
  const { url, accessToken } = await target()
  const settings = { BASE_URL: url, ACCESS_TOKEN: accessToken, FAIL_ON: 'listTags.tags.count' }

  const [judged, left] = await Promise.all([
    run(settings, ['--grep', 'listTags.tags.count']),
    run(settings, ['--grep', 'listTags.answer.status']),
  ])

  expect([judged.exitCode, left.exitCode]).toEqual([0, INCOMPLETE])
})

test('a target without records is told so before anything else', async ({ run, target }) => {
  const { url, accessToken } = await target({
    deviations: [
      {
        load: (dataset) => {
          for (const records of [dataset.contacts, dataset.tickets, dataset.schedules, dataset.tags, dataset.campaigns])
            records.splice(0)
        },
      },
    ],
  })

  const finished = await run({ BASE_URL: url, ACCESS_TOKEN: accessToken }, ['tickets', 'answers'])

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
