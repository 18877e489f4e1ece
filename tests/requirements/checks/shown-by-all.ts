import { queryOf } from '../../engine/exchange.ts'
import { recordsOf } from '../../engine/listing.ts'
import { idOf, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { updatableContact } from '../learn-updates.ts'
import { inForm, UPDATE_TEXTS } from '../update-body.ts'
import { PATIENCE_MS } from './eventually.ts'
import { freshValues, TIED } from './fresh-values.ts'
import { kept } from './kept.ts'
import { isReadBack, roundTrip } from './round-trip.ts'
import { lookOnce, placesOf, staleFields, type Shown } from './shown-elsewhere.ts'
import { updateEveryField } from './update-every-field.ts'

type Contact = Located<Schemas['Contact']>

/** As many requests at once reach each of a few servers that answer in turn. */
const AT_ONCE = 9

/**
 * Of several servers behind one address, one may never hear of an update: once it had time to show on all of them, no answer
 * shows the contact as it was before, where another does not.
 */
export async function judgeShownByAll(trial: Trial): Promise<void> {
  const contact = await updatableContact(trial)
  const id = idOf(contact.value)!
  const { trips } = await updateEveryField(trial)
  const changes = await freshValues(trial, contact)
  const texts = UPDATE_TEXTS.filter(
    (field) => field in changes && !TIED.includes(field) && isReadBack(trips.get(field), field),
  )
  await roundTrip(trial, contact, inForm(changes, texts), async (after) => {
    if (!after) return
    await trial.session.pause(PATIENCE_MS)
    const changed = kept(inForm(changes, texts), after)
    const query = queryOf(after.exchange)
    const probes = await atOnce(() => trial.session.attempt('listContacts', { query }))
    const answers = probes
      .filter(({ success }) => success)
      .map((probe) => ({
        exchange: probe.exchange,
        own: recordsOf(trial.session, 'listContacts', probe).filter(({ value }) => idOf(value) === id),
      }))
    judgeAlike(
      trial,
      answers.map(({ own }) => own),
      { changed, before: contact.value },
    )
    const without = answers.filter(({ own }) => own.length === 0)
    if (without.length > 0 && without.length < answers.length)
      trial.differ(
        {
          message: `of ${answers.length} answers to the same request, ${without.length} do not show an updated contact, though the update had time to show`,
          expected: `the contact ${id}`,
          received: 'not that contact',
          exchange: without[0]!.exchange,
        },
        { operation: 'listContacts', listed: id },
      )
    for (const place of await placesOf(trial, id)) {
      const looks = await atOnce(() => lookOnce(trial, id, place))
      judgeAlike(trial, looks, { changed, before: place.contact })
    }
  })
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
