import { sameValue, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { inForm, type UpdateField } from '../updates/update-body.ts'
import { freshValues } from '../updates/fresh-values.ts'
import { roundTrips, type RoundTrip } from '../updates/round-trip.ts'

/**
 * So often a contact is updated again or not, as chance will have it: what somebody else changes follows each update, and
 * never comes without one, in one of 2 to the power of so many series.
 */
const SERIES = 24

/** What an update changes elsewhere may take a moment, as in a queue. */
export const SETTLING_MS = 300

/** A view that each update brings up to date is brought up to date without one, too, at least so often. */
const STILL_MS = 6500
const LOOKS_WHILE_STILL = 13

/**
 * What of the things that are watched changes as often as one of some contacts is updated, and never while none is, be it
 * for some seconds.
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
  // Of replicas that answer in turn, and show lists otherwise, no look is always at the same one.
  const lookOutOfTurn = async (): Promise<ReadonlyMap<T, string>> => {
    if (trial.random.datatype.boolean()) await trial.session.attempt('listContacts')
    return look()
  }
  for (const contact of contacts) {
    const following = await followsUpdatesOf(trial, contact, sets, lookOutOfTurn, reset)
    const still = following.size > 0 ? await standingStill(trial, following, lookOutOfTurn) : following
    if (still.size > 0) return still
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
  const { run } = trial.session
  const { exchanges } = run.evidence
  let following: ReadonlySet<T> | undefined
  let last = { requests: 0, durationMs: 0 }
  for (let at = 0; at < SERIES && following?.size !== 0; at++) {
    await reset()
    const before = await look()
    const seen: ReadonlyMap<T, string>[] = []
    const watch = async (): Promise<void> => void seen.push(await look())
    const isUpdated = at === 0 || trial.random.datatype.boolean()
    const [since, sent] = [run.now, exchanges.length]
    if (isUpdated) {
      await update(trial, contact, sets, watch)
      last = { requests: exchanges.length - sent, durationMs: run.now - since }
      await trial.session.pause(SETTLING_MS)
    } else {
      // What others change, be it at each request, they have the same occasions to change.
      await trial.session.pause(last.durationMs / 2)
      while (exchanges.length - sent < last.requests) await watch()
      await trial.session.pause(last.durationMs / 2 + SETTLING_MS)
    }
    await watch()
    const follows = (one: T): boolean => seen.some((now) => now.get(one) !== before.get(one)) === isUpdated
    following = new Set([...(following ?? before.keys())].filter(follows))
  }
  return following ?? new Set()
}

async function standingStill<T>(
  trial: Trial,
  things: ReadonlySet<T>,
  look: () => Promise<ReadonlyMap<T, string>>,
): Promise<ReadonlySet<T>> {
  const before = await look()
  let still = things
  for (let looks = 0; looks < LOOKS_WHILE_STILL && still.size > 0; looks++) {
    await trial.session.pause(STILL_MS / LOOKS_WHILE_STILL)
    const now = await look()
    still = new Set([...still].filter((one) => now.get(one) === before.get(one)))
  }
  return still
}

async function update(
  trial: Trial,
  contact: Located<Schemas['Contact']>,
  sets: readonly (readonly UpdateField[])[],
  watch: () => Promise<void>,
): Promise<void> {
  const fresh = await freshValues(trial, contact)
  const steps = sets.map((fields) => ({ changes: inForm(fresh, fields), meanwhile: watch }))
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
