import { valueAt } from '../engine/judging/evidence.ts'
import { everyRecord } from '../engine/data/every-record.ts'
import { isForbidden, type Exchange } from '../engine/http/exchange.ts'
import { orElse } from '../engine/or-else.ts'
import {
  type AnyRecord,
  asBoolean,
  idOf,
  isObject,
  sameValue,
  textOf,
  type ListOperation,
  type Located,
  type Schemas,
} from '../engine/data/records.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Basis } from '../engine/data/snapshot.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { fetchTag, tagsToFetch } from './checks/lists/fetched-tag.ts'
import { ABSENT_IN_WORDS } from './checks/updates/kept.ts'
import { triedIds } from './checks/updates/send-update.ts'
import { judgeKnownFilters } from './checks/known-data/known-filters.ts'
import { idOfUnlisted, judgeKnownRecords, pairsOf, tagsOfLaterPages } from './checks/known-data/known-records.ts'
import { pairing, type Difference, type Pair } from './checks/known-data/pairing.ts'
import { implied } from './implied.ts'
import { isList, LISTS, NOUNS, PLURAL } from './operations.ts'

/** Members that hold records of another kind. */
const EMBEDDING: ReadonlySet<string> = new Set(['contact', 'user', 'contacts', 'groups'])

/** Where the data set is declared, the right answer is known: these compare the target's with it. */
export const knownAnswers: readonly Requirement[] = [
  ...LISTS.flatMap((operation) => [
    implied(operation, 'known.found', `Every known record of ${PLURAL[operation]} can be found.`, (trial) =>
      judgeKnownRecords(trial, operation),
    ),
    implied(operation, 'known.values', 'Known records have the values they were loaded with.', (trial) =>
      judgeValues(trial, operation),
    ),
    implied(operation, 'known.nothing-else', 'Nothing of the company is listed that was not loaded.', (trial) =>
      judgeNothingElse(trial, operation),
    ),
  ]),
  ...(['listTickets', 'listSchedules'] as const).map((operation) =>
    implied(
      operation,
      'known.filters',
      'Every filter by a known value returns exactly the known records that hold it.',
      (trial) => judgeKnownFilters(trial, operation),
    ),
  ),
  implied(
    'listTags',
    'known.has-more',
    'The tag list says hasMore false where it has every known tag, and true where it has not.',
    judgeHasMore,
  ),
  implied('getTag', 'known.values', 'Known tags, fetched, have the values they were loaded with.', judgeFetchedTags),
]

export async function judgeValues(trial: Trial, operation: ListOperation): Promise<void> {
  const [{ differences }, pairs] = await pairsOf(trial, operation)
  const contacts = await listedContacts(trial)
  const doNotSay = pairs.some(({ listed }) => listed && !showsUpdatedAt(listed.value))
  const othersWrite = doNotSay && areWrittenByOthers(trial, operation)
  const mayBeWritten = (record: object): boolean =>
    isWrittenNow(trial, record) || (othersWrite && !showsUpdatedAt(record))
  for (const { known, listed } of pairs) {
    if (!listed || mayBeWritten(listed.value)) continue
    trial.count(PLURAL[operation])
    const isShown = async ({ expected }: Difference): Promise<boolean> => {
      const fetched = operation === 'listTags' ? await fetchTag(trial, idOf(listed.value)!) : undefined
      // Nobody can tell where the token may fetch no tag.
      return fetched !== undefined && (isForbidden(fetched.exchange) || contactIds(fetched).includes(expected))
    }
    const shown = { operation, id: idOf(listed.value), record: listed.value, exchange: listed.exchange, contacts }
    for (const difference of differences(operation, known, listed.value, listed.pointer))
      if (!isLeftOut(difference) || !(await isShown(difference))) report(trial, shown, difference)
    for (const [field, received] of Object.entries(listed.value))
      if (!Object.hasOwn(known, field) && isInvented(field, received))
        report(trial, shown, {
          field,
          pointer: `${listed.pointer}/${field}`,
          expected: 'none, as it was loaded',
          received,
        })
  }
  if (operation === 'listTags') await judgeLeftOver(trial, pairs)
  if (!trial.examined[PLURAL[operation]])
    trial.notExercised(`Needs known ${PLURAL[operation]} that the target lists, and that nobody changes.`)
}

/** Whether a field that was loaded without a value shows one that no target takes for none: words of programs, or contacts. */
function isInvented(field: string, received: unknown): boolean {
  const isInWords = typeof received === 'string' && ABSENT_IN_WORDS.has(received)
  return isInWords || (field === 'contacts' && Array.isArray(received) && received.length > 0)
}

/**
 * A target may fill what was left out with a default, which is the same for every tag, or is fetched too: what is neither
 * belongs to another tag.
 */
async function judgeLeftOver(trial: Trial, pairs: readonly Pair<'listTags'>[]): Promise<void> {
  for (const field of trial.session.contract.comparableFields('Tag') as (keyof Schemas['Tag'])[]) {
    const filled = pairs.flatMap(({ known, listed }) =>
      listed &&
      idOf(listed.value) !== undefined &&
      isNone(known[field]) &&
      !isNone(listed.value[field]) &&
      !isObject(listed.value[field])
        ? [listed]
        : [],
    )
    if (new Set(filled.map(({ value }) => JSON.stringify(value[field]))).size < 2) continue
    for (const { value, exchange, pointer } of filled) {
      const { fetched } = await fetchTag(trial, idOf(value)!)
      if (fetched && isNone(fetched[field]))
        trial.differ(
          {
            message: `tags show ${field}, though they were loaded without and none is fetched`,
            expected: 'none, or the same of every such tag',
            received: value[field],
            exchange,
            pointer: `${pointer}/${field}`,
          },
          { operation: 'listTags', id: idOf(value) },
        )
    }
  }
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null
}

type Contacts = ReadonlyMap<string, Located<Schemas['Contact']>>

/** The contacts that are listed, by id; none where OPERATIONS leaves their list out. */
async function listedContacts(trial: Trial): Promise<Contacts> {
  const { length } = await orElse(trial.recordsBesides('listContacts'), [])
  return length === 0 ? new Map() : (await trial.list('listContacts')).byId
}

/** Whether a record says that others wrote it since the run began, or on the same day: what it holds is theirs. */
function isWrittenNow(trial: Trial, record: object): boolean {
  const { session } = trial
  const written = trial.instantOf((record as { updatedAt?: unknown }).updatedAt)
  const began = session.evidence.exchanges[0]!.startedAt.getTime()
  const ends = began + 1000 * session.settings.maxDurationS
  return written !== undefined && written.latest >= began && written.earliest <= ends
}

function showsUpdatedAt({ updatedAt }: { readonly updatedAt?: unknown }): boolean {
  return Boolean(updatedAt)
}

/** Whether others have written records of a list since the run began: then they may have written any that does not say so. */
function areWrittenByOthers(trial: Trial, operation: ListOperation): boolean {
  const updated = triedIds(trial)
  return everyRecord(trial, operation).some(({ record }) => !updated.has(idOf(record)!) && isWrittenNow(trial, record))
}

/** Whether the contact's own list shows the same, and is where it is judged. */
function isListedSo(contact: object, field: string, received: unknown): boolean {
  return sameValue((contact as AnyRecord)[field], received)
}

/** A tag may show its contacts cut short in the list, as long as it shows them where it is fetched. */
function isLeftOut({ field, received }: Difference): boolean {
  return field === 'contacts' && received === undefined
}

/** A record as a list or a fetched tag shows it, and the contacts that the target lists. */
interface Shown {
  readonly operation: ListOperation | 'getTag'
  /** Id of the record in the list, if it is listed. */
  readonly id: string | undefined
  readonly record: object
  readonly exchange: Exchange
  readonly contacts: Contacts
}

function report(trial: Trial, { operation, id, record, exchange, contacts }: Shown, difference: Difference): void {
  const { field, pointer, expected, received } = difference
  const list = isList(operation) ? operation : 'listTags'
  const [member = '', ...rest] = pointer.split('/').slice(isList(operation) ? 3 : 1)
  const isContact = member.startsWith('contact')
  const isEmbedded = EMBEDDING.has(member) && rest.length > 0
  const embedded = isEmbedded ? idOf(valueAt(record, `/${[member, ...rest.slice(0, -1)].join('/')}`)) : undefined
  const contact = isContact ? contacts.get(embedded ?? '') : undefined
  if (contact && (isWrittenNow(trial, contact.value) || isListedSo(contact.value, field, received))) return
  // One that is gone from the list may have been changed before; its id is what it was.
  if (isContact && !contact && field !== 'id' && contacts.size > 0 && embedded !== undefined) return
  const message = `${NOUNS[operation]} do not show ${isEmbedded ? 'the embedded ' : ''}${field} as loaded`
  // One that is not listed may be written whenever those that are.
  const isUnlisted = operation === 'getTag' && id === undefined
  trial.differ(
    { message, expected, received, exchange, pointer },
    isUnlisted ? { everythingIn: list } : { operation: list, id },
    // Where others write a member of records now, they may have written this one before it was first read.
    { operation: list, member },
    ...(list === 'listTags' ? contactsOfTag(difference, contacts, embedded) : []),
  )
}

/** The contacts that a difference of a tag is about: they may change while the list of tags, which shows some, does not. */
function contactsOfTag({ field }: Difference, contacts: Contacts, embedded: string | undefined): readonly Basis[] {
  if (contacts.size > 0 && ['contacts', 'id'].includes(field)) return [{ everythingIn: 'listContacts' }]
  return contacts.has(embedded ?? '') ? [{ operation: 'listContacts', id: embedded }] : []
}

export async function judgeNothingElse(trial: Trial, operation: ListOperation): Promise<void> {
  const { matches } = await pairing(trial)
  const all = await trial.list(operation)
  if (all.records.length === 0) trial.notExercised(`Needs ${PLURAL[operation]}; the target lists none.`)
  // Beyond the last page that is read, records may come in unseen.
  if (all.lacks !== undefined) trial.notExercised(all.lacks)
  trial.count('records', all.records.length - matches[operation].withoutKey.length)
  for (const record of matches[operation].extra as readonly Located<unknown>[])
    trial.differ(
      {
        message: `${PLURAL[operation]} are listed that were not loaded for this company`,
        expected: 'no record but those of the data set',
        received: idOf(record.value),
        exchange: record.exchange,
        pointer: record.pointer,
      },
      { everythingIn: operation },
    )
}

/** A known tag that is not listed is one more, and whether it can be had otherwise is judged elsewhere. */
export async function judgeHasMore(trial: Trial): Promise<void> {
  const [{ matches }, pairs] = await pairsOf(trial, 'listTags')
  const { body, exchange } = await trial.session.ask('listTags')
  const { hasMore: received } = body as { hasMore?: unknown }
  const hasMore = asBoolean(received)
  if (hasMore === undefined) return trial.notExercised('Needs a tag list that says hasMore, true or false.')
  if (matches.listTags.withoutKey.length > 0) return trial.notExercised('Needs listed tags that show their names.')
  const areMissing = pairs.some(({ listed }) => !listed)
  const { lacks } = await trial.list('listTags')
  if (areMissing && lacks !== undefined) trial.notExercised(lacks)
  trial.count('tags', pairs.length)
  if (hasMore !== areMissing)
    trial.differ(
      {
        message: hasMore
          ? 'hasMore is true though every known tag is listed'
          : 'hasMore is false though known tags are left out',
        expected: areMissing,
        received,
        exchange,
        pointer: '/hasMore',
      },
      { everythingIn: 'listTags' },
    )
  else if (areMissing) await judgeLastOfPages(trial, pairs)
}

/** Where later pages bring the known tags that the first leaves out, the last of them has none behind it. */
async function judgeLastOfPages(trial: Trial, pairs: readonly Pair<'listTags'>[]): Promise<void> {
  const { ids, last } = await tagsOfLaterPages(trial)
  if (!last?.hasMore || !pairs.every(({ known }) => ids.has(textOf(known, 'name')))) return
  trial.differ(
    {
      message: 'hasMore is true on a page after which there are no tags',
      expected: false,
      received: true,
      exchange: last.exchange,
      pointer: '/hasMore',
    },
    { everythingIn: 'listTags' },
  )
}

async function judgeFetchedTags(trial: Trial): Promise<void> {
  const [{ differences, translate }, pairs] = await pairsOf(trial, 'listTags')
  const fetchable = new Set(await tagsToFetch(trial))
  const contacts = await listedContacts(trial)
  await trial.each(pairs, async ({ known, listed }) => {
    const tagId = listed ? idOf(listed.value) : await idOfUnlisted(trial, translate, known)
    if (tagId === undefined || (listed && !fetchable.has(listed))) return
    const { fetched, exchange } = await fetchTag(trial, tagId)
    if (!fetched || (!listed && isWrittenNow(trial, fetched))) return
    trial.count('tags')
    const shown = { operation: 'getTag', id: listed && tagId, record: fetched, exchange, contacts } as const
    for (const difference of differences('listTags', known, fetched)) report(trial, shown, difference)
  })
  if (!trial.examined['tags']) trial.notExercised('Needs known tags that can be fetched.')
}

function contactIds({ fetched }: { readonly fetched: Schemas['Tag'] | undefined }): readonly unknown[] {
  return Array.isArray(fetched?.contacts) ? fetched.contacts.map(idOf) : []
}
