import { LEVELS } from '../../engine/judging/requirement.ts'
import { driftLines } from '../profile/drift.ts'
import { reportedLine, withoutControls } from '../wording/finding-line.ts'
import { interruption } from '../wording/coverage.ts'
import { enumerated } from '../wording/enumerated.ts'
import { problemsOf } from '../problems/problems.ts'
import { reasonsOf } from '../wording/reasons.ts'
import type { Report, ReportedRequirement } from '../result/report-format.ts'
import type { Found } from '../problems/findings-of.ts'
import { narrowing, whatItHad, whatItTook } from '../wording/what-it-had.ts'
import { uncounted } from '../wording/uncounted.ts'
import { TELLING_OBSERVATIONS } from '../wording/telling-observations.ts'

const MOST_LINES = 100
const MOST_OTHERS = 3
const MOST_REASONS = 12
const MOST_DRIFT_LINES = 100
const WIDEST = 160

/**
 * A report in a page of text, for a terminal.
 * @param requestOf gives the request of an exchange in a line.
 */
export function summaryOf(report: Report, requestOf: (exchange: number) => string): string {
  const found = problems(report, requestOf)
  const sections = [
    verdict(report),
    counts(report),
    broken(report),
    found,
    gaps(report),
    profile(report),
    drift(report),
  ]
  return withoutControls(sections.filter((section) => section !== '').join('\n\n'))
}

function verdict(report: Report): string {
  const { verdict: word, target } = report
  const others = uncounted(report)
  return [
    ...(report.interrupted ? [interruption(report)] : []),
    `${word.toUpperCase()}${narrowing(report)}: ${target?.name} (${target?.baseUrl})`,
    `${whatItHad(report)}; ${whatItTook(report)}`,
    ...(others === undefined ? [] : [others]),
  ].join('\n')
}

function counts({ requirements }: Report): string {
  const rows = LEVELS.map((level) => {
    const count = (outcome: ReportedRequirement['outcome']): number =>
      requirements.filter((requirement) => requirement.level === level && requirement.outcome === outcome).length
    // What is only observed can't fail.
    return row([level, count('passed'), level === 'observed' ? '' : count('failed'), count('not exercised')])
  })
  return [row(['', 'passed', 'failed', 'not exercised']), ...rows].join('\n')
}

function row(cells: readonly (string | number)[]): string {
  return cells.map((cell, index) => (index === 0 ? String(cell).padEnd(10) : String(cell).padStart(15))).join('')
}

function broken({ requirements }: Report): string {
  const lines = requirements
    .filter(({ outcome }) => outcome === 'broken')
    .map(({ id, reason }) => `${id}: ${reason?.split('\n')[0]}`)
  return titled('The suite itself went wrong', lines)
}

/** What failed, by cause: the headline, the finding that tells most, and the other requirements that failed with it. */
function problems(report: Report, requestOf: (exchange: number) => string): string {
  const lines = problemsOf(report).flatMap(({ title, findings, requirements }, index) => {
    const [{ requirement, finding }] = findings as [Found]
    const [, ...others] = requirements
    return [
      `${index + 1}. ${title}`,
      `   ${reportedLine(requirement.id, requestOf(finding.exchange), finding)}`,
      ...(others.length > 0 ? [`   also failed: ${enumerated(others, MOST_OTHERS)}`] : []),
    ]
  })
  return titled('Problems', shortened(lines, MOST_LINES))
}

/** The reasons why requirements were not exercised, the commonest first, each once. */
function gaps({ requirements }: Report): string {
  const lines = reasonsOf(requirements.filter(({ level }) => level !== 'observed')).map(
    ([reason, of]) => `${of.length === 1 ? of[0]!.id : `${of.length} requirements`}: ${reason}`,
  )
  return titled('Not exercised', shortened(lines, MOST_REASONS).map(narrow))
}

function profile({ observations }: Report): string {
  const lines = TELLING_OBSERVATIONS.flatMap((id) =>
    observations
      .filter((observation) => observation.id === id)
      .map(({ operation, topic, value }) => `${operation}: ${topic}: ${inWords(value)}`),
  )
  return titled('Observed where the document is silent', lines.map(narrow))
}

function drift({ drift: all = [] }: Report): string {
  const lines = all.flatMap((one) => [`${one.id}: ${one.topic}`, ...driftLines(one).map((line) => `  ${line}`)])
  return titled('Drift from the profile', shortened(lines, MOST_DRIFT_LINES))
}

function inWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function titled(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines.map((line) => `  ${line}`)].join('\n')
}

function shortened(lines: readonly string[], most: number): string[] {
  const rest = lines.length - most
  return rest > 0 ? [...lines.slice(0, most), `and ${rest} more, in the report`] : [...lines]
}

function narrow(line: string): string {
  return line.length > WIDEST ? `${line.slice(0, WIDEST)}…` : line
}
