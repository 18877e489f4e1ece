import type { Call } from '../../../engine/http/client.ts'
import type { OperationId } from '../../../engine/contract.ts'
import { type AnyRecord, askable, asText } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { EXACT_FILTERS, isOneOf, PAGED, SEARCHED, STATUSES, type Filtered } from '../../operations.ts'
import { BAD_TOKENS, PLAINLY, type BadToken } from './bad-tokens.ts'

/** A text that a search takes for nothing but a text. */
const PLAIN = /^[A-Za-z]{2,}( [A-Za-z]+)*$/

/** Values of parameters that no record shows. */
const VALUES: Readonly<Record<string, string>> = {
  status: STATUSES[0],
  date: '2025-01-15',
  dateStart: '2025-01-15',
  dateEnd: '2025-01-15',
}

/** A search beside one other parameter, and all others at once, as one record shows them: what is guarded may be the empty answer. */
export function filteredCalls(trial: Trial, operation: OperationId): Call[] {
  const records = everyRecord(trial, operation).map(({ record }) => record)
  const { queryParameters } = trial.session.contract.operation(operation)
  const others = queryParameters.filter((parameter) => !['pageNumber', 'searchParam'].includes(parameter))
  // Where no record shows all that any shows, values of several.
  const every = others.filter((parameter) => records.some((record) => shows(record, parameter)))
  const whole = records.find((record) => every.every((parameter) => shows(record, parameter)))
  const valueOf = (parameter: string): string =>
    asText((whole ?? records.find((record) => shows(record, parameter)))?.[parameter]) ??
    VALUES[parameter] ??
    trial.random.string.uuid()
  const filters = Object.fromEntries(others.map((parameter) => [parameter, valueOf(parameter)]))
  const [one] = others
  const beside = one === undefined ? {} : { [one]: filters[one]! }
  return [{ query: { searchParam: trial.random.string.uuid(), ...beside } }, { query: filters }]
}

/** A call with one parameter alone, another one for each kind of bad token: what looks at it may not look at the token. */
export function withOneParameter(trial: Trial, operation: OperationId, bad: BadToken): Call {
  const records = everyRecord(trial, operation, 'main').map(({ record }) => record)
  const filters: readonly string[] = operation in EXACT_FILTERS ? EXACT_FILTERS[operation as Filtered] : []
  const { queryParameters } = trial.session.contract.operation(operation)
  const dates = queryParameters.filter((parameter) => parameter in VALUES && !filters.includes(parameter))
  const name = records
    .map((record) => askable(record['name'] ?? record['lastMessage']))
    .find((text) => PLAIN.test(text ?? ''))
  const calls = [
    ...filters.map((filter) => callWith(filter, asText(records.find((one) => shows(one, filter))?.[filter]))),
    ...(isOneOf(operation, SEARCHED) ? [callWith('searchParam', name)] : []),
    ...(isOneOf(operation, PAGED) ? [callWith('pageNumber', '1')] : []),
    ...dates.map((parameter) => callWith(parameter, VALUES[parameter])),
  ]
  const place = BAD_TOKENS.filter((one) => !PLAINLY.includes(one)).indexOf(bad)
  const known = calls.flatMap((call) => call ?? [])
  // What has no value leaves its place to another, and all others where they are.
  return calls[place] ?? known[place % known.length] ?? {}
}

function callWith(parameter: string, value: string | undefined): Call | undefined {
  return value === undefined ? undefined : { query: { [parameter]: value } }
}

function shows(record: AnyRecord, parameter: string): boolean {
  return asText(record[parameter]) !== undefined
}
