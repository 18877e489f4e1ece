import { LEVELS, type Outcome } from '../../engine/judging/requirement.ts'
import { counts as decides } from '../../engine/judging/verdict.ts'
import { driftLines } from '../profile/drift.ts'
import { failuresBesides, type FinishedRun, type RequestOf } from '../result/finished-run.ts'
import { NO_TARGET } from '../wording/built-in.ts'
import { interruption } from '../wording/coverage.ts'
import { codeSpan, table } from './markdown.ts'
import { enumerated } from '../wording/enumerated.ts'
import { problemsOf } from '../problems/problems.ts'
import { reasonsOf } from '../wording/reasons.ts'
import {
  hasBegun,
  type Report,
  type ReportedFinding,
  type ReportedRequirement,
  type ReportedSettings,
} from '../result/report-format.ts'
import { narrowing, whatItHad, whatItTook } from '../wording/what-it-had.ts'
import { uncounted } from '../wording/uncounted.ts'
import type { Found } from '../problems/findings-of.ts'
import { AREAS, demandsByArea } from '../wording/areas.ts'

const MOST_PROBLEMS = 100
const MOST_OTHERS = 20
const MOST_BROKEN = 20
const MOST_DRIFT = 100
const MOST_REASONS = 20
const WHERE =
  'The folder of reports has more: `index.html` to read, `conformance.json` with all of it, `evidence.har` with the exchanges.'

/** A run in a page of Markdown: the verdict first, and nothing of the target's that Markdown could take for its own. */
export function markdownSummary({ report, tests, errors, warnings, requestOf }: FinishedRun): string {
  const whole = list(errors.map((error) => `What went wrong: ${codeSpan(error)}`))
  const sections =
    report && hasBegun(report)
      ? [
          heading(report),
          list(warnings.map(codeSpan)),
          counts(report),
          errors.length === 0 ? '' : `### The run as a whole\n\n${whole}`,
          broken(report, failuresBesides(report, tests)),
          drift(report),
          problems(report, requestOf),
          gaps(report),
          matrix(report),
          WHERE,
        ]
      : ['## BROKEN: nothing was judged', whole, list(warnings.map(codeSpan))]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function heading(report: Report): string {
  const { verdict, target, startedAt } = report
  const others = uncounted(report)
  return [
    ...(report.interrupted ? [`## ${interruption(report)}`, ''] : []),
    `## ${verdict.toUpperCase()}${narrowing(report)}: ${codeSpan(target?.name ?? '')}`,
    '',
    `Judged at ${codeSpan(target?.baseUrl ?? '')} on ${startedAt}, ${codeSpan(whatItHad(report))};`,
    `${whatItTook(report)}.`,
    ...(others === undefined ? [] : ['', `**${others}**`]),
    ...(target?.builtIn ? ['', `**${NO_TARGET}**`] : []),
  ].join('\n')
}

function counts({ requirements }: Report): string {
  const outcomes: readonly Outcome[] = ['passed', 'failed', 'not exercised', 'broken']
  const rows = LEVELS.map((level) => [
    level,
    ...outcomes.map((outcome) => requirements.filter((one) => one.level === level && one.outcome === outcome).length),
  ])
  return table([['level', ...outcomes], ...rows])
}

function broken({ requirements }: Report, others: ReturnType<typeof failuresBesides>): string {
  const named = requirements
    .filter(({ outcome }) => outcome === 'broken')
    .map(({ id, reason = '' }) => [id, reason] as const)
  const lines = [...others, ...named].map(
    ([name, message]) => `${codeSpan(name)} ended with ${codeSpan(message.split('\n', 1)[0]!)}`,
  )
  return titled("The suite itself went wrong, which is never the target's fault", lines, MOST_BROKEN)
}

function drift({ drift: all = [], profile = [] }: Report): string {
  const items = all.map((one) =>
    [`\`${one.id}\`: ${one.topic}`, ...driftLines(one).map((line) => `  - ${codeSpan(line)}`)].join('\n'),
  )
  const sentences = list(profile.map(codeSpan))
  return [titled('Drift from the profile', items, MOST_DRIFT), sentences].filter((part) => part !== '').join('\n\n')
}

function problems(report: Report, requestOf: RequestOf): string {
  const items = problemsOf(report).map(({ title, findings, requirements }) => {
    const [{ requirement, finding }] = findings as [Found]
    const [, ...others] = requirements.map((id) => `\`${id}\``)
    return [
      `**${codeSpan(title)}**`,
      ...findingLines(requirement, finding, requestOf(finding.exchange), report.settings?.level ?? 'implied'),
      ...(others.length > 0 ? [`Also failed: ${enumerated(others, MOST_OTHERS)}`] : []),
    ].join('\n  - ')
  })
  return titled('Problems', items, MOST_PROBLEMS)
}

function findingLines(
  { id, title, level }: ReportedRequirement,
  { message, expected, received, absent, pointer, record, occurrences, exchange }: ReportedFinding,
  request: string,
  counted: ReportedSettings['level'],
): readonly string[] {
  const often = occurrences === 1 ? 'once' : `${occurrences} times`
  const first = pointer === '' ? '' : `, ${occurrences === 1 ? 'at' : 'first at'} ${codeSpan(pointer)}`
  const of = record === undefined ? '' : `, of the record ${codeSpan(record)}`
  return [
    `\`${id}\` (${level}${decides(level, counted) ? '' : ', does not count'}): ${title}`,
    `Request ${codeSpan(request)}, exchange ${exchange}`,
    `Found ${codeSpan(message)}, ${often}${first}${of}`,
    `Expected ${codeSpan(JSON.stringify(expected))}, ${absent ? 'left out' : `received ${codeSpan(JSON.stringify(received))}`}`,
  ]
}

function gaps({ requirements }: Report): string {
  const lines = reasonsOf(requirements.filter(({ level }) => level !== 'observed')).map(
    ([reason, of]) => `${of.length === 1 ? `\`${of[0]!.id}\`` : `${of.length} requirements`}: ${codeSpan(reason)}`,
  )
  return titled('Not exercised', lines, MOST_REASONS)
}

/** Operations by area: how many requirements passed, of how many where not all did, and what the others came to. */
function matrix({ requirements }: Report): string {
  const { operations, at } = demandsByArea(requirements)
  const rows = operations.map((operation) => [operation, ...AREAS.map((area) => cell(at(operation, area)))])
  return `### Passed, by operation and area\n\n${table([['', ...AREAS], ...rows])}`
}

function cell(requirements: readonly ReportedRequirement[]): string {
  const count = (wanted: Outcome): number => requirements.filter(({ outcome }) => outcome === wanted).length
  if (requirements.length === 0) return ''
  if (count('passed') === requirements.length) return String(requirements.length)
  const failed = count('failed') === 0 ? '' : `, **${count('failed')} failed**`
  return `${count('passed')} of ${requirements.length}${failed}${count('broken') === 0 ? '' : `, ${count('broken')} broken`}`
}

function titled(title: string, items: readonly string[], most: number): string {
  const rest = items.length - most
  const shown = rest > 0 ? [...items.slice(0, most), `and ${rest} more, in \`conformance.json\``] : items
  return items.length === 0 ? '' : `### ${title}\n\n${list(shown)}`
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}
