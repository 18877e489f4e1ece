import { requestLine } from '../engine/exchange.ts'
import type { Finding, Requirement } from '../engine/requirement.ts'

const LONGEST_VALUE = 80

/** A finding in a line: requirement, request, what was wrong, expected, received, where, how often and the exchange. */
export function findingLine({ id }: Pick<Requirement, 'id'>, finding: Finding): string {
  const { message, expected, received, pointer, occurrences, exchange } = finding
  const first = [
    pointer === '' ? '' : `${occurrences > 1 ? 'first: ' : ''}${pointer}`,
    `expected ${inLine(expected)}`,
    `received ${inLine(received)}`,
    occurrences > 1 ? `${occurrences} times` : '',
    `exchange ${exchange.number}`,
  ]
  const line = `${id}: ${requestLine(exchange)}: ${message} (${first.filter((part) => part !== '').join('; ')})`
  return line.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\u{FFFD}')
}

function inLine(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
