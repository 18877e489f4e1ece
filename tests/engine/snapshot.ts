import { RunEnded } from './clock.ts'
import { baseListing, type BaseListing } from './listing.ts'
import { idOf, type ListOperation } from './records.ts'
import type { Session } from './session.ts'
import { Unanswered } from './unanswered.ts'

/** Data that a comparison rests on: a record of a list, all of its records, or the list's order and membership. */
export type Basis =
  | { readonly operation: ListOperation; readonly id: string | undefined }
  | { readonly everythingIn: ListOperation }
  | ListOperation

interface Content {
  readonly order: string
  readonly records: ReadonlyMap<string, string>
  /** All records in one text, made when it is first needed: thousands of findings may rest on it. */
  everything?: string
}

export function listOf(basis: Basis): ListOperation {
  if (typeof basis === 'string') return basis
  return 'everythingIn' in basis ? basis.everythingIn : basis.operation
}

/** The documented content of lists in one pass: what another pass is compared with. */
export class Snapshot {
  readonly #lists: ReadonlyMap<ListOperation, Content>

  private constructor(lists: ReadonlyMap<ListOperation, Content>) {
    this.#lists = lists
  }

  /** Takes what the session's present look has seen, or sees now, of some lists. */
  static async take(session: Session, operations: ReadonlySet<ListOperation>): Promise<Snapshot> {
    const lists = new Map<ListOperation, Content>()
    for (const operation of operations) {
      const content = await contentOf(session, operation)
      if (content) lists.set(operation, content)
    }
    return new Snapshot(lists)
  }

  /** A text that is the same at two looks only where the basis is; undefined where it wasn't seen. */
  of(basis: Basis): string | undefined {
    const list = this.#lists.get(listOf(basis))
    if (typeof basis === 'string') return list?.order
    if ('everythingIn' in basis) return list && (list.everything ??= JSON.stringify([...list.records].toSorted(byId)))
    return basis.id === undefined ? undefined : list?.records.get(basis.id)
  }
}

function byId([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1
}

/** Undefined where the list can't be had, or the run has ended: nothing then tells that it has not moved. */
async function listedNow(session: Session, operation: ListOperation): Promise<BaseListing<object> | undefined> {
  try {
    return await baseListing(session, operation)
  } catch (error) {
    if (error instanceof Unanswered || error instanceof RunEnded) return undefined
    throw error
  }
}

async function contentOf(session: Session, operation: ListOperation): Promise<Content | undefined> {
  const listing = await listedNow(session, operation)
  if (!listing) return undefined
  const names = session.contract.comparableFields(session.contract.operation(operation).schema)
  const documented = (record: object): string =>
    JSON.stringify(names.map((name) => (record as Record<string, unknown>)[name]))
  const ids = listing.records.map(({ value }) => idOf(value) ?? '')
  return {
    // Only a walk through pages depends on their order.
    order: JSON.stringify(listing.paged ? ids : ids.toSorted()),
    records: new Map(listing.records.map(({ value }) => [idOf(value) ?? '', documented(value)])),
  }
}
