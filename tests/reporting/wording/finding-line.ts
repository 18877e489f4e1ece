import { requestLine } from '../../engine/http/exchange.ts'
import type { Finding, Requirement } from '../../engine/judging/requirement.ts'
import type { ReportedFinding } from '../result/report-format.ts'

const LONGEST_VALUE = 80
const LEFT_OUT = 'it was left out'

/** A finding in a line: requirement, request, what was wrong, expected, received, where, how often and the exchange. */
export function findingLine({ id }: Pick<Requirement, 'id'>, finding: Finding): string {
  return reportedLine(id, requestLine(finding.exchange), {
    ...finding,
    ...(finding.received === undefined && { absent: true }),
    exchange: finding.exchange.number,
  })
}

/** As `findingLine`, for a finding as the report has it. */
export function reportedLine(id: string, request: string, finding: ReportedFinding): string {
  const { message, expected, received, absent, pointer, record, occurrences, exchange } = finding
  const values = [`expected ${inLine(expected)}`, absent ? LEFT_OUT : `received ${inLine(received)}`]
  const isNamed = record === undefined || [request, ...values].some((text) => text.includes(record))
  const first = [
    pointer === '' ? '' : `${occurrences > 1 ? 'first: ' : ''}${pointer}`,
    isNamed ? '' : `of the record ${inLine(record)}`,
    ...values,
    occurrences > 1 ? `${occurrences} times` : '',
    `exchange ${exchange}`,
  ]
  const line = `${id}: ${request}: ${message} (${first.filter((part) => part !== '').join('; ')})`
  return withoutControls(line).replaceAll('\n', '\u{FFFD}')
}

/** A text that can't steer a terminal or break XML; its lines stay lines. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u{FFFE}\u{FFFF}]/gu, '\u{FFFD}')
}

function inLine(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
