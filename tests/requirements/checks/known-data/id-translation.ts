import { type AnyRecord, asText } from '../../../engine/data/records.ts'

/** A known record and the target's, of a kind (`contacts`, `groups` …). */
export interface PairOfKind {
  readonly kind: string
  readonly known: AnyRecord
  readonly listed: AnyRecord
}

/** The target's id for an id of the data set, found in a field of a kind of record; undefined where nothing tells. */
export type IdTranslation = (field: string, id: string, kind?: string) => string | undefined

export const ID_FIELD = /^(id|\w+Id)$/
const AN_ID_OF_ITS_OWN = 'an id of its own'

/** What an id names: ids of different kinds may be equal. */
function kindOfId(field: string, kind: string): string {
  if (field === 'id') return kind
  return { contactId: 'contacts', ticketId: 'tickets', campaignId: 'campaigns', userId: 'user' }[field] ?? field
}

/** How often an id of the data set met one of the target's. */
interface Vote {
  readonly kind: string
  readonly id: string
  readonly own: string
  readonly kept: boolean
  /** Whether it is a record's own, and not one that names another record. */
  isItsOwn: boolean
  count: number
}

/**
 * Reads off the pairs which id of the target's stands for which of the data set's.
 * @param foreign ids that the data set has in the other company alone: where one is shown, ids were kept, and mixed up.
 */
export function idTranslation(pairs: readonly PairOfKind[], foreign: ReadonlySet<string>): IdTranslation {
  const votes = new Map<string, Vote>()
  for (const { kind, known, listed } of pairs)
    for (const [field, id] of Object.entries(known)) {
      const own = asText(listed[field])
      if (!ID_FIELD.test(field) || typeof id !== 'string' || own === undefined) continue
      const idKind = kindOfId(field, kind)
      const key = `${idKind}\n${id}\n${own}`
      const vote = votes.get(key) ?? { kind: idKind, id, own, kept: own === id, isItsOwn: false, count: 0 }
      vote.isItsOwn ||= field === 'id'
      vote.count++
      votes.set(key, vote)
    }
  const all = [...votes.values()]
  const share = (kind: string): number => {
    const own = all.filter((vote) => vote.kind === kind)
    const sum = (some: typeof own): number => some.reduce((total, { count }) => total + count, 0)
    return sum(own.filter(({ kept }) => kept)) / sum(own)
  }
  const mixedUp = new Set(all.filter(({ own }) => foreign.has(own)).map(({ kind }) => kind))
  const kinds = new Set(all.map(({ kind }) => kind))
  const keptKinds = new Set([...kinds].filter((kind) => mixedUp.has(kind) || share(kind) > 0.5))
  const translation = new Map<string, string>()
  const taken = new Set<string>()
  // What a record's id is the record itself says; another that names it may be wrong.
  const ranked = all.toSorted((a, b) => Number(b.isItsOwn) - Number(a.isItsOwn) || b.count - a.count)
  for (const { kind, id, own } of ranked) {
    if (translation.has(`${kind} ${id}`) || taken.has(`${kind} ${own}`)) continue
    translation.set(`${kind} ${id}`, own)
    taken.add(`${kind} ${own}`)
  }
  const seen = new Set(all.map(({ kind, id }) => `${kind} ${id}`))
  return (field, id, kind = field) => {
    const idKind = kindOfId(field, kind)
    if (keptKinds.has(idKind)) return id
    const key = `${idKind} ${id}`
    return translation.get(key) ?? (seen.has(key) ? AN_ID_OF_ITS_OWN : undefined)
  }
}
