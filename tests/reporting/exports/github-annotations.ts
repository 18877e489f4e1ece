import { counts } from '../../engine/verdict.ts'
import { enumerated } from '../wording/enumerated.ts'
import { reportedLine, withoutControls } from '../wording/finding-line.ts'
import { failuresBesides, type FinishedRun } from '../result/finished-run.ts'
import type { Found } from '../problems/findings-of.ts'
import { problemsOf } from '../problems/problems.ts'

const MOST_OTHERS = 20

/**
 * A run as commands for a GitHub job, which shows them beside it: an error for each thing that went wrong with the suite
 * and for each problem, and a warning for a problem that does not count.
 */
export function annotationsOf({ report, tests, errors, requestOf }: FinishedRun): string[] {
  const wrong = [...errors, ...(report ? failuresBesides(report, tests) : []).map((failure) => failure.join(': '))]
  const others = (report?.requirements ?? []).filter(({ outcome }) => outcome === 'broken')
  const broken = [...wrong, ...others.map(({ id, reason }) => `${id}: ${reason}`)]
  const problems = (report ? problemsOf(report) : []).map(({ title, findings, requirements }) => {
    const [{ requirement, finding }] = findings as [Found]
    const [, ...folded] = requirements
    const also = folded.length > 0 ? `\nAlso failed: ${enumerated(folded, MOST_OTHERS)}` : ''
    const line = reportedLine(requirement.id, requestOf(finding.exchange), finding)
    const isDecisive = findings.some((one) => counts(one.requirement.level, report?.settings?.level ?? 'implied'))
    return command(isDecisive ? 'error' : 'warning', title, `${line}${also}`)
  })
  return [...broken.map((message) => command('error', 'The suite itself went wrong', message)), ...problems]
}

function command(kind: 'error' | 'warning', title: string, message: string): string {
  const property = escaped(withoutControls(title)).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${kind} title=${property}::${escaped(withoutControls(message))}`
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
