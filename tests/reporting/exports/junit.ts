import junit, { type Builder, type TestCase } from 'junit-report-builder'
import { LEVELS, type Level } from '../../engine/judging/requirement.ts'
import { counts } from '../../engine/judging/verdict.ts'
import { driftLines } from '../profile/drift.ts'
import { reportedLine, withoutControls } from '../wording/finding-line.ts'
import { type FinishedRun, type FinishedTest, type RequestOf } from '../result/finished-run.ts'
import { problemsOf, type Problem } from '../problems/problems.ts'
import { hasBegun, type Report, type ReportedDrift, type ReportedRequirement } from '../result/report-format.ts'

// The package's types are those of its other build: what Node.js loads is the builder itself.
const library = junit as unknown as Builder

/** How a test case ended other than well. */
interface Ending {
  readonly element: 'failure' | 'error' | 'skipped'
  readonly text: string
}

/**
 * A run as JUnit XML: a test case for each requirement that was selected, and an error for what went wrong besides, so
 * that a run that could not begin isn't taken for one that passed.
 */
export function junitOf({ report, tests, errors, requestOf }: FinishedRun): string {
  const builder = library.newBuilder().name('conformance')
  if (errors.length > 0) {
    const itself = builder.testSuite().name('run').testCase().className('run').name('The run')
    end(itself, { element: 'error', text: errors.join('\n') })
  }
  if (report && hasBegun(report)) for (const level of LEVELS) addLevel(builder, level, report, tests, requestOf)
  if (report?.drift && report.drift.length > 0) addDrift(builder, report, report.drift)
  return builder.build()
}

/** Adds a suite of what is no longer as it was pinned: each is a failure, though not of a requirement. */
function addDrift(builder: Builder, { startedAt }: Report, drift: readonly ReportedDrift[]): void {
  const suite = builder.testSuite().name('profile').timestamp(startedAt)
  for (const one of drift) {
    const testCase = suite.testCase().className(one.operation).name(`${one.id}: drift from the profile`)
    end(testCase, { element: 'failure', text: [`Not as pinned: ${one.topic}`, ...driftLines(one)].join('\n') })
  }
}

/** Adds a suite for a level: the operation is a case's class already, and a stated failure weighs more than an implied one. */
function addLevel(
  builder: Builder,
  level: Level,
  report: Report,
  tests: FinishedRun['tests'],
  requestOf: RequestOf,
): void {
  const cases = report.requirements.flatMap((requirement) => {
    if (requirement.level !== level) return []
    const test = tests.get(`${requirement.id}: ${requirement.title}`)
    // An answer may have broken what no test of this run was to tell.
    if (test === undefined && requirement.outcome === 'failed') return [{ requirement, test: { seconds: 0 } }]
    return test ? [{ requirement, test }] : []
  })
  if (cases.length === 0) return
  const problems = problemsOf(report)
  const name = report.target?.builtIn ? `${level} (no target was named: built-in reference service)` : level
  const suite = builder.testSuite().name(name).timestamp(report.startedAt)
  suite.time(inMilliseconds(cases.reduce((sum, { test }) => sum + (test.seconds ?? 0), 0)))
  for (const { requirement, test } of cases) {
    const { id, title, operations } = requirement
    const testCase = suite.testCase().className(operations.join(', ')).name(`${id}: ${title}`)
    const problem = problems.find(({ requirements }) => requirements.includes(id))
    end(testCase.time(inMilliseconds(test.seconds ?? 0)), endingOf(requirement, test, report, requestOf, problem))
  }
}

function endingOf(
  { id, level, outcome, reason = '', findings }: ReportedRequirement,
  { seconds, failure }: FinishedTest,
  { settings }: Report,
  requestOf: RequestOf,
  problem: Problem | undefined,
): Ending | undefined {
  const found = findings.map((finding) => reportedLine(id, requestOf(finding.exchange), finding))
  const lines = [...(problem ? [problem.title] : []), ...found].join('\n')
  if (outcome === 'broken') return { element: 'error', text: `The suite itself went wrong: ${reason}` }
  if (outcome === 'failed' && counts(level, settings?.level ?? 'implied')) return { element: 'failure', text: lines }
  if (outcome === 'failed') return { element: 'skipped', text: `LEVEL=stated: ${lines}` }
  if (failure !== undefined) return { element: 'error', text: failure }
  if (seconds === undefined) return { element: 'skipped', text: 'The run ended before this was looked at.' }
  return outcome === 'not exercised' ? { element: 'skipped', text: reason } : undefined
}

/**
 * Gives a case its ending. GitLab shows an element's text, Jenkins the message of one that was skipped, so each has both:
 * the library knows no message there, and its texts, CDATA, break at a second "]]>".
 */
function end(testCase: TestCase, ending: Ending | undefined): void {
  if (!ending) return
  const text = withoutControls(ending.text)
  testCase[ending.element]()
  const build = testCase.build.bind(testCase)
  testCase.build = (parent) => {
    const element = build(parent)
    element.children.at(-1)!.att('message', text.split('\n', 1)[0]!).txt(text)
    return element
  }
}

function inMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
