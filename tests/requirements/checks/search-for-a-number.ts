import { askable, idOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'

/** A number as it is searched for, long enough for its second half to be another one's. */
const NUMBER = /^\+?\d{10,}$/
const SHARED_DIGITS = 6

/**
 * A contact that a search finds by its number is not found by one that begins alike and goes on otherwise, unless the search
 * finds what is alike in any way.
 */
export async function judgeSearchForANumber(trial: Trial): Promise<void> {
  const { records } = await trial.list('listContacts')
  const numbered = records.find(({ value }) => idOf(value) !== undefined && NUMBER.test(askable(value.number) ?? ''))
  if (!numbered) return
  const [id, number] = [idOf(numbered.value)!, numbered.value.number!]
  const digits = (length: number): string => trial.random.string.numeric({ length, allowLeadingZeros: true })
  const another = number.slice(0, SHARED_DIGITS) + digits(number.length - SHARED_DIGITS)
  const texts = JSON.stringify(numbered.value)
  if (texts.includes(another) || !(await trial.finds('listContacts', number, id))) return
  trial.count('searches')
  if (!(await trial.finds('listContacts', another, id))) return
  const unrelated = digits(number.length)
  const alike = `${number[0]}${(Number(number[1]) + 1) % 10}${number.slice(2)}`
  const isIgnored = !texts.includes(unrelated) && (await trial.finds('listContacts', unrelated, id))
  if (!isIgnored && (await trial.finds('listContacts', alike, id))) return
  const { byId, query } = await trial.searched('listContacts', another)
  trial.fail({
    message: 'a search for a number found a contact that has another one',
    expected: `no contact with the number ${number} for "${query['searchParam']}"`,
    received: id,
    exchange: byId.get(id)!.exchange,
    pointer: byId.get(id)!.pointer,
  })
}
