import { queryOf } from '../../../engine/http/exchange.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import { idOf, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Probe } from '../../../engine/judging/session.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatableContact } from '../updates/learn-updates.ts'
import { inForm, UPDATE_FIELDS, type UpdateField } from '../updates/update-body.ts'
import { PATIENCE_MS } from '../eventually.ts'
import { freshValues, TIED } from '../updates/fresh-values.ts'
import { kept } from '../updates/kept.ts'
import { isReadBack, roundTrip } from '../updates/round-trip.ts'
import { lookOnce, placesOf, staleFields, type Shown } from './shown-elsewhere.ts'
import { updateEveryField } from '../updates/update-every-field.ts'

type Contact = Located<Schemas['Contact']>

/** Changed together, or such that a target may refuse to change it back. */
const KEPT_OUT: readonly UpdateField[] = [...TIED, 'isGroup']

/** As many requests at once reach each of a few servers that answer in turn. */
const AT_ONCE = 9

/**
 * Of several servers behind one address, one may never hear of an update: once it had time to show on all of them, no answer
 * shows the contact as it was before, where another does not.
 */
export async function judgeShownByAll(trial: Trial): Promise<void> {
  const contact = await updatableContact(trial)
  const id = idOf(contact.value)!
  const { trips, seen } = await updateEveryField(trial)
  const fresh = await freshValues(trial, contact)
  const fields = UPDATE_FIELDS.filter(
    (field) => field in fresh && !KEPT_OUT.includes(field) && isReadBack(trips.get(field), field),
  )
  const changes = inForm(fresh, fields)
  await roundTrip(trial, contact, changes, async (after) => {
    if (!after) return
    await trial.session.pause(PATIENCE_MS)
    const changed = kept(changes, after)
    const listed = (await trial.list('listContacts')).byId.get(id)
    const queries = [
      ...(listed ? [queryOf(listed.exchange)] : []),
      ...(changed.name !== undefined && seen.found.get('name') ? [{ searchParam: changed.name }] : []),
    ]
    for (const query of queries) {
      const probes = await atOnce(() => trial.session.attempt('listContacts', { query }))
      judgeListed(
        trial,
        probes.filter(({ success }) => success),
        { changed, before: contact.value },
      )
    }
    for (const place of await placesOf(trial, id)) {
      const looks = await atOnce(() => lookOnce(trial, id, place))
      judgeAlike(trial, looks, { changed, before: place.contact })
    }
  })
}

/** A list shows an updated contact in all of several answers, or in none: it may be on another page by its new name. */
function judgeListed(trial: Trial, probes: readonly Probe[], update: Omit<Shown, 'now'>): void {
  const id = idOf(update.before)!
  const answers = probes.map((probe) => ({
    exchange: probe.exchange,
    own: recordsOf(trial.session, 'listContacts', probe).filter(({ value }) => idOf(value) === id),
  }))
  judgeAlike(
    trial,
    answers.map(({ own }) => own),
    update,
  )
  const without = answers.filter(({ own }) => own.length === 0)
  if (without.length === 0 || without.length === answers.length) return
  trial.differ(
    {
      message: `of ${answers.length} answers to the same request, ${without.length} do not show an updated contact, though the update had time to show`,
      expected: `the contact ${id}`,
      received: 'not that contact',
      exchange: without[0]!.exchange,
    },
    { operation: 'listContacts', listed: id },
  )
}

function atOnce<T>(look: () => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, look))
}

/** @param looks what each of several answers to the same request shows of an updated contact. */
function judgeAlike(trial: Trial, looks: readonly (readonly Contact[])[], update: Omit<Shown, 'now'>): void {
  const shown = looks.flatMap(([now]) => (now ? [{ ...update, now }] : []))
  trial.count('looks at an update', shown.length)
  const stale = shown.filter((one) => staleFields(one).length > 0)
  const [first] = stale
  if (!first || stale.length === shown.length) return
  const [field] = staleFields(first)
  const { exchange, pointer, value } = first.now
  trial.fail({
    message: `of ${shown.length} answers to the same request, ${stale.length} show an updated ${field} as it was before, though the update had time to show`,
    expected: update.changed[field!],
    received: value[field!],
    exchange,
    pointer: `${pointer}/${field}`,
  })
}
