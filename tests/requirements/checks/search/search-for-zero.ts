import { recordsOf } from '../../../engine/data/listing.ts'
import { asBoolean, asText, idOf, idsOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'

const ZERO = '0'
/** Each time of this century has it: where times are searched, it finds every record. */
const CONTROL = '2'
/** Times, which may be numbers. */
const TIMES: ReadonlySet<string> = new Set(['createdAt', 'updatedAt'])
/** Where flags are searched as digits, it finds each record that has one set, and a 0 each other. */
const FLAG = '1'
/** Where hidden texts are searched, so many that it finds cannot all show it. */
const ENOUGH = 10

/**
 * A search for "0" is a search, though many languages take the text for none. Judged where it finds just what is listed
 * first, and searches for other digits find nothing that does not show them.
 */
export async function judgeSearchForZero(trial: Trial): Promise<void> {
  const { pages } = await trial.list('listContacts')
  const listed = pages[0]?.records ?? []
  if (listed.every(({ value }) => shows(value, ZERO))) return
  const found = async (searchParam: string): Promise<readonly Located<Schemas['Contact']>[]> => {
    trial.count('searches')
    const probe = await trial.session.attempt('listContacts', { query: { searchParam } })
    return recordsOf(trial.session, 'listContacts', probe)
  }
  const [zero, control] = await Promise.all([found(ZERO), found(CONTROL)])
  const [ids, controlIds, listedIds] = [zero, control, listed].map((some) =>
    some.map(({ value }) => idOf(value)).join(),
  )
  // One character may be too little for any search to be heeded.
  const isHeeded = controlIds !== listedIds
  const isControlled = isHeeded && control.length >= ENOUGH && control.every(({ value }) => shows(value, CONTROL))
  if (ids !== listedIds || !isControlled || !isFlagIgnored(listed, await found(FLAG))) return
  const others = zero.filter(({ value: { name, number, email } }) => ![name, number, email].join().includes(ZERO))
  if (others.length === 0) return
  trial.fail({
    message: 'a search for "0" was not heeded: it found all contacts',
    expected: `records that hold a 0, as a search for "${CONTROL}" found records that hold a ${CONTROL}`,
    received: `the ${zero.length} records that are listed first, ${others.length} of them without`,
    exchange: others[0]!.exchange,
    pointer: others[0]!.pointer,
  })
}

/** Whether a search for a set flag as a digit passed over a contact that has one and is listed before another that it found. */
function isFlagIgnored(listed: readonly Located<object>[], found: readonly Located<object>[]): boolean {
  const ids = idsOf(found)
  const last = listed.findLastIndex(({ value }) => ids.has(idOf(value)))
  const before = listed.slice(0, Math.max(0, last))
  const isPassedOver = ({ value }: Located<object>): boolean =>
    !ids.has(idOf(value)) && !shows(value, FLAG) && Object.values(value).some((one) => asBoolean(one) === true)
  return found.every(({ value }) => shows(value, FLAG)) && before.some(isPassedOver)
}

/** Whether a record shows a digit elsewhere than alone, in times, and in ids and addresses with hyphens. */
function shows(record: object, digit: string): boolean {
  return textsOf(record).some((text) => text.length > 1 && text.includes(digit) && !text.includes('-'))
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, one]) => (TIMES.has(name) ? [] : textsOf(one)))
  const text = asText(value)
  return text === undefined ? [] : [text]
}
