import { expect, type Page } from '@playwright/test'
import { junitOf } from '../reporting/exports/junit.ts'
import { test } from './page-test.ts'
import { aFinding, aRequirement, aRun, HOSTILE } from './small-run.ts'

interface ParsedCase {
  readonly suite: string
  readonly class: string
  readonly name: string
  readonly time: string
  /** Its child: the name of the element, its message and its text. */
  readonly ending: readonly [element: string, message: string, text: string] | null
}

/** Reads XML as strictly as a browser does, and gives its test cases. */
async function casesOf(page: Page, xml: string): Promise<readonly ParsedCase[]> {
  const cases = await page.evaluate((text) => {
    const { DOMParser } = globalThis as unknown as { DOMParser: new () => Parser }
    const parsed = new DOMParser().parseFromString(text, 'text/xml')
    if (parsed.querySelectorAll('parsererror').length > 0) return undefined
    return Array.from(parsed.querySelectorAll('testcase'), (testCase) => {
      const [ending] = testCase.children
      return {
        suite: testCase.parentElement.getAttribute('name'),
        class: testCase.getAttribute('classname'),
        name: testCase.getAttribute('name'),
        time: testCase.getAttribute('time'),
        ending: ending ? ([ending.tagName, ending.getAttribute('message'), ending.textContent] as const) : null,
      }
    })
  }, xml)
  expect(cases, 'well-formed XML').toBeDefined()
  return cases!
}

interface Parser {
  readonly parseFromString: (text: string, type: string) => Parsed
}

interface Parsed {
  readonly tagName: string
  readonly textContent: string
  readonly children: readonly Parsed[]
  readonly parentElement: Parsed
  readonly getAttribute: (name: string) => string
  readonly querySelectorAll: (selector: string) => ArrayLike<Parsed>
}

const TITLE = 'listTickets: tickets were wrong'

const line = (exchange: number): string =>
  `a.b.failed: GET /api/tickets?exchange=${exchange}: tickets were wrong (/tickets/3/status; expected "open"; received "closed"; exchange ${exchange})`

test('each outcome is what continuous integration calls it, under its operation', async ({ page }) => {
  const failed = aRequirement({
    id: 'a.b.failed',
    outcome: 'failed',
    findings: [aFinding(), aFinding({ exchange: 8 })],
  })
  const run = aRun([
    aRequirement({ id: 'a.b.passed', operations: ['getTag', 'listTags'] }),
    failed,
    aRequirement({ id: 'a.b.broken', level: 'implied', outcome: 'broken', reason: 'TypeError: x\n  at y' }),
    aRequirement({ id: 'a.b.missing', level: 'implied', outcome: 'not exercised', reason: 'Needs tickets.' }),
    aRequirement({ id: 'a.b.observed', level: 'observed' }),
  ])

  const broken = 'The suite itself went wrong: TypeError: x'
  const common = { class: 'listTickets', time: '2' }
  expect(await casesOf(page, junitOf(run))).toEqual([
    { suite: 'stated', class: 'getTag, listTags', name: 'a.b.passed: It is so.', time: '2', ending: null },
    {
      ...common,
      suite: 'stated',
      name: 'a.b.failed: It is so.',
      ending: ['failure', TITLE, `${TITLE}\n${line(7)}\n${line(8)}`],
    },
    { ...common, suite: 'implied', name: 'a.b.broken: It is so.', ending: ['error', broken, `${broken}\n  at y`] },
    {
      ...common,
      suite: 'implied',
      name: 'a.b.missing: It is so.',
      ending: ['skipped', 'Needs tickets.', 'Needs tickets.'],
    },
    { ...common, suite: 'observed', name: 'a.b.observed: It is so.', ending: null },
  ])
  expect(junitOf(run)).toContain('<testsuites name="conformance" tests="5" failures="1" errors="1" skipped="1">')
})

test('what does not count at LEVEL=stated is skipped, with its findings', async ({ page }) => {
  const implied = aRequirement({ level: 'implied', outcome: 'failed', findings: [aFinding()] })
  const { report } = aRun([implied])
  const run = aRun([implied], { report: { settings: { ...report!.settings!, level: 'stated' } } })

  const [one] = await casesOf(page, junitOf(run))
  expect(one!.ending![0]).toBe('skipped')
  expect(one!.ending![1]).toBe(`LEVEL=stated: ${TITLE}`)
  expect(one!.ending![2]).toContain('listTickets.filter.status-open: GET')
})

test('requirements that were not selected are left out', async ({ page }) => {
  const [first, second] = [aRequirement({ id: 'a.b.first' }), aRequirement({ id: 'a.b.second' })]
  const run = { ...aRun([first, second]), tests: aRun([second]).tests }

  expect((await casesOf(page, junitOf(run))).map(({ name }) => name)).toEqual(['a.b.second: It is so.'])
})

test('what an interrupted run did not come to is skipped, and says so', async ({ page }) => {
  const tests = new Map([['listTickets.filter.status-open: It is so.', { seconds: undefined }]])
  const run = aRun(
    [
      aRequirement({
        outcome: 'not exercised',
        reason: 'Not looked at in this run: it was not selected, or the run was interrupted.',
      }),
    ],
    { tests },
  )

  const [one] = await casesOf(page, junitOf(run))
  expect(one!.ending!.slice(0, 2)).toEqual(['skipped', 'The run ended before this was looked at.'])
})

test('a test that failed without a judgement, and what went wrong besides, are errors', async ({ page }) => {
  const tests = new Map([['listTickets.filter.status-open: It is so.', { seconds: 1, failure: 'The worker died.' }]])
  const run = aRun([aRequirement()], { tests, errors: ['One.', 'Two.'] })

  const cases = await casesOf(page, junitOf(run))
  expect(cases.map(({ class: of, ending }) => [of, ...ending!])).toEqual([
    ['run', 'error', 'One.', 'One.\nTwo.'],
    ['listTickets', 'error', 'The worker died.', 'The worker died.'],
  ])
})

test('a run that could not begin is an error and nothing else', async ({ page }) => {
  const reason = "BASE_URL can't be reached."
  const nothing = aRequirement({ outcome: 'not exercised', reason })
  const begun = { ...aRun([nothing], { report: { fields: [] }, errors: [reason] }), tests: new Map<string, never>() }

  for (const run of [begun, { ...begun, report: undefined }])
    expect((await casesOf(page, junitOf(run))).map(({ ending }) => ending)).toEqual([['error', reason, reason]])
})

test('whatever a target says, the file stays XML and says it', async ({ page }) => {
  const run = aRun(
    [
      aRequirement({
        id: 'a.b.failed',
        outcome: 'failed',
        findings: [aFinding({ message: HOSTILE, received: HOSTILE, pointer: HOSTILE })],
      }),
      aRequirement({ id: 'a.b.broken', outcome: 'broken', reason: HOSTILE }),
      aRequirement({ id: 'a.b.missing', outcome: 'not exercised', reason: HOSTILE }),
    ],
    { requestOf: () => HOSTILE, errors: [HOSTILE] },
  )

  const cases = await casesOf(page, junitOf(run))
  expect(cases.map(({ ending }) => ending![0])).toEqual(['error', 'failure', 'error', 'skipped'])
  for (const { ending } of cases) {
    expect(ending![2]).toContain(']]> ]]> <b>&amp;</b> \uFFFD')
    expect(ending![2]).not.toMatch(/[^\P{Cc}\n]|\p{Cs}/u)
  }
})
