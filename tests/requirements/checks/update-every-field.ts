import { idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { UPDATE_BOOLEANS, updatableContacts, type UpdateBody, type UpdateField } from '../calls.ts'
import { freshValues, TIED } from './fresh-values.ts'
import { roundTrip, walkAfresh, type RoundTrip } from './round-trip.ts'

/** Changed alone, so that one can't pass for another; isGroup last: a target may let nobody update a group any more. */
const APART: readonly UpdateField[] = [...UPDATE_BOOLEANS].toSorted((a) => (a === 'isGroup' ? 1 : -1))

/** What became of updates of every field, and of the whole list of contacts meanwhile. */
interface Updated {
  /** The update that changed a field, or the last that was to. */
  readonly trips: ReadonlyMap<UpdateField, RoundTrip>
  /** The list before any update, while each contact's texts were changed, and after the last update. */
  readonly walks: readonly (readonly Located<Schemas['Contact']>[])[]
  /** A contact in the whole list, while an update of it was to show there. */
  readonly listed: ReadonlyMap<RoundTrip, Located<Schemas['Contact']>>
}

/** One update that changes every field at once or, where that is refused, one update a field. */
export function updateEveryField(trial: Trial): Promise<Updated> {
  return trial.session.remember('update every field', async () => {
    const trips = new Map<UpdateField, RoundTrip>()
    const listed = new Map<RoundTrip, Located<Schemas['Contact']>>()
    const contacts = await updatableContacts(trial)
    const walks = [(await trial.list('listContacts')).records]
    // A long list that comes again unchanged is kept once.
    const known = new Map(walks[0]!.map((record) => [record.value, record]))
    const look = async (): Promise<void> =>
      void walks.push((await walkAfresh(trial)).contacts.map((record) => known.get(record.value) ?? record))
    for (const contact of contacts) {
      const changes = await freshValues(trial, contact)
      const fields = (Object.keys(changes) as UpdateField[]).filter((field) => !trips.has(field))
      const free = fields.filter((field) => !APART.includes(field))
      const together = await roundTrip(trial, contact, pick(changes, free), look)
      const own = walks.at(-1)!.find(({ value }) => idOf(value) === together.contactId)
      if (together.accepted && own) listed.set(together, own)
      if (together.accepted) for (const field of free) trips.set(field, together)
      for (const field of fields) {
        if (trips.has(field)) continue
        const own = TIED.includes(field) ? TIED.filter((tied) => tied in changes) : [field]
        const isSeenAfterwards = APART.includes(field) && !isAlike(walks[0]!, field)
        trips.set(field, await roundTrip(trial, contact, pick(changes, own), isSeenAfterwards ? undefined : look))
      }
    }
    await look()
    return { trips, walks, listed }
  })
}

/** Whether all contacts show one value, which would be theirs again once it is put back. */
function isAlike(contacts: readonly Located<Schemas['Contact']>[], field: UpdateField): boolean {
  return new Set(contacts.map(({ value }) => JSON.stringify(value[field]))).size === 1
}

function pick(changes: UpdateBody, fields: readonly UpdateField[]): UpdateBody {
  return Object.fromEntries(fields.map((field) => [field, changes[field]]))
}
