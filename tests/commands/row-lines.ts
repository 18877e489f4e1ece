import { withoutControls } from '../reporting/wording/finding-line.ts'
import { counted } from '../reporting/wording/counted.ts'
import { reasonsOf } from '../reporting/wording/reasons.ts'
import { reportedRequirement } from '../reporting/result/report.ts'
import type { Entry, JudgedRow } from './row.ts'

const MOST_PROBLEMS = 3
const WIDEST = 160

/** Why a target of a matrix is not conformant, in a few lines: what failed or, where nothing did, what was not exercised. */
export function rowLines({ row, exchanges, judged }: JudgedRow, { policy }: Pick<Entry, 'policy'>): string[] {
  const titles = row.problems.map(({ title }) => title)
  const more = titles.length - MOST_PROBLEMS
  const problems = [...titles.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])]
  return [...problems, ...(row.verdict === 'incomplete' && judged ? gaps() : [])].map(line)

  function gaps(): string[] {
    // A reason may quote what is somebody's.
    policy.learn(exchanges)
    const demands = judged!.results.filter(({ requirement }) => requirement.level !== 'observed')
    const reasons = reasonsOf(demands.map((result) => reportedRequirement(result, policy)))
    const [reason, first] = reasons[0]!
    const number = reasons.reduce((sum, [, of]) => sum + of.length, 0)
    const most = reasons.length === 1 ? '' : `, ${first.length} of them for this reason`
    return [`${counted(number, 'requirements')} not exercised${most}: ${reason}`]
  }
}

function line(text: string): string {
  const [first = ''] = withoutControls(text).split('\n')
  return `  ${first.length > WIDEST ? `${first.slice(0, WIDEST)}…` : first}`
}
