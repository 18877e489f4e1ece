import { counts } from '../../engine/verdict.ts'
import { areaOf } from './areas.ts'
import { counted } from './counted.ts'
import { NOT_LOOKED_AT } from '../result/report.ts'
import { grouped } from '../../engine/grouped.ts'
import type { Report, ReportedRequirement } from '../result/report-format.ts'

const RESOURCES = ['Contact', 'Ticket', 'Schedule', 'Tag', 'Campaign']
const SETTING = /(?<=\bset )[A-Z][A-Z_]+/g

/** How much of what decides was judged, and what was not, in plain words: the last line of a run, and what goes before. */
export function coverageOf(report: Report): readonly string[] {
  const deciding = report.requirements.filter(({ level }) => counts(level, report.settings?.level ?? 'implied'))
  const selected = deciding.filter(({ reason }) => reason !== NOT_LOOKED_AT)
  const left = selected.filter(isNotJudged)
  const areas = grouped(left, ({ id }) => areaOf(id)).map(([area, of]) => `${area} (${whatTheyNeed(of)})`)
  const others = deciding.length - selected.length
  const parts = [
    `judged ${selected.length - left.length} of ${deciding.length}`,
    ...(others > 0 ? [`not selected, or interrupted: ${others}`] : []),
    ...(left.length > 0 ? [`not judged: ${areas.join(', ')}`] : []),
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
