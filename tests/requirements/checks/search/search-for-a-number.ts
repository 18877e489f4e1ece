import { askable, idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'

/** A number as it is searched for. */
const NUMBER = /^\+?\d{10,}$/

/** A contact that a search finds by its number is not found by one that begins otherwise; what is alike may be found. */
export async function judgeSearchForANumber(trial: Trial): Promise<void> {
  const { records } = await trial.list('listContacts')
  const numbered = records.find(({ value }) => NUMBER.test(askable(value.number) ?? ''))
  const [id, number] = [idOf(numbered?.value), askable(numbered?.value.number)]
  if (!numbered || id === undefined || number === undefined) return
  const first = (Number(number.replace('+', '')[0]) + 5) % 10
  const another = first + trial.random.string.numeric({ length: number.length - 1, allowLeadingZeros: true })
  if (JSON.stringify(numbered.value).includes(another) || !(await trial.finds('listContacts', number, id))) return
  trial.count('searches')
  const found = (await trial.searched('listContacts', another)).byId.get(id)
  if (found)
    trial.fail({
      message: 'a search for a number found a contact that has another one',
      expected: `no contact with the number ${number} for "${another}"`,
      received: id,
      exchange: found.exchange,
      pointer: found.pointer,
    })
}
