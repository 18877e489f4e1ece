import { WAS_INTERRUPTED } from '../../engine/time/clock.ts'
import { counts } from '../../engine/judging/verdict.ts'
import { areaOf } from './areas.ts'
import { counted } from './counted.ts'
import { NOT_LOOKED_AT } from '../result/report.ts'
import { grouped } from '../../engine/data/grouped.ts'
import type { Report, ReportedRequirement } from '../result/report-format.ts'

const RESOURCES = ['Contact', 'Ticket', 'Schedule', 'Tag', 'Campaign']
const TOO_LATE = /\bMAX_DURATION_S \(\d+\) was over\b/
const SETTING = /(?<=\bset )[A-Z][A-Z_]+/g

/** What of a report decides: all of it, what was selected, and what of that was not judged. */
function deciding(report: Report): Readonly<Record<'all' | 'selected' | 'left', readonly ReportedRequirement[]>> {
  const all = report.requirements.filter(({ level }) => counts(level, report.settings?.level ?? 'implied'))
  const selected = all.filter(({ reason }) => reason !== NOT_LOOKED_AT)
  return { all, selected, left: selected.filter(isNotJudged) }
}

/** When an interrupted run was interrupted, and how much it had judged; undefined of any other. */
export function interruption(report: Report): string | undefined {
  if (!report.interrupted) return undefined
  const seconds = (Date.parse(report.finishedAt) - Date.parse(report.startedAt)) / 1000
  return `Interrupted after ${seconds.toFixed(1)} s: ${judgedOf(report)} judged`
}

function judgedOf(report: Report): string {
  const { all, selected, left } = deciding(report)
  return `${selected.length - left.length} of ${all.length}`
}

/** How much of what decides was judged, and what was not, in plain words: the last line of a run, and what goes before. */
export function coverageOf(report: Report): readonly string[] {
  const { all, selected, left } = deciding(report)
  const leftAs = (why: string | RegExp) => left.filter(({ reason }) => reason?.match(why))
  const [interrupted, late] = [leftAs(WAS_INTERRUPTED), leftAs(TOO_LATE)]
  const others = left.filter((one) => !interrupted.includes(one) && !late.includes(one))
  const areas = grouped(others, ({ id }) => areaOf(id)).map(([area, of]) => `${area} (${whatTheyNeed(of)})`)
  const unselected = all.length - selected.length
  const parts = [
    `judged ${judgedOf(report)}`,
    ...(unselected > 0 ? [`not selected${report.interrupted ? ', or interrupted' : ''}: ${unselected}`] : []),
    ...(interrupted.length > 0 ? [`interrupted: ${interrupted.length}`] : []),
    ...(late.length > 0 ? [`past MAX_DURATION_S (raise it): ${late.length}`] : []),
    ...(others.length > 0 ? [`not judged: ${areas.join(', ')}`] : []),
  ]
  return [...gravest(report, selected), parts.join('; ')]
}

/** What a reader must know before the count: no record at all, or an operation of which nothing is known. */
function gravest({ fields }: Report, deciding: readonly ReportedRequirement[]): string[] {
  const seen = fields.filter(({ schema }) => RESOURCES.includes(schema))
  const isEmpty = seen.length > 0 && seen.every((field) => field.seen + field.absent === 0)
  const operations = [...new Set(deciding.flatMap((requirement) => requirement.operations))]
  const unjudged = operations.filter((operation) =>
    deciding.filter((requirement) => requirement.operations.includes(operation)).every(isNotJudged),
  )
  return [
    ...(isEmpty ? ['no record of any kind was returned, so hardly anything could be judged'] : []),
    ...(unjudged.length > 0 ? [`nothing could be judged of ${unjudged.join(', ')}`] : []),
  ]
}

function isNotJudged({ outcome }: ReportedRequirement): boolean {
  return outcome === 'not exercised' || outcome === 'broken'
}

/** How many requirements were not judged, how many of them need which settings, and how many need something else. */
function whatTheyNeed(requirements: readonly ReportedRequirement[]): string {
  const settings = grouped(requirements, ({ reason = '' }) => (reason.match(SETTING) ?? []).join(' and '))
  const needs = settings.flatMap(([name, { length }]) =>
    name === '' ? [] : [`${length} ${length === 1 ? 'needs' : 'need'} ${name}`],
  )
  const others = settings.find(([name]) => name === '')?.[1].length ?? 0
  if (needs.length === 0) return String(others)
  if (settings.length === 1) return needs.join()
  return `${requirements.length}: ${[...needs, ...(others > 0 ? [counted(others, 'others')] : [])].join(', ')}`
}
