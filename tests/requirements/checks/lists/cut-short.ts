import type { AnyRecord } from '../../../engine/data/records.ts'
import type { BaseListing, Listing } from '../../../engine/data/listing.ts'

const ORDERS = ['createdAt', 'updatedAt', 'releaseDate', 'name', 'order', 'id']
/** States that tell the records to which a list may keep. */
export const SCOPES: readonly string[] = [
  'isActive',
  'active',
  'isGroup',
  'isBot',
  'isOpen',
  'status',
  'channel',
  'userId',
  'queueId',
]

/** Limits are multiples of it. */
export const ROUND = 5

/** Orders that go with a state: what is to come is active. */
const ORDERS_OF_STATE = ['releaseDate']

/**
 * Whether the records that a list leaves out may be the ones beyond its limit, or outside of a scope that it keeps to:
 * several records at one end of some order, or told from all the others by one of their states. One record alone is
 * none of these: it is lost. So are those outside of a scope where no filter reaches them.
 */
export function mayBeCutShort(
  listed: readonly AnyRecord[],
  missing: readonly AnyRecord[],
  hasFilters: boolean,
): boolean {
  if (missing.length < 2 || listed.length === 0) return false
  const isScope = isKeptApart(listed, missing)
  if (isScope && hasFilters) return true
  return ORDERS.filter((field) => !(isScope && ORDERS_OF_STATE.includes(field))).some((field) =>
    isBeyond(valuesIn(listed, field), valuesIn(missing, field)),
  )
}

/**
 * Whether a list may be meant to leave out several records that narrower questions find: these are beyond its end, or each of
 * them is in a state that it does not show, or they alone have, or lack, something.
 */
export function mayBeMeant(
  listed: readonly AnyRecord[],
  missing: readonly AnyRecord[],
  fields: readonly string[],
): boolean {
  const isApart = keptApartFrom(listed)
  return (
    missing.every((one) => isApart([one])) ||
    fields.some((field) => {
      const has = Boolean(missing[0]![field])
      return (
        isBeyond(valuesIn(listed, field), valuesIn(missing, field)) ||
        (missing.every((one) => Boolean(one[field]) === has) && !listed.some((one) => Boolean(one[field]) === has))
      )
    })
  )
}

/** Whether a search or a filter may find more than it brought: it was cut short, or brought on one page as much as may be all that there comes. */
export function mayLackSome(all: BaseListing<unknown>, { complete, records: { length } }: Listing<unknown>): boolean {
  return !complete || (!all.paged && (isRound(length) || length >= all.records.length))
}

/** Whether so many records may be all that a target answers with: what it left out is then rightly found by another query. */
export function isRound(length: number): boolean {
  return length >= 10 && length % ROUND === 0
}

/** Whether one of their states tells the records that a list leaves out from all that it shows. */
export function isKeptApart(listed: readonly AnyRecord[], missing: readonly AnyRecord[]): boolean {
  return keptApartFrom(listed)(missing)
}

/** The same, for one list and whatever it leaves out. */
export function keptApartFrom(listed: readonly AnyRecord[]): (missing: readonly AnyRecord[]) => boolean {
  const states = [...SCOPES.map((field) => (record: AnyRecord) => record[field]), isSent].flatMap((stateOf) => {
    const shown = listed.map(stateOf)
    return isOftenShown(shown)
      ? [{ stateOf, shown: new Set<unknown>(shown.filter((value) => value !== undefined)) }]
      : []
  })
  return (missing) =>
    missing.length > 0 &&
    listed.length > 0 &&
    states.some(({ stateOf, shown }) => !missing.some((record) => shown.has(stateOf(record))))
}

/** Whether records tell a state: of one that few of them show, the others may be in the same one. */
export function isOftenShown(values: readonly unknown[]): boolean {
  return values.filter((value) => value !== undefined).length * 3 >= values.length
}

export function isSent({ sentAt }: AnyRecord): boolean {
  return sentAt !== undefined && sentAt !== null
}

function valuesIn(records: readonly AnyRecord[], field: string): readonly unknown[] {
  return records.map((record) => record[field])
}

function isBeyond(listed: readonly unknown[], missing: readonly unknown[]): boolean {
  const kinds = new Set([...listed, ...missing].map((value) => typeof value))
  if (kinds.size !== 1 || kinds.has('undefined')) return false
  return (
    missing.every((one) => listed.every((other) => isBefore(one, other))) ||
    missing.every((one) => listed.every((other) => isBefore(other, one)))
  )
}

/** Compares texts with texts and numbers with numbers. */
function isBefore(a: unknown, b: unknown): boolean {
  return (a as string) < (b as string)
}
