import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect } from '@playwright/test'
import { Contract } from '../engine/contract.ts'
import { register } from '../requirements/register.ts'
import { entriesOf, everythingOf, reportOf } from './child-run.ts'
import { dataset, test } from './own-target.ts'
import { schemaErrors } from './report-schema.ts'

test('out of the box, the reference service is conformant and every report is there', async ({ run }) => {
  const finished = await run({})

  expect(finished.output).toContain('CONFORMANT: reference service')
  expect(finished.exitCode).toBe(0)
  for (const file of ['conformance.json', 'evidence.har', 'index.html', 'junit.xml', 'playwright/index.html'])
    expect(existsSync(path.join(finished.folder, file)), file).toBe(true)

  const report = reportOf(finished)
  expect(schemaErrors(report)).toEqual([])
  const requirements = register(new Contract())
  expect(report.requirements.map(({ id }) => id)).toEqual(requirements.map(({ id }) => id))
  expect(report.totals).toEqual({ passed: requirements.length, failed: 0, notExercised: 0, broken: 0 })
  expect(report.dataset).toMatchObject({ file: 'dataset.json', companyId: dataset.companyId })

  const entries = entriesOf(finished)
  expect(entries).toHaveLength(report.requests.count)
  expect(entries.map(({ _exchange }) => _exchange)).toEqual(entries.map((_, index) => index + 1))
  expect(everythingOf(finished).get('evidence.har')).toContain(dataset.contacts[1]!.name)
})

test('a selection of requirements leaves the others out and fails nothing', async ({ run }) => {
  const finished = await run({}, ['--grep', 'listTickets.filter.status-open:'])

  expect(finished.exitCode).toBe(0)
  const report = reportOf(finished)
  expect(schemaErrors(report)).toEqual([])
  expect(report.verdict).toBe('incomplete')
  expect(report.requirements.filter(({ outcome }) => outcome === 'passed').map(({ id }) => id)).toEqual([
    'listTickets.filter.status-open',
  ])
  const reasons = report.requirements.map(({ reason }) => reason).filter((reason) => reason !== undefined)
  expect([...new Set(reasons)]).toEqual(['Not looked at in this run: it was not selected, or the run was interrupted.'])
})

test('an area is run by its name, by several workers and more than once', async ({ run }) => {
  const finished = await run({}, ['tags', '--workers=2', '--repeat-each=2', '--reporter=line'])

  expect(finished.output).toContain('8 passed')
  expect(finished.exitCode, finished.output).toBe(0)
  expect(reportOf(finished).totals).toMatchObject({ passed: 4, failed: 0, broken: 0 })
})

test('the tests are the requirements, each once', async ({ run }) => {
  const { output } = await run({}, ['--list'])

  const titles = [...output.matchAll(/^tests\/[\w/-]+\.spec\.ts: ([\w.-]+): /gm)].map(([, id]) => id!)
  expect(titles.toSorted()).toEqual(
    register(new Contract())
      .map(({ id }) => id)
      .toSorted(),
  )
})
