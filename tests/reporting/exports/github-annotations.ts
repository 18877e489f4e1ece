import { counts } from '../../engine/judging/verdict.ts'
import { enumerated } from '../wording/enumerated.ts'
import { reportedLine, withoutControls } from '../wording/finding-line.ts'
import { failuresBesides, isOfTheRun, type FinishedRun } from '../result/finished-run.ts'
import { hasBegun, type Report } from '../result/report-format.ts'
import type { Found } from '../problems/findings-of.ts'
import { problemsOf } from '../problems/problems.ts'

const MOST_OTHERS = 20
const OF_THE_SUITE = 'The suite itself went wrong'

/**
 * A run as commands for a GitHub job, which shows them beside it: an error for each thing that went wrong with the run or
 * the suite and for each problem, and a warning for a problem that does not count.
 */
export function annotationsOf({ report, tests, errors, requestOf }: FinishedRun): string[] {
  const besides = (report ? failuresBesides(report, tests) : []).map((failure) => failure.join(': '))
  const others = (report?.requirements ?? []).filter(({ outcome }) => outcome === 'broken')
  const broken = [...besides, ...others.map(({ id, reason }) => `${id}: ${reason}`)]
  const problems = (report ? problemsOf(report) : []).map(({ title, findings, requirements }) => {
    const [{ requirement, finding }] = findings as [Found]
    const [, ...folded] = requirements
    const also = folded.length > 0 ? `\nAlso failed: ${enumerated(folded, MOST_OTHERS)}` : ''
    const line = reportedLine(requirement.id, requestOf(finding.exchange), finding)
    const isDecisive = findings.some((one) => counts(one.requirement.level, report?.settings?.level ?? 'implied'))
    return command(isDecisive ? 'error' : 'warning', title, `${line}${also}`)
  })
  return [
    ...errors.map((message) => command('error', titleOf(message, report), message)),
    ...broken.map((message) => command('error', OF_THE_SUITE, message)),
    ...problems,
  ]
}

/** What the target, the settings or the selection keep a run from is told without the name of an error. */
function titleOf(error: string, report: Report | undefined): string {
  if (/^\w*Error: /.test(error) && isOfTheRun(error)) return OF_THE_SUITE
  return report && hasBegun(report) ? 'The run as a whole' : 'The run could not begin'
}

function command(kind: 'error' | 'warning', title: string, message: string): string {
  const property = escaped(withoutControls(title)).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${kind} title=${property}::${escaped(withoutControls(message))}`
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
