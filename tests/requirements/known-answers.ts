import {
  asBoolean,
  idOf,
  textOf,
  valuesOf,
  type ListOperation,
  type Located,
  type RecordOf,
  type Schemas,
} from '../engine/records.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Trial } from '../engine/trial.ts'
import { isKeptApart, mayBeCutShort } from './checks/cut-short.ts'
import type { Loose } from './checks/id-translation.ts'
import { orderOf } from './checks/matching.ts'
import {
  knownRecords,
  naturalKey,
  pairing,
  type Difference,
  type Match,
  type Pair,
  type Pairing,
} from './checks/pairing.ts'
import { fetchTag } from './tags.ts'
import { EXACT_FILTERS, isList, LISTS, NOUN, SECTION, type Filtered, type FilterOf } from './operations.ts'

const ENDLESS = 'It takes a list that ends within MAX_PAGES; raise it to reach the end.'

/** What careless code makes of a value that is not there. */
const ABSENT_IN_WORDS: ReadonlySet<string> = new Set(['undefined', 'null', 'None', 'NaN', 'nil', '[object Object]'])

/** Where the data set is declared, the right answer is known: these compare the target's with it. */
export const knownAnswers: readonly Requirement[] = [
  ...LISTS.flatMap((operation) => [
    demand(operation, 'found', `Every known record of ${NOUN[operation]} can be found.`, (trial) =>
      judgeFound(trial, operation),
    ),
    demand(operation, 'values', 'Known records have the values they were loaded with.', (trial) =>
      judgeValues(trial, operation),
    ),
    demand(operation, 'nothing-else', 'Nothing of the company is listed that was not loaded.', (trial) =>
      judgeNothingElse(trial, operation),
    ),
  ]),
  ...(['listTickets', 'listSchedules'] as const).map((operation) =>
    demand(
      operation,
      'filters',
      'Every filter by a known value returns exactly the known records that hold it.',
      (trial) => judgeFilters(trial, operation),
    ),
  ),
  demand(
    'listTags',
    'has-more',
    'The tag list says hasMore false where it has every known tag, and true where it has not.',
    judgeHasMore,
  ),
  demand('getTag', 'values', 'Known tags, fetched, have the values they were loaded with.', judgeFetchedTags),
]

function demand(
  operation: ListOperation | 'getTag',
  name: string,
  title: string,
  check: Requirement['check'],
): Requirement {
  return {
    id: `${operation}.known.${name}`,
    level: 'implied',
    title,
    source: SECTION[operation],
    operations: [operation],
    check,
  }
}

/** How many records the list is known to have; 0 where no data set is declared. */
export async function knownCount(trial: Trial, operation: ListOperation): Promise<number> {
  const known = knownRecords(trial, operation)
  if (known.length === 0) return 0
  const { pairs, nameless } = (await pairing(trial)).matches[operation]
  const [shown, missing] = [true, false].map((wanted) =>
    pairs.filter(({ listed }) => (listed !== undefined) === wanted).map((pair) => pair.known as Loose),
  )
  if (isKeptApart(shown!, missing!)) return shown!.length
  // What is listed and shows nothing by which it could be recognised may be any that seems to be missing.
  const unexplained = missing!.filter((one) => shown!.length > 0 && !isKeptApart(shown!, [one]))
  return nameless > 0 && unexplained.length <= nameless ? shown!.length + nameless : known.length
}

async function pairsOf<O extends ListOperation>(trial: Trial, operation: O): Promise<[Pairing, readonly Pair<O>[]]> {
  const paired = await pairing(trial)
  await trial.list(operation)
  const { pairs } = paired.matches[operation] as unknown as Match<O>
  if (pairs.length === 0) trial.notExercised(`It takes ${NOUN[operation]} in the data set's main company.`)
  return [paired, pairs]
}

async function judgeFound(trial: Trial, operation: ListOperation): Promise<void> {
  const [{ translate, matches }, pairs] = await pairsOf(trial, operation)
  const all = await trial.list(operation)
  if (!all.complete) trial.notExercised(ENDLESS)
  const missing = pairs.filter(({ listed }) => !listed)
  const { nameless } = matches[operation]
  const noneIsKnown = missing.length === pairs.length
  if (missing.length > 0 && (nameless >= missing.length || (nameless > 0 && (!all.paged || noneIsKnown))))
    trial.notExercised(
      `It takes ${NOUN[operation]} that show what tells them from one another: their loaded id, or their natural key.`,
    )
  trial.count(NOUN[operation], pairs.length)
  const shown = pairs.flatMap(({ known, listed }) => (listed ? [known as Loose] : []))
  const lost: RecordOf<ListOperation>[] = []
  // What a list with pages leaves out can only be what it keeps apart, and then a narrower question finds it.
  const mayBeElsewhere =
    !all.paged ||
    isKeptApart(
      shown,
      missing.map(({ known }) => known as Loose),
    )
  for (const { known } of missing) {
    const found = mayBeElsewhere ? await foundOtherwise(trial, operation, known, translate) : 'not found'
    if (found === 'no question' && all.paged)
      trial.notExercised(`It takes ${NOUN[operation]} that show a value of a filter, by which to find the rest.`)
    if (found === 'can not be told')
      trial.notExercised(`It takes ${NOUN[operation]} that a filter tells apart, and that show their natural key.`)
    if (found !== 'found') lost.push(known)
  }
  if (!all.paged && mayBeCutShort(shown, lost))
    trial.notExercised(`It takes a list of ${NOUN[operation]} that is not cut short, or a filter that finds the rest.`)
  for (const known of lost)
    trial.differ(
      {
        message: `known ${NOUN[operation]} can not be found`,
        expected: `the record ${idOf(known)} of the data set`,
        received: `${all.records.length} other record(s)`,
        exchange: all.records[0]?.exchange ?? (await trial.session.ask(operation)).exchange,
      },
      // Whose natural key has been changed can not be recognised either.
      { everythingIn: operation },
    )
}

/**
 * An unpaged list may be cut short, and any list kept to a state, as long as a narrower question still finds the record,
 * or is cut short itself, so that nobody can tell.
 */
async function foundOtherwise(
  trial: Trial,
  operation: ListOperation,
  known: object,
  translate: Pairing['translate'],
): Promise<'found' | 'not found' | 'no question' | 'can not be told'> {
  const { records: listed } = await trial.list(operation)
  if (operation === 'listTags') {
    if (listed.length === 0) return 'not found'
    const id = translate('id', idOf(known)!, 'tags')
    if (id === undefined) return 'not found'
    const { body, success } = await trial.session.attempt('getTag', { path: { tagId: id } })
    const isKnown = success && idOf(body) === id && (body as Schemas['Tag']).name === (known as Schemas['Tag']).name
    return isKnown ? 'found' : 'not found'
  }
  if (operation !== 'listTickets' && operation !== 'listSchedules') return 'not found'
  const criteria = EXACT_FILTERS[operation].flatMap((field) => {
    const value = textOf(known as Loose, field)
    const own = value === undefined || field === 'status' ? value : translate(field, value)
    return own === undefined ? [] : [{ [field]: own }]
  })
  if (criteria.length === 0) return 'no question'
  const narrowest = Object.assign({}, ...criteria) as Record<string, string>
  const key = naturalKey(operation, known)
  for (const query of [narrowest, ...criteria]) {
    const { records } = await trial.filtered(operation, query, { toTheEnd: true })
    if (records.some(({ value }) => idOf(value) === idOf(known) || naturalKey(operation, value) === key)) return 'found'
    if (query !== narrowest) continue
    // What shows no natural key may be the known record.
    if (records.some(({ value }) => naturalKey(operation, value) === undefined)) return 'can not be told'
    // Even this answer may have been cut off where the list was.
    if (operation === 'listTickets' && listed.length > 0 && records.length >= listed.length) return 'can not be told'
  }
  return 'not found'
}

async function judgeValues(trial: Trial, operation: ListOperation): Promise<void> {
  const [{ differences }, pairs] = await pairsOf(trial, operation)
  for (const { known, listed } of pairs) {
    if (!listed) continue
    trial.count(NOUN[operation])
    const shownElsewhere = operation === 'listTags' ? contactIds(await fetchTag(trial, idOf(listed.value)!)) : []
    for (const difference of differences(operation, known, listed.value, listed.pointer))
      if (!isCutShort(difference, shownElsewhere))
        report(trial, operation, difference, listed.exchange, { operation, id: idOf(listed.value) })
    for (const [field, received] of Object.entries(listed.value))
      if (!Object.hasOwn(known, field) && typeof received === 'string' && ABSENT_IN_WORDS.has(received))
        report(
          trial,
          operation,
          { field, pointer: `${listed.pointer}/${field}`, expected: undefined, received },
          listed.exchange,
          { operation, id: idOf(listed.value) },
        )
  }
  if (!trial.examined[NOUN[operation]]) trial.notExercised(`It takes known ${NOUN[operation]} that the target lists.`)
}

/** A tag may show its contacts cut short in the list or when fetched, as long as the other shows them. */
function isCutShort({ field, expected, received }: Difference, shownElsewhere: readonly unknown[]): boolean {
  return field === 'contacts' && received === undefined && shownElsewhere.includes(expected)
}

function report(
  trial: Trial,
  operation: ListOperation | 'getTag',
  { field, pointer, expected, received }: Difference,
  exchange: Located<unknown>['exchange'],
  ground: { operation: ListOperation; id: string | undefined },
): void {
  const nouns = isList(operation) ? NOUN[operation] : 'fetched tags'
  const message = `${nouns} have another ${/\/(contact|user|contacts|groups)\//.test(pointer) ? 'embedded ' : ''}${field} than the one they were loaded with`
  trial.differ({ message, expected, received, exchange, pointer }, ground)
}

async function judgeNothingElse(trial: Trial, operation: ListOperation): Promise<void> {
  const { matches } = await pairing(trial)
  const all = await trial.list(operation)
  if (all.records.length === 0) trial.notExercised(`It takes ${NOUN[operation]}; the target lists none.`)
  // Beyond the last page that is read, records may come in unseen.
  if (!all.complete) trial.notExercised(ENDLESS)
  trial.count('records', all.records.length - matches[operation].nameless)
  for (const record of matches[operation].extra as readonly Located<unknown>[])
    trial.differ(
      {
        message: `${NOUN[operation]} are listed that were not loaded for this company`,
        expected: 'no record but those of the data set',
        received: idOf(record.value),
        exchange: record.exchange,
        pointer: record.pointer,
      },
      { everythingIn: operation },
    )
}

async function judgeFilters<O extends Filtered>(trial: Trial, operation: O): Promise<void> {
  const [{ translate, differences }, all] = [await pairing(trial), await trial.list(operation)]
  // What has been changed since it was loaded is rightly found by other values.
  const isAsLoaded = ({ known, listed }: Pair<O>): boolean =>
    !listed || differences(operation, known, listed.value).length === 0
  const pairs = (await pairsOf(trial, operation))[1].filter(isAsLoaded)
  const cut = !all.complete || (!all.paged && pairs.some(({ listed }) => !listed))
  const questions = EXACT_FILTERS[operation].flatMap((name) => {
    const field = name as FilterOf<O> & keyof RecordOf<O>
    // A value that isn't shown may have been changed unseen.
    const shown = pairs.filter(({ listed }) => listed && listed.value[field] !== undefined)
    const values = valuesOf(
      shown.map(({ known }) => ({ value: known })),
      field,
    )
    return values.flatMap((value) => {
      const own = name === 'status' ? value : translate(name, value)
      const tells = shown.some(({ known }) => known[field] !== undefined && known[field] !== value)
      return own === undefined || !tells ? [] : [{ field, shown, value, own }]
    })
  })
  if (questions.length === 0)
    trial.notExercised(`It takes known ${NOUN[operation]} that show different values of a filter.`)
  await Promise.all(
    questions.map(async ({ field, shown, value, own }) => {
      const wanted = shown.filter(({ known }) => known[field] === value)
      const wantedIds = new Set(wanted.map(({ listed }) => idOf(listed!.value)!))
      const found = await trial.filtered(operation, { [field]: own }, { wanted: wantedIds })
      trial.count('values')
      const ground = (id: string | undefined) => ({ operation, id })
      for (const record of found.records) {
        trial.count('records')
        const known = shown.find(({ listed }) => idOf(listed!.value) === idOf(record.value))?.known
        if (known && known[field] !== value && known[field] !== undefined)
          trial.differ(
            {
              message: `the filter ${String(field)} returned ${NOUN[operation]} that were loaded with another`,
              expected: own,
              received: known[field],
              exchange: record.exchange,
              pointer: record.pointer,
            },
            ground(idOf(record.value)),
          )
      }
      const missing = [...wantedIds].filter((id) => !found.byId.has(id))
      if (cut || !found.complete) return
      for (const id of missing)
        trial.differ(
          {
            message: `the filter ${String(field)} left out ${NOUN[operation]} that were loaded with the value`,
            expected: `the record ${id}`,
            received: `${found.records.length} record(s)`,
            exchange: found.records[0]?.exchange ?? all.records[0]!.exchange,
          },
          ground(id),
          ...orderOf(operation, found),
        )
    }),
  )
}

/** A known tag that is not listed is one more, and whether it can be had otherwise is judged elsewhere. */
async function judgeHasMore(trial: Trial): Promise<void> {
  const [{ matches }, pairs] = await pairsOf(trial, 'listTags')
  const { body, exchange } = await trial.session.ask('listTags')
  const { hasMore: received } = body as { hasMore?: unknown }
  const hasMore = asBoolean(received)
  if (hasMore === undefined) return trial.notExercised('It takes a tag list that says hasMore, true or false.')
  if (matches.listTags.nameless > 0) return trial.notExercised('It takes listed tags that show their names.')
  const areMissing = pairs.some(({ listed }) => !listed)
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
}

async function judgeFetchedTags(trial: Trial): Promise<void> {
  const [{ differences }, pairs] = await pairsOf(trial, 'listTags')
  await Promise.all(
    pairs.map(async ({ known, listed }) => {
      const tagId = idOf(listed?.value)
      if (!listed || tagId === undefined) return
      const { fetched, exchange } = await fetchTag(trial, tagId)
      if (!fetched) return
      trial.count('tags')
      for (const difference of differences('listTags', known, fetched))
        if (!isCutShort(difference, contactIds({ fetched: listed.value })))
          report(trial, 'getTag', difference, exchange, { operation: 'listTags', id: tagId })
    }),
  )
  if (!trial.examined['tags']) trial.notExercised('It takes known tags that can be fetched.')
}

function contactIds({ fetched }: { readonly fetched: Schemas['Tag'] | undefined }): readonly unknown[] {
  return Array.isArray(fetched?.contacts) ? fetched.contacts.map(idOf) : []
}
