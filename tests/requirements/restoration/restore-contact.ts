import type { Change } from '../../engine/judging/changes.ts'
import type { Company } from '../../engine/http/credentials.ts'
import { type AnyRecord, type Schemas, idOf } from '../../engine/data/records.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import { untilItShows } from '../checks/updates/until-it-shows.ts'
import { type BodyField, FORMS, inForm, storedValue } from '../checks/updates/update-body.ts'
import { isAsItWas, isTakenAway, leftFields } from './as-it-was.ts'
import { isOfItsCompany, lookUp, NotAnswered, unlessNotAnswered } from './look-up.ts'
import { isAccepted, sendForms, sendOnceUnlocked } from './send-back.ts'
import { nameOf, whatIsLeft } from './what-is-left.ts'

type Contact = Schemas['Contact']

/**
 * Puts one contact back, which counts only when it is seen as it was. A contact that is gone can't be, and need not.
 * @returns what is left, in a sentence.
 * @throws NotAnswered where it can't be seen.
 */
export async function restore(trial: Trial, change: Change): Promise<string | undefined> {
  const before = await lookUp(trial, change).catch(unlessNotAnswered)
  const seen = before instanceof NotAnswered ? undefined : before
  if (seen && !change.isPending && isAsItWas(change, seen)) return settle(trial, change)
  const bodies = bodiesFor(change, seen)
  const wasAccepted = await isAccepted(trial, change, seen ? bodies : bodies.slice(0, 1), seen !== undefined)
  if (before === undefined && !wasAccepted)
    return change.isEarlier && !(await isOfItsCompany(trial, change))
      ? `${nameOf(change)} is not listed: give the tokens that the run had or, if it was deleted, remove the journal`
      : settle(trial, change)
  if (before instanceof NotAnswered && !wasAccepted) throw before
  const untilItIsBack = (): Promise<Contact | NotAnswered | undefined> =>
    untilItShows(
      trial.session,
      () => lookUp(trial, change),
      (seen) => isAsItWas(change, seen),
    ).catch(unlessNotAnswered)
  const first = await (wasAccepted ? untilItIsBack() : lookUp(trial, change).catch(unlessNotAnswered))
  // Of a target that takes one field at a time, what was accepted is a part: the rest is sent field by field.
  const now = first instanceof NotAnswered ? undefined : first
  const fields = now && wasAccepted ? leftFields(change, now) : []
  const crossed = now && crossedValues(change, fields, now)
  if (crossed) await sendForms(trial.session, change, bodiesFor({ ...change, stored: crossed }, undefined))
  const uncrossed = crossed && (await untilItIsBack())
  // Flags that are merely refused may look like crossed ones.
  const isBack = uncrossed && !(uncrossed instanceof NotAnswered) && isAsItWas(change, uncrossed)
  const left = isBack ? [] : fields
  for (const field of left) await sendOnceUnlocked(trial.session, change, { [field]: change.stored[field] })
  const after = left.length > 0 ? await untilItIsBack() : (uncrossed ?? first)
  if (after instanceof NotAnswered)
    throw new NotAnswered('listContacts', `${after.message}, though what it held was sent back and accepted`)
  if (!after) return `${nameOf(change)} is not listed any more`
  // What was tried in order to put it back counts too.
  const tried = trial.session.changes.find(change) ?? change
  return isAsItWas(tried, after) ? settle(trial, change) : whatIsLeft(tried, after)
}

/**
 * What has to be sent to a target that stores, or shows, some fields in each other's place: with what was stored, they show
 * each other's values, and with those, what was stored.
 */
function crossedValues({ stored }: Change, fields: readonly BodyField[], seen: Contact): Change['stored'] | undefined {
  const shown = inForm(seen, fields)
  const valuesOf = (values: AnyRecord): string =>
    JSON.stringify(fields.map((field) => String(values[field])).toSorted())
  return fields.length > 1 && valuesOf(shown) === valuesOf(stored) ? { ...stored, ...shown } : undefined
}

/** Takes a contact out of what is to be put back, where it is seen as it was. */
export function settleIfKept(trial: Trial, contact: Contact | undefined, owner: Company = trial.session.caller): void {
  const contactId = idOf(contact)
  const change = contactId === undefined ? undefined : trial.session.changes.find({ path: { contactId }, owner })
  if (contact && change && !change.isPending && !change.isSideEffect && isAsItWas(change, contact))
    settle(trial, change)
}

function settle(trial: Trial, change: Change): undefined {
  trial.session.changes.settle(change)
}

/** What was stored, in every form in which an update may be accepted; what others have changed meanwhile stays as it is. */
function bodiesFor(change: Change, seen: Contact | undefined): object[] {
  const stored = Object.fromEntries(
    Object.entries(change.stored).map(([field, value]) => {
      // What the run has sent, a target may show in another form.
      const isOwn = !seen || (change.sent[field]?.length ?? 0) > 0 || isTakenAway(change, field as BodyField, seen)
      return [field, (isOwn ? undefined : storedValue(seen, field as BodyField)) ?? value]
    }),
  )
  return FORMS.map((form) => inForm(stored, form)).filter((body) => Object.keys(body).length > 0)
}
