import { asText, type Located, type Schemas } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { UPDATE_TEXTS } from '../updates/update-body.ts'
import { textsMadeUp } from './side-effects.ts'

type Contact = Schemas['Contact']

/**
 * Tells whether somebody has written into a contact: a text that no contact showed, and that has nothing in common with what was
 * there, nor with what any update sent. Whatever else is changed with it is theirs, be it of many contacts at once.
 */
export function editedByOthers(
  trial: Trial,
  before: readonly Located<Contact>[],
): (was: Contact, now: Contact) => boolean {
  const learn = () => ({
    shown: new Set(before.flatMap(({ value }) => UPDATE_TEXTS.map((field) => folded(value[field])))),
    madeUp: textsMadeUp(trial),
  })
  let known: ReturnType<typeof learn> | undefined
  return (was, now) => {
    const { shown, madeUp } = (known ??= learn())
    return UPDATE_TEXTS.some((field) => {
      const text = folded(now[field])
      const related = [was[field], ...madeUp.get(field)!].map(folded).filter((one) => one !== '')
      return text !== '' && !shown.has(text) && !related.some((one) => one.includes(text) || text.includes(one))
    })
  }
}

function folded(value: unknown): string {
  return asText(value)?.toLowerCase() ?? ''
}
