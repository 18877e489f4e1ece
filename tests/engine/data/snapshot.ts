import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { RunEnded } from '../time/clock.ts'
import { baseListing, filteredListing, type Listing } from './listing.ts'
import { idOf, type ListOperation, type Located } from './records.ts'
import type { Session } from '../judging/session.ts'
import { Unanswered } from '../trouble/unanswered.ts'

/**
 * Data that a comparison rests on: a record of a list, all of its records, one member of those that stay in it, that
 * nobody deletes a record, or the order and membership of a list or a filtered one.
 */
export type Basis =
  | { readonly operation: ListOperation; readonly id: string | undefined }
  | { readonly operation: ListOperation; readonly member: string }
  | ListedStill
  | { readonly everythingIn: ListOperation }
  | FilteredList
  | ListOperation

/** Values, as JSON, in which nothing could be another. */
const EMPTY: ReadonlySet<string> = new Set(['null', '[]', '{}'])

/** That a record is missing for no other's doing: who deletes records deletes others, too. */
interface ListedStill {
  readonly operation: ListOperation
  readonly listed: string
}

/** A filtered list may hold what the whole one does not show, and then moves by itself. */
interface FilteredList {
  readonly filtered: ListOperation
  readonly query: Readonly<Record<string, string>>
}

interface Content {
  readonly order: string
  readonly listing: Listing<object>
  /** The fields that the document shows of a record. */
  readonly names: readonly string[]
  /** What the document shows of a record, as one text. */
  readonly documented: (record: Located<object>) => string
  /** All records in one digest, made when it is first needed: thousands of findings may rest on it. */
  everything?: string
}

/** The documented content of lists in one pass: what another pass is compared with. */
export class Snapshot {
  readonly #lists: ReadonlyMap<string, Content>

  private constructor(lists: ReadonlyMap<string, Content>) {
    this.#lists = lists
  }

  /** Takes what the session's present look has seen, or sees now, of the lists in which some data are. */
  static async take(session: Session, bases: readonly Basis[]): Promise<Snapshot> {
    const lists = new Map<string, Content>()
    for (const [key, list] of new Map(bases.map((basis) => [keyOf(listOf(basis)), listOf(basis)]))) {
      const content = await contentOf(session, list)
      if (content) lists.set(key, content)
    }
    return new Snapshot(lists)
  }

  /** Whether a basis was seen in two snapshots, and was the same. */
  isSame(basis: Basis, other: Snapshot): boolean {
    if (isListedStill(basis)) return this.#isListedStill(basis, other)
    if (typeof basis === 'object' && 'member' in basis) return this.#isMemberSame(basis, other)
    const seen = this.#textOf(basis)
    return seen !== undefined && other.#textOf(basis) === seen
  }

  /** Whether any of its lists was not seen in another snapshot, or held other records there. */
  hasMoved(other: Snapshot): boolean {
    return [...this.#lists].some(([key, list]) => {
      const now = other.#lists.get(key)
      return !now || digestOf(list) !== digestOf(now)
    })
  }

  /** The fields that every record which has them shows otherwise in two snapshots: nobody changes all at once, each time. */
  restlessFields(basis: Basis, other: Snapshot): readonly string[] {
    const [before, after] = [this, other].map((snapshot) => snapshot.#lists.get(keyOf(listOf(basis))))
    const pairs = [...(before?.listing.byId ?? [])].flatMap(([id, { value }]) => {
      const now = after?.listing.byId.get(id)?.value
      return now ? [[value, now] as readonly Record<string, unknown>[]] : []
    })
    return (before?.names ?? []).filter((name) => {
      const shown = pairs.filter((pair) => pair.every((record) => !EMPTY.has(JSON.stringify(record[name] ?? null))))
      return shown.length > 1 && shown.every(([was, is]) => !isDeepStrictEqual(was![name], is![name]))
    })
  }

  #isMemberSame({ operation, member }: { operation: ListOperation; member: string }, other: Snapshot): boolean {
    const [before, after] = [this, other].map((snapshot) => snapshot.#lists.get(keyOf(operation))?.listing.byId)
    if (!before || !after) return false
    const valueOf = (record: Located<object>) => (record.value as Record<string, unknown>)[member]
    return [...before].every(([id, record]) => {
      const same = after.get(id)
      return same === undefined || isDeepStrictEqual(valueOf(record), valueOf(same))
    })
  }

  #isListedStill({ operation, listed }: ListedStill, other: Snapshot): boolean {
    const [before, after] = [this, other].map((snapshot) => snapshot.#lists.get(keyOf(operation))?.listing.byId)
    if (!before || !after) return false
    return after.has(listed) || [...before.keys()].every((id) => id === listed || after.has(id))
  }

  /** A text that is the same at two looks only where the basis is; undefined where it wasn't seen. */
  #textOf(basis: Exclude<Basis, ListedStill | { member: string }>): string | undefined {
    const list = this.#lists.get(keyOf(listOf(basis)))
    if (typeof basis === 'string' || 'filtered' in basis) return list?.order
    if ('everythingIn' in basis) return list && digestOf(list)
    const record = basis.id === undefined ? undefined : list?.listing.byId.get(basis.id)
    return record && list!.documented(record)
  }
}

export function isListedStill(basis: Basis): basis is ListedStill {
  return typeof basis === 'object' && 'listed' in basis
}

/** The list that holds what a comparison rests on. */
function listOf(basis: Basis): ListOperation | FilteredList {
  if (typeof basis === 'string' || 'filtered' in basis) return basis
  return 'everythingIn' in basis ? basis.everythingIn : basis.operation
}

/** The operation whose list a basis is about. */
export function operationOf(basis: Basis): ListOperation {
  const list = listOf(basis)
  return typeof list === 'string' ? list : list.filtered
}

function keyOf(list: ListOperation | FilteredList): string {
  return JSON.stringify(list)
}

/** A digest of all records of a list, which may be very many. */
function digestOf(list: Content): string {
  return (list.everything ??= everythingIn(list))
}

function everythingIn({ listing, documented }: Content): string {
  const digest = createHash('sha256')
  for (const record of listing.records.toSorted(byId)) digest.update(documented(record))
  return digest.digest('hex')
}

function byId(a: Located<object>, b: Located<object>): number {
  const [one = '', other = ''] = [idOf(a.value), idOf(b.value)]
  return one < other ? -1 : Number(one > other)
}

/** Undefined where the list can't be had, or the run has ended: nothing then tells that it has not moved. */
async function listedNow(session: Session, list: ListOperation | FilteredList): Promise<Listing<object> | undefined> {
  try {
    if (typeof list === 'string') return await baseListing(session, list)
    return await filteredListing(session, list.filtered, list.query, { refusable: true })
  } catch (error) {
    if (error instanceof Unanswered || error instanceof RunEnded) return undefined
    throw error
  }
}

async function contentOf(session: Session, list: ListOperation | FilteredList): Promise<Content | undefined> {
  const listing = await listedNow(session, list)
  if (!listing) return undefined
  const operation = typeof list === 'string' ? list : list.filtered
  const names = session.contract.comparableFields(session.contract.operation(operation).schema)
  const ids = listing.records.map(({ value }) => idOf(value) ?? '')
  return {
    // Only a walk through pages depends on their order.
    order: JSON.stringify(listing.pages[0]?.number === undefined ? ids.toSorted() : ids),
    listing,
    names,
    documented: ({ value }) => JSON.stringify(names.map((name) => (value as Record<string, unknown>)[name])),
  }
}
