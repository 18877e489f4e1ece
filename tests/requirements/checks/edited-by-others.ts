import { asText, type Located, type Schemas } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { UPDATE_TEXTS } from '../update-body.ts'
import { textsMadeUpFor } from './side-effects.ts'

type Contact = Schemas['Contact']

/**
 * Tells whether somebody has written into a contact: a text that no contact showed, and that has nothing in common with what was
 * there, nor with what any update sent. Whatever else is changed with it is theirs, be it of many contacts at once.
 */
export function editedByOthers(
  trial: Trial,
  before: readonly Located<Contact>[],
): (was: Contact, now: Contact) => boolean {
  const shown = new Set(before.flatMap(({ value }) => UPDATE_TEXTS.map((field) => folded(value[field]))))
  const sent = new Map(UPDATE_TEXTS.map((field) => [field, [...textsMadeUpFor(trial, field)].map(folded)]))
  return (was, now) =>
    UPDATE_TEXTS.some((field) => {
      const text = folded(now[field])
      const known = [folded(was[field]), ...sent.get(field)!].filter((one) => one !== '')
      return !shown.has(text) && text !== '' && !known.some((one) => one.includes(text) || text.includes(one))
    })
}

function folded(value: unknown): string {
  return asText(value)?.toLowerCase() ?? ''
}
