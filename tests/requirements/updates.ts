import type { Requirement } from '../engine/judging/requirement.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { PLACE, judgeEmbedded } from './checks/after-updates/embedded-when-updated.ts'
import { hasShownLate } from './checks/eventually.ts'
import { judgeFound } from './checks/after-updates/found-by-new-values.ts'
import { judgeLasting } from './checks/updates/lasting.ts'
import { judgeOthers } from './checks/side-effects/other-contacts.ts'
import { judgeReadAsBefore } from './checks/after-updates/read-as-before.ts'
import { judgeSameContact } from './checks/updates/same-contact.ts'
import { judgeShownByAll } from './checks/after-updates/shown-by-all.ts'
import { EMBEDDING } from './checks/after-updates/shown-elsewhere.ts'
import { judgeStoredEachTime } from './checks/updates/stored-each-time.ts'
import { updateEveryField } from './checks/updates/update-every-field.ts'
import { judgeUpdateOfNobody } from './checks/updates/update-of-nobody.ts'
import { judgeText, TEXTS } from './checks/updates/update-texts.ts'
import { judgeField } from './checks/updates/updated-field.ts'
import { updatesOfParts } from './checks/updates/updates-of-parts.ts'
import { judgeWrongType } from './checks/updates/wrong-type.ts'
import { implied } from './implied.ts'
import { SEARCHED } from './operations.ts'
import { UPDATE_BOOLEANS, UPDATE_TEXTS } from './checks/updates/update-body.ts'

/** An update of a contact can be read back, and changes that contact alone. */
export const updates: readonly Requirement[] = [
  ...UPDATE_TEXTS.map((field) =>
    update(field, `An updated ${field} is read back as it was sent.`, (trial) => judgeField(trial, field)),
  ),
  ...UPDATE_BOOLEANS.map((field) =>
    update(field, `An updated ${field} is read back as it was sent, true and false.`, (trial) =>
      judgeField(trial, field),
    ),
  ),
  ...TEXTS.map((kind) => update(`text-${kind.name}`, kind.title, (trial) => judgeText(trial, kind))),
  update(
    'wrong-type',
    'A value of another type than its field has is refused, or stored as one of the right type, and one that another contact has is refused, or stored; what is refused stores nothing, and is no success.',
    judgeWrongType,
  ),
  update(
    'same-contact',
    'An updated contact keeps its id, its creation and whatever the update does not change, in every list.',
    judgeSameContact,
  ),
  ...EMBEDDING.map((operation) => ({
    ...update(`embedded-by-${operation}`, `An updated contact shows so where ${PLACE[operation]} embeds it.`, (trial) =>
      judgeEmbedded(trial, operation),
    ),
    operations: ['updateContact', 'listContacts', operation] as const,
  })),
  update(
    'found',
    'A contact, and what is its own, is found by its updated name, and by its e-mail address and number where a search looks at these, and not by those that it has no more.',
    judgeFound,
  ),
  update(
    'lasts',
    'An update that is accepted is stored each time, and is there still when another contact has been updated, in every answer once it had time to show.',
    judgeLasts,
  ),
  update('no-other', 'An update changes, creates and deletes nothing but what it names.', judgeOthers),
  update(
    'unknown-id',
    'An update of an id that no contact has is no success and creates no contact.',
    judgeUpdateOfNobody,
  ),
  {
    ...update('reading', 'Lists are filtered and searched after updates as they were before.', judgeReadAsBefore),
    operations: ['updateContact', ...SEARCHED],
  },
]

function update(name: string, title: string, check: Requirement['check']): Requirement {
  const operations = ['updateContact', 'listContacts'] as const
  return implied('updateContact', `update.${name}`, title, check, { operations, phase: 'write' })
}

async function judgeLasts(trial: Trial): Promise<void> {
  const { lasting } = await updateEveryField(trial)
  await judgeStoredEachTime(trial)
  if (!lasting)
    return trial.notExercised('Needs two contacts whose updates are accepted, one of several texts at once.')
  judgeLasting(trial, lasting)
  if (trial.findings.length > 0) return
  // Where all show at once, in places that embed the contact too, one answer tells as much as several.
  await updatesOfParts(trial)
  if (hasShownLate(trial.session)) await judgeShownByAll(trial)
}
