import { sameValue } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { updatableContact } from './learn-updates.ts'
import { similarTo } from '../../unknown-value.ts'
import { inForm, storedBody, UPDATE_BOOLEANS, UPDATE_TEXTS, type UpdateBody } from './update-body.ts'
import { freshValues, TIED } from './fresh-values.ts'
import { isKept } from './kept.ts'
import { roundTrips, type Step } from './round-trip.ts'
import { updateEveryField } from './update-every-field.ts'
import { judgeValueOfAnother, valuesOfOthers } from './value-of-another.ts'

/** What is done with such a value is open, but not what a contact then shows. */
export async function judgeWrongType(trial: Trial): Promise<void> {
  const contact = await updatableContact(trial)
  const stored = storedBody(contact.value)
  const field = UPDATE_TEXTS.findLast((name) => stored[name] !== undefined && !TIED.includes(name))
  if (field === undefined) return trial.notExercised('Needs a contact that shows a text.')
  // What is wrong may be found after some of the rest has been stored, of which each update has other texts; a flag anybody may have changed.
  const { trips: plain } = await updateEveryField(trial)
  const changeable = UPDATE_TEXTS.filter((one) => plain.get(one)?.accepted && !TIED.includes(one))
  const besides = async (of = contact): Promise<UpdateBody> => inForm(await freshValues(trial, of), changeable)
  const number = { ...(await besides()), [field]: trial.random.number.int({ min: 10_000, max: 99_999 }) }
  const { chatappId } = stored
  const noConnection =
    chatappId === undefined ? [] : [{ ...(await besides()), chatappId: similarTo(chatappId, trial.random) }]
  const taken = await valuesOfOthers(trial, changeable, besides)
  const flag = UPDATE_BOOLEANS.find((one) => one !== 'isGroup' && stored[one] !== undefined)
  const noFlag = flag === undefined ? [] : [{ ...(await besides()), [flag]: 'yes' }]
  // What is likeliest to be accepted comes first, as it overwrites what a refusal before it may have stored.
  const [own, ofOthers] = [taken.filter(({ by }) => by === contact), taken.filter(({ by }) => by !== contact)]
  const wrong: UpdateBody[] = [number, { [field]: null }, ...own.map(({ body }) => body), ...noConnection, ...noFlag]
  const trips = [...(await roundTrips(trial, contact, stepsOf(wrong)))]
  for (const { by, body } of ofOthers) trips.push(...(await roundTrips(trial, by, stepsOf([body]))))
  for (const { accepted, carriedOut, after, exchange, sent, stored: before } of trips) {
    trial.count('updates')
    const shown = after?.value[field] as unknown
    if (accepted && (typeof shown === 'number' || shown === null))
      trial.fail({
        message: `${shown === null ? 'null' : 'a number'} was stored where the field is a text`,
        expected: 'a refusal, or a text',
        received: shown,
        exchange: after?.exchange ?? exchange,
        pointer: after ? `${after.pointer}/${field}` : '',
      })
    if (accepted && !sameValue(sent.name, before.name) && !(after && isKept('name', sent, after.value)))
      trial.fail({
        message: 'an update with a wrong value was accepted, and nothing of it stored',
        expected: `a refusal, or the name "${sent.name}"`,
        received: after?.value.name,
        exchange,
      })
    if (carriedOut)
      trial.fail({
        message: `an update with a wrong value was refused, and its ${carriedOut.field} stored`,
        expected: before[carriedOut.field],
        received: carriedOut.contact.value[carriedOut.field],
        exchange,
      })
  }
  for (const one of taken) {
    const trip = trips.find(({ sent }) => sameValue(one.body[one.field], sent[one.field]))
    if (trip) await judgeValueOfAnother(trial, one, trip)
  }
}

function stepsOf(bodies: readonly UpdateBody[]): readonly Step[] {
  return bodies.map((changes) => ({ changes, refusable: true }))
}
