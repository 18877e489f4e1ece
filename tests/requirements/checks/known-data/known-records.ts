import type { Exchange } from '../../../engine/http/exchange.ts'
import { recordsOf } from '../../../engine/data/listing.ts'
import {
  type AnyRecord,
  asBoolean,
  askable,
  idOf,
  idsOf,
  textOf,
  type ListOperation,
  type Located,
  type RecordOf,
  type Schemas,
} from '../../../engine/data/records.ts'
import type { Basis } from '../../../engine/data/snapshot.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { EXACT_FILTERS, PLURAL } from '../../operations.ts'
import { isKeptApart, mayBeCutShort, mayBeMeant, ROUND } from '../lists/cut-short.ts'
import { fetchTag } from '../lists/fetched-tag.ts'
import { knownRecords, naturalKey, pairing, type Match, type Pair, type Pairing } from './pairing.ts'

/** How many records the list is known to have; 0 where no data set is declared. */
export async function knownCount(trial: Trial, operation: ListOperation): Promise<number> {
  const known = knownRecords(trial, operation)
  if (known.length === 0) return 0
  const { pairs, ...match } = (await pairing(trial)).matches[operation]
  const withoutKey = match.withoutKey.length
  const [shown, missing] = [true, false].map((wanted) =>
    pairs.filter(({ listed }) => (listed !== undefined) === wanted).map((pair) => pair.known as AnyRecord),
  )
  if (isKeptApart(shown!, missing!)) return shown!.length
  // What is listed and shows nothing by which it could be recognised may be any that seems to be missing.
  const unexplained = missing!.filter((one) => shown!.length > 0 && !isKeptApart(shown!, [one]))
  return withoutKey > 0 && unexplained.length <= withoutKey ? shown!.length + withoutKey : known.length
}

/** The data set's records of a list beside the target's, and all that pairing them told. */
export async function pairsOf<O extends ListOperation>(
  trial: Trial,
  operation: O,
): Promise<[Pairing, readonly Pair<O>[]]> {
  const paired = await pairing(trial)
  await trial.list(operation)
  const { pairs } = paired.matches[operation] as unknown as Match<O>
  const company = trial.session.caller === 'main' ? 'main' : 'second'
  if (pairs.length === 0) trial.notExercised(`Needs ${PLURAL[operation]} in the data set's ${company} company.`)
  return [paired, pairs]
}

/** Every known record is listed, or is found by a narrower question where the list leaves some out. */
export async function judgeKnownRecords(trial: Trial, operation: ListOperation): Promise<void> {
  const [{ translate, matches }, pairs] = await pairsOf(trial, operation)
  const all = await trial.list(operation)
  if (all.lacks !== undefined) trial.notExercised(all.lacks)
  const keyOf = (record: object): unknown => naturalKey(operation, record)
  const keys = matches[operation].withoutKey.map(({ value }) => keyOf(value))
  const withoutKey = keys.filter((key) => key === undefined).length
  const unpaired = pairs.filter(({ listed }) => !listed)
  // Of records that are called the same, nobody can tell which ones are listed.
  const missing = unpaired.filter(({ known }) => !keys.includes(keyOf(known)))
  const noneIsKnown = unpaired.length === pairs.length
  if (missing.length > 0 && (withoutKey >= missing.length || (withoutKey > 0 && (!all.paged || noneIsKnown))))
    trial.notExercised(
      `Needs ${PLURAL[operation]} that show what tells them from one another: their loaded id, or their natural key.`,
    )
  trial.count(PLURAL[operation], pairs.length - unpaired.length + missing.length)
  const shown = pairs.flatMap(({ known, listed }) => (listed ? [known as AnyRecord] : []))
  const lost: RecordOf<ListOperation>[] = []
  const asked: Basis[] = []
  const unlisted = missing.map(({ known }) => known as AnyRecord)
  // What a list with pages leaves out can only be what it keeps apart, and then a narrower question finds it.
  const mayBeElsewhere = !all.paged || shown.length === 0 || isKeptApart(shown, unlisted)
  const isJoin = operation === 'listTags' && isJoinOfTags(shown, unlisted)
  let areNowhere = isJoin
  for (const { known } of missing) {
    const found =
      mayBeElsewhere && !isJoin ? await foundOtherwise(trial, operation, known, translate, asked) : 'not found'
    if (found === 'no question' && all.paged)
      trial.notExercised(`Needs ${PLURAL[operation]} that show a value of a filter, by which to find the rest.`)
    if (found === 'cannot be told')
      trial.notExercised(`Needs ${PLURAL[operation]} that a filter tells apart, and that show their natural key.`)
    if (found === 'nowhere') areNowhere = true
    if (found !== 'found') lost.push(known)
  }
  if (!all.paged && lost.length === 0) await judgePart(trial, operation, shown, unlisted)
  const isCut = async (): Promise<boolean> =>
    mayBeCutShort(shown, lost, operation in EXACT_FILTERS) || (await saysThereAreMore(trial, operation))
  if (lost.length > 0 && !all.paged && !areNowhere && (await isCut()))
    trial.notExercised(`Needs a list of ${PLURAL[operation]} that is not cut short, or a filter that finds the rest.`)
  for (const known of lost)
    trial.differ(
      {
        message: `known ${PLURAL[operation]} cannot be found`,
        expected: `the record ${idOf(known)} of the data set${keyInWords(operation, known)}`,
        received: `${all.records.length} other record(s)`,
        exchange: all.records[0]?.exchange ?? (await trial.session.ask(operation)).exchange,
      },
      // Whose natural key has been changed cannot be recognised either.
      { everythingIn: operation },
      ...asked,
    )
}

/** What a list leaves out, though a narrower question finds it, is told from what it shows. */
async function judgePart(
  trial: Trial,
  operation: ListOperation,
  shown: readonly AnyRecord[],
  unlisted: readonly AnyRecord[],
): Promise<void> {
  const { contract } = trial.session
  const fields = contract.fieldNames(contract.operation(operation).schema)
  const { records } = await trial.list(operation)
  const isLimited = records.length % ROUND === 0
  // One alone may be somebody's who came in meanwhile.
  if (unlisted.length < 2 || isLimited || mayBeMeant(shown, unlisted, fields)) return
  if (await saysThereAreMore(trial, operation)) return
  trial.differ(
    {
      message: `known ${PLURAL[operation]} are left out of the list, and neither state nor order tells them from those that it shows`,
      expected: `the record ${idOf(unlisted[0])} of the data set among them`,
      received: `${records.length} other records`,
      exchange: records[0]!.exchange,
    },
    { everythingIn: operation },
  )
}

/** Whether a list shows the tags that have contacts, or a place on the board, and leaves the others out: no page ends there by chance. */
function isJoinOfTags(shown: readonly AnyRecord[], missing: readonly AnyRecord[]): boolean {
  return (['contacts', 'kanban'] as const).some((field) => {
    const has = ({ [field]: value }: AnyRecord): boolean =>
      Array.isArray(value) ? value.length > 0 : (value ?? undefined) !== undefined
    return [shown, missing].every(({ length }) => length > 1) && shown.every(has) && !missing.some(has)
  })
}

interface TagsOfPages {
  /** Ids of tags by name; none where the list has them all. */
  readonly ids: ReadonlyMap<string | undefined, string | undefined>
  /** What the last page that brought others says of whether there are more; none where no page did, or all that may be read did. */
  readonly last: { readonly exchange: Exchange; readonly hasMore: boolean | undefined } | undefined
}

/** Tags that a list which says that there are more shows when it is asked as other lists are: how is not shown. */
export function tagsOfLaterPages(trial: Trial): Promise<TagsOfPages> {
  return trial.session.remember('tags of later pages', async () => {
    let last: TagsOfPages['last']
    if (!(await saysThereAreMore(trial, 'listTags'))) return { ids: new Map(), last }
    const first = (await trial.list('listTags')).records.map(({ value }) => nameAndId(value))
    const ids = new Map(first)
    const pages = new Set([String(first)])
    // What brings others and the same again is no page: a list in any order is cut short somewhere else each time.
    let arePages = true
    // Where page 0 is the first, page 1 brings something new, or else page 2 does.
    for (let page = 1; page <= trial.session.settings.maxPages; page++) {
      const answer = await trial.session.attempt('listTags', { query: { pageNumber: String(page) } })
      const tags = recordsOf(trial.session, 'listTags', answer).map(({ value }) => nameAndId(value))
      const fresh = tags.filter(([name]) => !ids.has(name))
      for (const [name, id] of fresh) ids.set(name, id)
      arePages &&= fresh.length === tags.length || pages.has(String(tags))
      pages.add(String(tags))
      if (fresh.length > 0) last = { exchange: answer.exchange, hasMore: saysMore(answer.body) }
      else if (page > 1) return { ids, last: arePages ? last : undefined }
    }
    return { ids, last: undefined }
  })
}

/** The target's id of a known tag that is not listed: the known one where ids were kept, or else what a later page shows. */
export async function idOfUnlisted(
  trial: Trial,
  translate: Pairing['translate'],
  known: Schemas['Tag'],
): Promise<string | undefined> {
  const kept = translate('id', known.id, 'tags')
  const isCalledSo = ({ name }: Schemas['Tag']): boolean => name === known.name
  if (kept !== undefined || knownRecords(trial, 'listTags').filter(isCalledSo).length > 1) return kept
  return (await tagsOfLaterPages(trial)).ids.get(textOf(known, 'name'))
}

function nameAndId(tag: Schemas['Tag']): readonly [name: string | undefined, id: string | undefined] {
  return [textOf(tag, 'name'), idOf(tag)]
}

/** What an answer says of whether there are more records; undefined where it does not say. */
export function saysMore(body: unknown): boolean | undefined {
  return asBoolean((body as { hasMore?: unknown } | null | undefined)?.hasMore)
}

/** Whether the answer itself, or the main company's list, tells that the list does not hold everything. */
async function saysThereAreMore(trial: Trial, operation: ListOperation): Promise<boolean> {
  const { body } = await trial.session.ask(operation)
  if (operation === 'listTags' && saysMore(body) === true) return true
  if (trial.session.caller === 'main') return false
  const { pairs } = (await pairing(trial.as('main'))).matches[operation]
  const [listed, missing] = [true, false].map((wanted) =>
    pairs.filter((pair) => (pair.listed !== undefined) === wanted).map(({ known }) => known as AnyRecord),
  )
  return mayBeCutShort(listed!, missing!, operation in EXACT_FILTERS)
}

const KEY: Readonly<Record<ListOperation, string>> = {
  listContacts: 'number',
  listTickets: 'lastMessage',
  listSchedules: 'first message',
  listTags: 'name',
  listCampaigns: 'name',
}

/** By what a target with ids of its own shows the record, in words; empty where it has nothing of the kind. */
function keyInWords(operation: ListOperation, known: object): string {
  const key = textOf({ key: naturalKey(operation, known) }, 'key')
  return key === undefined ? '' : `, whose ${KEY[operation]} is "${key}"`
}

/**
 * An unpaged list may be cut short, and any list kept to a state, as long as a narrower question still finds the record,
 * or is cut short itself, so that nobody can tell. What no filter finds in an answer that is shorter is nowhere.
 * @param asked is told of the filtered lists that were asked for.
 */
async function foundOtherwise(
  trial: Trial,
  operation: ListOperation,
  known: object,
  translate: Pairing['translate'],
  asked: Basis[],
): Promise<'found' | 'not found' | 'nowhere' | 'no question' | 'cannot be told'> {
  const { records: listed } = await trial.list(operation)
  const key = naturalKey(operation, known)
  const isIt = ({ value }: Located<object>): boolean =>
    idOf(value) === idOf(known) || naturalKey(operation, value) === key
  if (operation === 'listTags') {
    if (listed.length === 0) return 'not found'
    const id = translate('id', idOf(known)!, 'tags')
    if (id === undefined) {
      const { ids, last } = await tagsOfLaterPages(trial)
      if (ids.has(textOf(known as Schemas['Tag'], 'name'))) return 'found'
      return last?.hasMore === false ? 'nowhere' : 'not found'
    }
    const { fetched } = await fetchTag(trial, id)
    const isKnown = idOf(fetched) === id && fetched?.name === (known as Schemas['Tag']).name
    return isKnown ? 'found' : 'not found'
  }
  if (operation === 'listContacts') {
    const searchParam = askable((known as Schemas['Contact']).name)
    const found = searchParam && (await trial.filtered(operation, { searchParam }, { refusable: true, toTheEnd: true }))
    return found && found.records.some(isIt) ? 'found' : 'not found'
  }
  if (operation !== 'listTickets' && operation !== 'listSchedules') return 'not found'
  const criteria = EXACT_FILTERS[operation].flatMap((field) => {
    const value = textOf(known as AnyRecord, field)
    const own = value === undefined || field === 'status' ? value : translate(field, value)
    return own === undefined ? [] : [{ [field]: own }]
  })
  if (criteria.length === 0) return 'no question'
  const narrowest = Object.assign({}, ...criteria) as Record<string, string>
  const listedIds = idsOf(listed)
  for (const query of [narrowest, ...criteria]) {
    asked.push({ filtered: operation, query })
    const { records } = await trial.filtered(operation, query, { toTheEnd: true })
    if (records.some(isIt)) return 'found'
    // What shows no natural key may be the known record; where nothing is listed, so may what has been given another one.
    const isKnown = (shown: unknown): boolean =>
      knownRecords(trial, operation).some((record) => naturalKey(operation, record) === shown)
    const mayBeIt = ({ value }: Located<object>): boolean => {
      const shown = naturalKey(operation, value)
      return shown === undefined || (listed.length === 0 && !isKnown(shown))
    }
    if (query === narrowest && records.some(mayBeIt)) return 'cannot be told'
    // Even this answer may have been cut off where the list was, as one is that has others in it.
    const isAsLong = operation === 'listTickets' && listed.length > 0 && records.length >= listed.length
    if (isAsLong && (query === narrowest || records.some(({ value }) => !listedIds.has(idOf(value)))))
      return 'cannot be told'
  }
  return 'nowhere'
}
