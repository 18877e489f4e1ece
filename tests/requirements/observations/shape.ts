import { essence, parseJson, typeOf } from '../../engine/http/answer.ts'
import { headerOf, type Exchange } from '../../engine/http/exchange.ts'
import { isIsoDateTime } from '../../engine/time/iso-date-time.ts'
import type { Trial } from '../../engine/judging/trial.ts'

const MEMBERS_SHOWN = 20

/** What came back, without any value that could be personal: status, media type and the names of members. */
export function describeExchange({ response, failure }: Exchange): string {
  if (!response) return failure?.kind ?? 'no answer'
  const type = essence(headerOf(response.headers, 'content-type') ?? '')
  const parsed = parseJson(response.body)
  const body = response.body.length === 0 ? 'empty' : 'body' in parsed ? shapeOf(parsed.body) : 'not JSON'
  return [`status ${response.status}`, type === '' ? 'no content-type' : type, body].join(', ')
}

/** A member's name as programmers choose it, and not a telephone number or another value that is used as a name. */
const NAME = /^(?!.*\d{5})[a-z_]\w{0,40}$/i

/** A value as programmers choose it: one word, or more of them that are no names of people. */
const CODE = /^(?!.*(\d{5}| \p{Lu}))[\p{L}\p{N}_.:/-]+( [\p{L}\p{N}_.:/-]+)*$/u

/** The shape of a value: names and types, never values; names that are no identifiers are only counted. */
export function shapeOf(value: unknown, depth = 2): string {
  const type = typeOf(value)
  if (type === 'array') {
    const items = value as unknown[]
    return items.length === 0 ? 'empty array' : `array of ${shapeOf(items[0], depth - 1)}`
  }
  if (type !== 'object') return type
  const entries = Object.entries(value as object)
  if (depth <= 0) return entries.length === 0 ? 'empty object' : 'object'
  const named = entries.filter(([name]) => isName(name)).slice(0, MEMBERS_SHOWN)
  const members = named.map(([name, member]) => `${name}: ${shapeOf(member, depth - 1)}`)
  const others = entries.length - named.length
  return `{${[...members, ...(others > 0 ? [`and ${others} more`] : [])].join(', ')}}`
}

/** Whether a member's name can be shown: it may be a value that is used as a name. */
export function isName(name: string): boolean {
  return NAME.test(name)
}

/** The members of an object, each with its type: objects of one kind may each have some of them. */
export function membersOf(value: unknown): string[] {
  if (typeOf(value) !== 'object') return [typeOf(value)]
  return Object.entries(value as object).map(([name, member]) =>
    isName(name) ? `${name}: ${typeOf(member)}` : `a name that is a value: ${typeOf(member)}`,
  )
}

/** A value of an enumeration; of one that may be a text of somebody's, the pattern. */
export function codeOf(text: string): string {
  return text.length <= 40 && CODE.test(text) ? text : patternOf(text)
}

/** The pattern of a text: digits as 9, letters as a, so that formats show and values don't. */
export function patternOf(text: string): string {
  return text
    .slice(0, 40)
    .replace(/\d/g, '9')
    .replace(/\p{L}+/gu, (word) => (/^(T|Z|GMT|UTC|ms|s|m|h)$/.test(word) ? word : 'a'))
}

/** The format of a timestamp in words. */
export function timestampFormat(trial: Trial, text: string): string {
  if (/^\d+$/.test(text)) return 'epoch digits'
  const zone = /Z$/i.test(text) ? 'in UTC' : /[+-]\d{2}:?\d{2}$/.test(text) ? 'with an offset' : 'without a zone'
  const fraction = /\d[.,]\d/.test(text) ? 'with a fraction' : 'without a fraction'
  if (isIsoDateTime(text)) return `ISO 8601 date-time ${zone}, ${fraction}`
  return trial.instantOf(text) ? `another readable format (${patternOf(text)})` : `unreadable (${patternOf(text)})`
}
