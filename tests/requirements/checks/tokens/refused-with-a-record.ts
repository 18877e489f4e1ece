import { parseJson } from '../../../engine/http/answer.ts'
import { isSuccess, type Exchange } from '../../../engine/http/exchange.ts'
import { isObject } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'

/** One short value may be there by chance. */
const VALUES_THAT_TELL = 2
const LENGTH_THAT_TELLS = 10
const DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/
const LONG_NUMBER = 1_000_000

/** Those of each record, which is looked through for every refusal. */
const texts = new WeakMap<object, readonly [string, string][]>()

const OF_THE_OTHER = {
  message: 'a refusal shows a record of the other company',
  expected: "nothing that only the other company's token reads",
}

/**
 * Reports refusals that show a record which the caller may not read: in one object, or in its sentences, values that this
 * record has, that no own record has, and that were not in the request. An id says nothing of what is behind it.
 */
export function reportShownByRefusals(
  trial: Trial,
  exchanges: readonly Exchange[],
  foreign: readonly unknown[],
  own: readonly unknown[],
  words: Readonly<typeof OF_THE_OTHER> = OF_THE_OTHER,
): void {
  for (const exchange of exchanges) {
    if (!exchange.response || isSuccess(exchange)) continue
    if (foreign.length > 0) trial.count('refusals')
    const parsed = parseJson(exchange.response.body)
    for (const shown of 'body' in parsed ? objectsIn(parsed.body) : []) {
      const values = textsOf(shown).map(([, value]) => value)
      // Records are many, and refusals that show as much as this are few.
      const records = foreign.filter((record) => tells(matching(record, values)))
      if (records.length === 0) continue
      const known = new Set(own.flatMap(objectsIn).flatMap((record) => textsOf(record).map(([, value]) => value)))
      const fields = records
        .map((record) => matching(record, values).filter(([, value]) => !known.has(value) && !isSent(exchange, value)))
        .find(tells)
      if (!fields) continue
      trial.fail({
        ...words,
        received: `status ${exchange.response.status} with its ${fields.map(([field]) => field).join(' and ')}`,
        exchange,
      })
      break
    }
  }
}

function tells(fields: readonly [string, string][]): boolean {
  const values = new Set(fields.map(([, value]) => value))
  return values.size >= VALUES_THAT_TELL || [...values].some(isTelling)
}

function isTelling(value: string): boolean {
  return value.length >= LENGTH_THAT_TELLS && !DAY_ALONE.test(value)
}

/** The texts of a record that are among some values, or long enough to be found in a sentence. */
function matching(record: unknown, values: readonly string[]): [string, string][] {
  return textsOf(record).filter(
    ([, value]) => values.includes(value) || (isTelling(value) && values.some((sentence) => sentence.includes(value))),
  )
}

/** The texts of an object that are no ids, and its long numbers, such as a time in milliseconds. */
function textsOf(value: unknown): readonly [string, string][] {
  if (!isObject(value)) return []
  const known = texts.get(value)
  if (known) return known
  const own = Object.entries(value).flatMap(([field, one]): [string, string][] => {
    const isTelling = typeof one === 'string' ? one !== '' : typeof one === 'number' && one >= LONG_NUMBER
    return isTelling && !/id$/i.test(field) ? [[field, String(one)]] : []
  })
  texts.set(value, own)
  return own
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : []
}

/** Whether a value was in the path, the query or the body of the request, so that it may be repeated. */
function isSent({ request }: Exchange, value: string): boolean {
  const { pathname, searchParams } = new URL(request.url)
  const sent = [decodeURIComponent(pathname), ...searchParams.values(), request.body ?? '']
  return sent.some((text) => text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1)))
}
