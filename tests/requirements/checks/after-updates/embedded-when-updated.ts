import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { everyRecord } from '../../../engine/data/every-record.ts'
import { contactsOf, shownFields, staleFields, type Embedding } from './shown-elsewhere.ts'
import { takenFields } from '../updates/taken-fields.ts'
import { updateEveryField } from '../updates/update-every-field.ts'
import { updatesOfParts } from '../updates/updates-of-parts.ts'

/** What embeds a contact, in words. */
export const PLACE: Readonly<Record<Embedding, string>> = {
  listSchedules: 'a schedule',
  listTags: 'a listed tag',
  getTag: 'a fetched tag',
}

/** What embeds an updated contact shows it as the list of contacts does. */
export async function judgeEmbedded(trial: Trial, operation: Embedding): Promise<void> {
  const ofParts = (await updatesOfParts(trial)).flatMap(({ embedded = [] }) => embedded)
  for (const one of [...(await updateEveryField(trial)).embedded, ...ofParts]) {
    if (one.operation !== operation) continue
    const { now, before, tag } = one
    if (!now) {
      const { exchange, pointer, value } = tag!
      trial.count('fields')
      trial.fail({
        message: `an update took its contact from ${PLACE[operation].replace(/^a /, 'the ')} that embedded it`,
        expected: `the contact ${idOf(before)}`,
        received: `${contactsOf(value).length} other contact(s)`,
        exchange,
        pointer: `${pointer}/contacts`,
      })
      continue
    }
    const shown = { ...one, now }
    trial.count('fields', shownFields(shown).length)
    const { exchange, pointer, value } = now
    for (const field of staleFields(shown))
      trial.fail({
        message: `an updated ${field} is shown by the list of contacts, and ${PLACE[operation]} still embeds the old one`,
        expected: one.changed[field],
        received: value[field],
        exchange,
        pointer: `${pointer}/${field}`,
      })
    for (const field of takenFields(trial, one))
      trial.fail({
        message: `an update took ${field} from the contact that ${PLACE[operation]} embeds`,
        expected: one.changed[field] ?? before[field],
        received: value,
        exchange,
        pointer,
      })
  }
  if (trial.examined['fields']) return
  if (operation !== 'listSchedules' && countBareTags(trial, operation)) return
  trial.notExercised(
    `Needs a contact that ${PLACE[operation]} embeds, before an update that is accepted and while it shows.`,
  )
}

/** A tag's contacts are optional: as many tags that have some leave no doubt that a place never shows any. */
const BARE_TAGS = 3

/** Whether one of two operations never shows contacts of tags, several of which have some, as the other one shows: counts those. */
export function countBareTags(trial: Trial, operation: 'listTags' | 'getTag'): boolean {
  const bare = tagsShownBare(trial, operation)
  if (bare < BARE_TAGS) return false
  trial.count('tags with contacts, shown without', bare)
  return true
}

/** The tags whose contacts one of two operations shows, and the other never, of no tag at all. */
function tagsShownBare(trial: Trial, operation: 'listTags' | 'getTag'): number {
  const here = everyRecord(trial, operation, 'main').map(({ record }) => record)
  if (here.some((tag) => 'contacts' in tag)) return 0
  const there = everyRecord(trial, operation === 'getTag' ? 'listTags' : 'getTag', 'main')
  const bearing = new Set(there.flatMap(({ record }) => (contactsOf(record).length > 0 ? (idOf(record) ?? []) : [])))
  return new Set(here.map(idOf).filter((id) => id !== undefined && bearing.has(id))).size
}
