import type { Exchange } from '../../engine/exchange.ts'
import { idOf, sameValue, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { beginChange, put, storedBody, UPDATE_FIELDS, updateBody, type UpdateField } from '../calls.ts'
import { TIED } from './fresh-values.ts'
import type { RoundTrip } from './round-trip.ts'
import { updateEveryField } from './update-every-field.ts'

/** Fewer contacts that change in the same way may have been changed by somebody else. */
const MOST = 3

/**
 * Another contact that takes on a text that was sent has been changed by the update, since nobody else could have sent
 * it. Other changes may be anybody's, unless most contacts change in the same way at once.
 */
export async function judgeOthers(trial: Trial): Promise<void> {
  const { trips: byField, walks } = await updateEveryField(trial)
  const trips = [...new Set(byField.values())]
  const updated = new Set(trips.map(({ contactId }) => contactId))
  const [before = [], ...later] = walks.map((walk) => walk.filter(({ value }) => !updated.has(idOf(value) ?? '')))
  const known = new Map(before.map((contact) => [idOf(contact.value), contact]))
  for (const { field, text, exchange } of textsSent(trips))
    for (const { value } of later.flat()) {
      const was = known.get(idOf(value))
      trial.count('other contacts')
      if (value[field] !== text || was?.value[field] === text) continue
      report(trial, was, field, value, exchange)
      if (was) await putBack(trial, was)
    }
  for (const walk of later)
    for (const field of trial.session.contract.comparableFields('Contact') as (keyof Schemas['Contact'])[]) {
      if (field === 'updatedAt') continue
      for (const changed of changedAlike(known, walk, field))
        for (const { was, value, exchange } of changed) report(trial, was, field, value, exchange)
    }
  if (!trial.examined['other contacts']) trial.notExercised('It takes an update that is let in, and a second contact.')
}

/** The texts of updates that no other contact can hold by chance. */
function textsSent(trips: readonly RoundTrip[]): { field: UpdateField; text: string; exchange: Exchange }[] {
  return trips.flatMap(({ sent, stored, exchange }) =>
    UPDATE_FIELDS.flatMap((field) => {
      const text = sent[field]
      const telling = typeof text === 'string' && text !== stored[field] && !TIED.includes(field)
      return telling ? [{ field, text, exchange }] : []
    }),
  )
}

interface Changed {
  readonly was: Located<Schemas['Contact']>
  readonly value: Schemas['Contact']
  readonly exchange: Exchange
}

/** Contacts that have all come to the same value of a field, where these are more than half of those that could. */
function changedAlike(
  known: ReadonlyMap<string | undefined, Located<Schemas['Contact']>>,
  now: readonly Located<Schemas['Contact']>[],
  field: keyof Schemas['Contact'],
): Changed[][] {
  const byValue = new Map<string, Changed[]>()
  const both = now.flatMap(({ value, exchange }) => {
    const was = known.get(idOf(value))
    return was ? [{ was, value, exchange }] : []
  })
  for (const one of both) {
    if (sameValue(one.was.value[field], one.value[field])) continue
    const key = JSON.stringify(one.value[field] ?? null)
    byValue.set(key, [...(byValue.get(key) ?? []), one])
  }
  const others = (key: string): number =>
    both.filter(({ was }) => JSON.stringify(was.value[field] ?? null) !== key).length
  return [...byValue].flatMap(([key, changed]) =>
    changed.length >= MOST && changed.length * 2 > others(key) ? [changed] : [],
  )
}

function report(
  trial: Trial,
  was: Located<Schemas['Contact']> | undefined,
  field: keyof Schemas['Contact'],
  now: Schemas['Contact'],
  exchange: Exchange,
): void {
  trial.fail({
    message: was ? `an update changed ${field} of another contact too` : 'an update created a contact',
    expected: was ? was.value[field] : 'no contact that was not there before',
    received: now[field],
    record: idOf(now),
    exchange,
    once: true,
  })
}

/** Sends the stored values of a contact back that an update has changed without being told to. */
export async function putBack(trial: Trial, contact: Located<Schemas['Contact']>): Promise<void> {
  beginChange(trial, contact.value, {})
  await put(trial, contact.value, await updateBody(trial, contact.value, storedBody(contact.value)))
}
