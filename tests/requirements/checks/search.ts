import {
  idOf,
  sameShown,
  textOf,
  type ListOperation,
  type Located,
  type RecordOf,
  type Schemas,
} from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import type { SEARCHED } from '../operations.ts'
import { EXACT_FILTERS, NOUN, type Filtered, type FilterOf } from '../operations.ts'
import { nonsense } from '../unknown-value.ts'
import { matches, type Criteria } from './matching.ts'

export type Searched = (typeof SEARCHED)[number]

const RECORDS_TRIED = 4

/** Texts of every kind that tend to break a search. */
const ANY_TEXT = [
  `'`,
  `"`,
  '\\',
  '100%_',
  '([*+?',
  `O'Neill; --`,
  '<b>&amp;</b>',
  '${7*7}{{7*7}}',
  'Ñandú 名前 Ωμέγα',
  '😀',
] as const

/** Letters, with the marks, spaces, hyphens and apostrophes that names have: a text no search can read as anything else. */
const ORDINARY = /^\p{L}[\p{L}\p{M}'’-]*( \p{L}[\p{L}\p{M}'’-]*)*$/u

/** A sentence without a sign that some searches take for more than itself. */
const READABLE = /^(?=.*\p{L}{4})[^%_\\<>&"*\p{C}]{4,200}$/u

/** A search for what a record certainly says finds the record. */
export function searchFinds<O extends Searched>(operation: O): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    const tried = await searchable(trial, operation)
    if (tried.length === 0)
      trial.notExercised(
        `It takes ${NOUN[operation]} whose ${operation === 'listContacts' ? 'name is' : "contact's name and own text are"} plain text.`,
      )
    await Promise.all(
      tried.map(async ({ record, texts }) => {
        const id = idOf(record.value)!
        for (const text of texts) {
          const found = await trial.searched(operation, text, {}, { wanted: new Set([id]) })
          trial.count('searches')
          const maybeCut = !found.complete || (!all.paged && found.records.length >= all.records.length)
          if (found.byId.has(id) || maybeCut) return
        }
        const query = searchQuery(texts[0]!, all.paged ? all.firstPage : undefined)
        const shown = await trial.session.attempt(operation, { query })
        trial.differ(
          {
            message: `a search for ${operation === 'listContacts' ? "a contact's full name" : "a record's own text, and for its contact's name,"} did not find it`,
            expected: `the record ${id}`,
            received: 'an answer without it',
            exchange: shown.exchange,
          },
          { operation, id },
        )
      }),
    )
  }
}

/** A random text finds nothing, on the first page and on the next. */
export function searchFindsNothing(operation: Searched): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    if (all.records.length === 0) trial.notExercised(`It takes ${NOUN[operation]}; the target lists none.`)
    const text = nonsense(trial.random)
    const pages = all.paged ? [all.firstPage, all.firstPage + 1] : [undefined]
    const { listMember } = trial.session.contract.operation(operation)
    for (const page of pages) {
      const call = { query: searchQuery(text, page) }
      // The first page must be an answer; a page past the end may be anything but a page of records.
      const probe = await (page === pages[0]
        ? trial.session.attempt(operation, call)
        : trial.session.probe(operation, call))
      trial.count('searches')
      const list = (probe.body as Record<string, unknown> | null | undefined)?.[listMember!]
      if (probe.success && Array.isArray(list) && list.length > 0)
        trial.fail({
          message: `a search for a random text found ${NOUN[operation]}`,
          expected: 'no record',
          received: `${list.length} record(s)`,
          exchange: probe.exchange,
          pointer: `/${listMember}/0`,
        })
    }
  }
}

/** What a search or another filter finds is in the unfiltered list. */
export function partOfTheList<O extends ListOperation>(
  operation: O,
  queries: (trial: Trial) => Promise<readonly Readonly<Record<string, string>>[]>,
): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    if (!all.complete) trial.notExercised(`It takes a list that ends within MAX_PAGES; raise it to reach the end.`)
    const listings = await Promise.all(
      (await queries(trial)).map((query) => trial.filtered(operation, query, { toTheEnd: true, refusable: true })),
    )
    for (const record of listings.flatMap(({ records }) => records)) {
      trial.count('records')
      if (idOf(record.value) !== undefined && !all.byId.has(idOf(record.value)!))
        trial.differ(
          {
            message: `${NOUN[operation]} were found that the unfiltered list does not reach`,
            expected: `the record ${idOf(record.value)} on some page of the list`,
            received: `${all.records.length} other records`,
            exchange: record.exchange,
            pointer: record.pointer,
          },
          operation,
        )
    }
  }
}

/** A record is the same record, whichever filter finds it. */
export function sameWhenFiltered<O extends Searched>(operation: O): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    const texts = (await searchable(trial, operation)).flatMap((one) => one.texts)
    const listings = await Promise.all([
      ...texts.map((text) => trial.searched(operation, text)),
      ...filterQueries(trial, operation, all.records).map((query) => trial.filtered(operation, query)),
    ])
    const names = trial.session.contract.fieldNames(trial.session.contract.operation(operation).schema)
    for (const record of listings.flatMap(({ records }) => records)) {
      const listed = all.byId.get(idOf(record.value) ?? '')
      if (!listed) continue
      trial.count('records')
      for (const name of names as (keyof RecordOf<O> & string)[])
        if (
          name in (record.value as object) &&
          name in (listed.value as object) &&
          !sameShown(record.value[name], listed.value[name])
        )
          trial.differ(
            {
              message: `${NOUN[operation]} have another ${name} when filtered than in the whole list`,
              expected: listed.value[name],
              received: record.value[name],
              exchange: record.exchange,
              pointer: `${record.pointer}/${name}`,
            },
            { operation, id: idOf(record.value) },
          )
    }
    if (!trial.examined['records']) trial.notExercised(`It takes ${NOUN[operation]} that a filter finds.`)
  }
}

/** Text of any kind is searched for or refused; it is never a server error. */
export function anyText(operation: Searched): (trial: Trial) => Promise<void> {
  return async (trial) => {
    await trial.session.ask(operation)
    await Promise.all(
      [...ANY_TEXT, nonsense(trial.random)].map(async (text) => {
        const { exchange, status } = await trial.session.attempt(operation, { query: { searchParam: text } })
        trial.count('searches')
        if (status === undefined || status >= 500)
          trial.fail({
            message: 'a search text was answered with a server error',
            expected: 'a success, or a refusal below 500',
            received: status === undefined ? exchange.failure!.message : `status ${status}`,
            exchange,
          })
      }),
    )
  }
}

/** A search together with an exact filter means AND. */
export function searchAndFilter<O extends Searched & Filtered>(operation: O): (trial: Trial) => Promise<void> {
  return async (trial) => {
    const all = await trial.list(operation)
    for (const { texts } of await searchable(trial, operation))
      for (const text of texts) {
        const alone = await trial.searched(operation, text)
        if (alone.records.length === 0 || alone.records.length === all.records.length) continue
        await Promise.all(
          EXACT_FILTERS[operation].map((field) =>
            judgeSearchWith<O>(trial, operation, text, alone.records, field as FilterOf<O>),
          ),
        )
        if (trial.examined['combinations']) return
      }
    trial.notExercised(`It takes a search that finds some ${NOUN[operation]} and not others.`)
  }
}

async function judgeSearchWith<O extends Searched & Filtered>(
  trial: Trial,
  operation: O,
  text: string,
  alone: readonly Located<RecordOf<O>>[],
  field: FilterOf<O>,
): Promise<void> {
  const all = await trial.list(operation)
  const key = field as unknown as keyof RecordOf<O>
  const inside = alone.map(({ value }) => textOf(value, key)).find((value) => value !== undefined)
  const outside = all.records
    .map(({ value }) => textOf(value, key))
    .find((value) => value !== undefined && !alone.some((record) => record.value[key] === value))
  const aloneIds = new Set(alone.map(({ value }) => idOf(value)))
  for (const value of [inside, outside]) {
    if (value === undefined) continue
    const criteria = { [field]: value } as Criteria<O>
    const found = await trial.searched(operation, text, { [field]: value })
    trial.count('combinations')
    for (const record of found.records) {
      const { exchange, pointer } = record
      if (matches<O>(record.value, criteria) === false)
        trial.fail({
          message: `${field} was lost when a search was given too`,
          expected: value,
          received: record.value[key],
          exchange,
          pointer: `${pointer}/${field}`,
        })
      else if (!aloneIds.has(idOf(record.value)))
        trial.differ(
          {
            message: `the search was lost when ${field} was given too`,
            expected: 'a record that the search alone finds',
            received: idOf(record.value),
            exchange,
            pointer,
          },
          operation,
        )
    }
    const missing = alone.find(
      (record) => matches<O>(record.value, criteria) && !found.byId.has(idOf(record.value) ?? ''),
    )
    if (missing && found.complete)
      trial.differ(
        {
          message: `a record that the search finds and whose ${field} matches was left out when both were given`,
          expected: idOf(missing.value),
          received: `${found.records.length} other record(s)`,
          exchange: found.records[0]?.exchange ?? missing.exchange,
        },
        { operation, id: idOf(missing.value) },
      )
  }
}

interface Searchable<O extends ListOperation> {
  readonly record: Located<RecordOf<O>>
  /** Texts of which at least one must find the record. */
  readonly texts: readonly string[]
}

/** Records with texts that must find them: a name with marks, one with an apostrophe, the last record, and others. */
export function searchable<O extends Searched>(trial: Trial, operation: O): Promise<Searchable<O>[]> {
  return trial.session.remember(`searchable ${operation}`, async () => {
    const all = await trial.list(operation)
    const texts = await textsOf(trial, operation)
    const candidates = all.records
      .filter(({ value }) => idOf(value) !== undefined)
      .map((record) => ({ record, texts: texts(record.value as RecordOf<Searched>) }))
      .filter((candidate) => candidate.texts.length > 0)
    const special = [/[^\p{ASCII}]/u, /['’]/].map((pattern) => candidates.find((one) => pattern.test(one.texts[0]!)))
    const plain = trial.random.helpers.arrayElements(candidates, RECORDS_TRIED)
    const chosen = [...special, candidates.at(-1), ...plain].filter((one) => one !== undefined)
    return [...new Set(chosen)].slice(0, RECORDS_TRIED)
  })
}

async function textsOf(trial: Trial, operation: Searched): Promise<(record: RecordOf<Searched>) => string[]> {
  if (operation === 'listContacts') return (record) => ordinary((record as Schemas['Contact']).name)
  const contacts = await trial.list('listContacts')
  return (record) => {
    const { contactId, lastMessage, flow } = record as Schemas['Ticket'] & Schemas['Schedule']
    const name = ordinary(contacts.byId.get(contactId ?? '')?.value.name)
    const own = flow?.[0]?.content ?? lastMessage
    return name.length > 0 && typeof own === 'string' && READABLE.test(own) ? [...name, own] : []
  }
}

/** The text, as a list of one, where it can only be read as a text to search for. */
function ordinary(text: unknown): string[] {
  return typeof text === 'string' && ORDINARY.test(text) && text.replace(/\P{L}/gu, '').length >= 4 ? [text] : []
}

function filterQueries<O extends ListOperation>(
  trial: Trial,
  operation: O,
  records: readonly Located<RecordOf<O>>[],
): Record<string, string>[] {
  const filters: readonly string[] = operation in EXACT_FILTERS ? EXACT_FILTERS[operation as unknown as Filtered] : []
  return filters.flatMap((field) => {
    const values = [...new Set(records.flatMap(({ value }) => textOf(value as Record<string, unknown>, field) ?? []))]
    return trial.random.helpers.arrayElements(values, field === 'status' ? 3 : 1).map((value) => ({ [field]: value }))
  })
}

function searchQuery(text: string, page: number | undefined): Record<string, string> {
  return { searchParam: text, ...(page !== undefined && { pageNumber: String(page) }) }
}
