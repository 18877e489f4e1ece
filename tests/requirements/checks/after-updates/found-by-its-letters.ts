import { askable, idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import type { UpdateBody } from '../updates/update-body.ts'
import { eventually } from '../eventually.ts'
import { isSearchFor, searchFor } from './found-when-updated.ts'
import { isKept } from '../updates/kept.ts'

/** Letters beyond ASCII, and emoji, without a sign that a search may refuse. */
const OF_LETTERS = /^(?=.*\P{ASCII})[\p{L}\p{M}\p{Extended_Pictographic}\u200D ]+$/u

/** Kinds of letters that a search may fold, drop or refuse. */
const LETTERS = [
  /(?=\P{ASCII})\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Han}/u,
  /\p{Extended_Pictographic}/u,
  /[\u{10000}-\u{10FFFF}]/u,
]
const NAMES_TRIED = 2

/**
 * Whether a search for an updated name of letters beyond ASCII finds its contact, given time; undefined where none finds a name
 * with such letters that was not updated.
 */
export async function isFoundByItsLetters(
  trial: Trial,
  sent: UpdateBody,
  { value, exchange }: Located<Schemas['Contact']>,
): Promise<boolean | undefined> {
  const name = askable(value.name)
  if (sent.name === undefined || name === undefined || !OF_LETTERS.test(name) || !isKept('name', sent, value))
    return undefined
  if (isSearchFor(name, exchange)) return true
  const finds = async (): Promise<boolean | undefined> => (await searchFor(trial, name, idOf(value)!)).isFound
  const isFound = await finds()
  if (isFound !== false) return isFound
  for (const letters of LETTERS)
    if (letters.test(name) && !(await areFound(trial, letters, idOf(value)!))) return undefined
  return eventually(trial.session, finds, (one) => one !== false)
}

/** Whether a search finds a contact by a whole name with such letters. */
async function areFound(trial: Trial, letters: RegExp, except: string): Promise<boolean> {
  const { records } = await trial.list('listContacts')
  const named = records.filter(
    ({ value }) => ![undefined, except].includes(idOf(value)) && letters.test(askable(value.name) ?? ''),
  )
  for (const { value } of named.slice(0, NAMES_TRIED))
    if (await trial.finds('listContacts', askable(value.name)!, idOf(value)!)) return true
  return false
}
