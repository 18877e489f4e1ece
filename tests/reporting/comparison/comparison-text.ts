import { grouped } from '../../engine/data/grouped.ts'
import { withoutControls } from '../wording/finding-line.ts'
import { whenInWords } from '../pages/when.ts'
import { hasBegun, type Report, type ReportedRequirement } from '../result/report-format.ts'
import { whatItHad } from '../wording/what-it-had.ts'
import { inShort, observationsThatDiffer, type Comparison, type Direction, type OutcomeChange } from './comparison.ts'

const WIDEST = 300

/** The headings of what became of requirements, in the order in which a reader wants to know. */
export const DIRECTIONS: readonly (readonly [Direction, string])[] = [
  ['worse', 'Worse'],
  ['better', 'Better'],
  ['other', 'Neither worse nor better'],
]

/** Two reports side by side, as text for a terminal. */
export function comparisonText(comparison: Comparison): string {
  const { a, b, outcomes, observations, known, fields } = comparison
  const sections = [
    [...sideOf('A', a), ...sideOf('B', b)],
    ...DIRECTIONS.map(([direction, title]) => changesOf(title, outcomes, direction)),
    titled(
      'Observations that differ',
      observationsThatDiffer(comparison),
      observations.flatMap(({ operations, topic, missing, lines }) => [
        `${operations.join(', ')}: ${topic}${missing === '' ? '' : ` (${missing})`}`,
        ...lines.map((line) => `  ${line}`),
      ]),
    ),
    titled('Fields that came: seen in B, never in A', fields.came.length, fields.came),
    titled('Fields that went: seen in A, never in B', fields.went.length, fields.went),
    titled('Only A knows', known.onlyA.length, known.onlyA.map(sentenceOf)),
    titled('Only B knows', known.onlyB.length, known.onlyB.map(sentenceOf)),
    [inShort(comparison)],
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(printed).join('\n'))
    .join('\n\n')
}

function sideOf(letter: string, report: Report): string[] {
  const { verdict, target, suite, requirements } = report
  return [
    `${letter}: ${target?.name ?? 'no target'} was ${verdict} on ${whenInWords(report)} (suite ${suite.version})`,
    `   ${hasBegun(report) ? whatItHad(report) : `the run could not begin: ${requirements[0]?.reason}`}`,
  ]
}

/** Changes by what they were and are; what has one cause stands below it. */
function changesOf(title: string, all: readonly OutcomeChange[], direction: Direction): string[] {
  const changes = all.filter((change) => change.direction === direction)
  const steps = [...new Set(changes.map(stepOf))]
  return titled(
    title,
    changes.length,
    steps.flatMap((step) => [
      step,
      ...grouped(
        changes.filter((change) => stepOf(change) === step),
        ({ why }) => why,
      ).flatMap(([why, ones]) =>
        ones.length === 1
          ? [`  ${nameOf(ones[0]!)}: ${why}`]
          : [`  ${ones.length} requirements: ${why}`, ...ones.map((one) => `    ${nameOf(one)}`)],
      ),
    ]),
  )
}

function stepOf({ a, b }: OutcomeChange): string {
  return `${a.outcome} → ${b.outcome}`
}

function nameOf({ b: { id, level }, decides }: OutcomeChange): string {
  return `${id} (${level}${decides ? '' : ', does not count'})`
}

function sentenceOf({ id, title }: ReportedRequirement): string {
  return `${id}: ${title}`
}

function titled(title: string, count: number, lines: readonly string[]): string[] {
  return count === 0 ? [] : [`${title} (${count})`, ...lines.map((line) => `  ${line}`)]
}

/** A line that can't steer a terminal, nor pass for two. */
function printed(line: string): string {
  const short = line.length > WIDEST ? `${line.slice(0, WIDEST)}…` : line
  return withoutControls(short).replaceAll('\n', '\u{FFFD}')
}
