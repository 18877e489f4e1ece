import { sameValue, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import type { UpdateBody, UpdateField } from '../calls.ts'
import { freshValues } from './fresh-values.ts'
import { roundTrips, type RoundTrip } from './round-trip.ts'

/**
 * So often a contact is updated again or not, as chance will have it: what somebody else changes follows each update, and
 * never comes without one, in one of 2 to the power of so many series.
 */
const SERIES = 24

/**
 * What of the things that are watched changes as often as one of some contacts is updated, and never while none is.
 * @param trips updates that were accepted: the same fields are changed again.
 * @param look gives each thing that is watched with its value as it is now.
 * @param reset puts what is watched back, where that may be done.
 */
export async function followsUpdates<T>(
  trial: Trial,
  contacts: readonly Located<Schemas['Contact']>[],
  trips: Iterable<RoundTrip>,
  look: () => Promise<ReadonlyMap<T, string>>,
  reset: () => Promise<void>,
): Promise<ReadonlySet<T>> {
  const sets = [...new Set(trips)].filter(({ accepted }) => accepted).map(changedFields)
  for (const contact of contacts) {
    const following = await followsUpdatesOf(trial, contact, sets, look, reset)
    if (following.size > 0) return following
  }
  return new Set()
}

async function followsUpdatesOf<T>(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  sets: readonly (readonly UpdateField[])[],
  look: () => Promise<ReadonlyMap<T, string>>,
  reset: () => Promise<void>,
): Promise<ReadonlySet<T>> {
  const { exchanges } = trial.session.evidence
  let following: ReadonlySet<T> | undefined
  let last = { requests: 0, durationMs: 0 }
  for (let at = 0; at < SERIES && following?.size !== 0; at++) {
    await reset()
    const before = await look()
    const seen: ReadonlyMap<T, string>[] = []
    const watch = async (): Promise<void> => void seen.push(await look())
    const isUpdated = at === 0 || trial.random.datatype.boolean()
    const [since, sent] = [performance.now(), exchanges.length]
    if (isUpdated) {
      await update(trial, contact, sets, watch)
      last = { requests: exchanges.length - sent, durationMs: performance.now() - since }
    } else {
      // What others change, be it at each request, they have the same occasions to change.
      await trial.session.pause(last.durationMs / 2)
      while (exchanges.length - sent < last.requests) await watch()
      await trial.session.pause(last.durationMs / 2)
      await watch()
    }
    const follows = (one: T): boolean => seen.some((now) => now.get(one) !== before.get(one)) === isUpdated
    following = new Set([...(following ?? before.keys())].filter(follows))
  }
  return following ?? new Set()
}

async function update(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  sets: readonly (readonly UpdateField[])[],
  watch: () => Promise<void>,
): Promise<void> {
  const fresh = await freshValues(trial, contact)
  const steps = sets.map((fields) => ({ changes: pick(fresh, fields), meanwhile: watch }))
  await roundTrips(
    trial,
    contact,
    steps.filter(({ changes }) => Object.keys(changes).length > 0),
  )
  await watch()
}

function changedFields({ sent, stored }: RoundTrip): readonly UpdateField[] {
  return (Object.keys(sent) as UpdateField[]).filter((field) => !sameValue(sent[field], stored[field]))
}

function pick(values: UpdateBody, fields: readonly UpdateField[]): UpdateBody {
  return Object.fromEntries(fields.filter((field) => field in values).map((field) => [field, values[field]]))
}
