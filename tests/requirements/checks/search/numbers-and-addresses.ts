import { askable, idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { mayLackSome } from '../lists/cut-short.ts'
import { basisOfSearch } from './search.ts'
import { stateTraits } from './searchable.ts'
import { judgeServerError } from '../server-error.ts'
import { unlike } from '../unlike.ts'

/** Numbers and addresses that every search reads alike; a plus sign stands for a blank where a query is decoded twice. */
const PLAIN = { number: /^\d{8,15}$/, email: /^[a-z0-9.]+(\+[a-z0-9.]+)?@[a-z0-9.]+$/i } as const

/** Contacts of which each state of the others is had by one, as few as have them. */
const TRIED = 3

/** As many contacts, each found by its own, leave no doubt that the search looks at such texts. */
const WITNESSES = 2

type Contact = Located<Schemas['Contact']>

/** Whether a search looks at numbers and addresses is open; one that finds some contacts by theirs finds others by theirs, in whatever state. */
export async function judgeNumbersAndAddresses(trial: Trial): Promise<void> {
  const all = await trial.list('listContacts')
  for (const [field, pattern] of Object.entries(PLAIN) as [keyof typeof PLAIN, RegExp][]) {
    const textOf = ({ value }: Contact): string => askable(value[field]) ?? ''
    const candidates = all.records.filter((one) => idOf(one.value) !== undefined && pattern.test(textOf(one)))
    const isFound = async (one: Contact): Promise<boolean> => {
      const found = await trial.searched('listContacts', textOf(one), {}, { wanted: new Set([idOf(one.value)!]) })
      judgeServerError(trial, found, `a search for a contact's ${field}`)
      return found.byId.has(idOf(one.value)!)
    }
    const traitsOf = (one: Contact): string[] => [
      ...stateTraits(one.value),
      ...(textOf(one).includes('+') ? ['has a plus sign'] : []),
    ]
    const tried = unlike(candidates, traitsOf, TRIED)
    const found = await trial.each(tried, isFound)
    trial.count('searches', tried.length)
    const lost = tried.filter((_, index) => !found[index])
    // A search may not look at them at all.
    for (const one of lost) {
      // Those in other states first: what is in the same may be lost as well.
      const states = new Set(stateTraits(one.value))
      const inSame = ({ value }: Contact): number => stateTraits(value).filter((state) => states.has(state)).length
      const like = candidates
        .filter((other) => !lost.includes(other) && isAlike(textOf(one), textOf(other)))
        .toSorted((a, b) => inSame(a) - inSame(b))
      const witnesses = await trial.each(like.slice(0, WITNESSES), isFound)
      if (witnesses.filter(Boolean).length < WITNESSES) continue
      const searched = await trial.searched('listContacts', textOf(one), {}, { wanted: new Set([idOf(one.value)!]) })
      if (!searched.exchange || mayLackSome(all, searched)) continue
      trial.differ(
        {
          message: `a search for a contact's ${field} did not find it, though others are found by theirs`,
          expected: `the contact ${idOf(one.value)}, for "${textOf(one)}"`,
          received: `${searched.records.length} other record(s)`,
          exchange: searched.exchange,
        },
        ...basisOfSearch('listContacts', one.value),
      )
    }
  }
}

/** Whether what finds one finds the other: a number of the same length, or an address of the same host, or without a plus sign. */
function isAlike(one: string, other: string): boolean {
  if (one.includes('+') && !other.includes('+')) return true
  return one.includes('@') ? one.split('@')[1] === other.split('@')[1] : one.length === other.length
}
