import { isDeepStrictEqual } from 'node:util'
import type { Report, ReportedRequirement } from '../reporting/result/report-format.ts'
import type { JudgedAgain } from './judge-again.ts'
import type { Recording } from './recording.ts'

const MOST_TOLD = 5

/** In what a report differs from what judging its evidence again came to, in sentences. */
export function differencesOf(report: Report, { report: again, recording, changed }: JudgedAgain): string[] {
  return [
    ...requestsThatDiffer(recording.unanswered, recording.unasked),
    ...tooEarly(recording.early),
    ...changed,
    ...report.requirements.flatMap((one) =>
      differenceOf(
        one,
        again.requirements.find(({ id }) => id === one.id),
      ),
    ),
    ...again.requirements
      .filter(({ id }) => !report.requirements.some((one) => one.id === id))
      .map(({ id, outcome }) => `${id} is not in the report; judged from the evidence, it is ${outcome}.`),
    ...(['verdict', 'totals', 'observations', 'fields'] as const)
      .filter((part) => !isSame(report[part], again[part]))
      .map((part) => `The report's ${part} differ from what the evidence shows.`),
    ...(report.requests.count === again.requests.count
      ? []
      : ["The report's number of requests differs from the evidence's."]),
  ]
}

function requestsThatDiffer(unanswered: readonly string[], unasked: readonly number[]): string[] {
  return [
    ...(unanswered.length > 0
      ? [
          `The evidence has no answer to ${listed(unanswered)}: an exchange was left out or changed, or it is another run's.`,
        ]
      : []),
    ...(unasked.length > 0
      ? [
          `Nothing asks for ${unasked.length === 1 ? 'exchange' : 'exchanges'} ${listed(unasked)}: added or changed, or another run's.`,
        ]
      : []),
  ]
}

/** What was waited for less than the suite waits. */
function tooEarly(early: Recording['early']): string[] {
  const first = early[0]
  if (!first) return []
  const more = early.length > 1 ? `, and ${early.length - 1} more` : ''
  return [
    `Exchange ${first.exchange} of the evidence was sent ${Math.round(first.ms)} ms before the suite would have sent it${more}: the suite waited there, or times were changed.`,
  ]
}

function differenceOf(one: ReportedRequirement, again: ReportedRequirement | undefined): string[] {
  if (!again) return [`${one.id} is no requirement of this suite.`]
  if (one.outcome !== again.outcome) {
    const why = again.findings[0]?.message ?? again.reason?.split('\n')[0] ?? ''
    return [
      `${one.id}: the report says ${one.outcome}; judged from the evidence, it is ${again.outcome}${why && ` (${why})`}.`,
    ]
  }
  const parts = (['title', 'level', 'operations', 'source', 'reason', 'examined', 'findings'] as const).filter(
    (part) => !isSame(one[part], again[part]),
  )
  return parts.length === 0
    ? []
    : [`${one.id}: the report's ${parts.join(' and ')} differ from what the evidence shows.`]
}

/** As in files, where nothing is undefined. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(
    ...([one, other].map((value) => JSON.parse(JSON.stringify(value ?? null)) as unknown) as [unknown, unknown]),
  )
}

/** The first few, and how many more there are. */
function listed(all: readonly (string | number)[]): string {
  const more = all.length > MOST_TOLD ? ` and ${all.length - MOST_TOLD} more` : ''
  return all.slice(0, MOST_TOLD).join(', ') + more
}
