import { idInPath, queryOf } from '../../engine/exchange.ts'
import { recordsOf } from '../../engine/listing.ts'
import { asText, idOf, type Located, type RecordOf } from '../../engine/records.ts'
import type { Trial } from '../../engine/trial.ts'
import { EXACT_FILTERS, PLURAL, SEARCHED, type Filtered, type Searched } from '../operations.ts'
import { updatesSent } from '../send-update.ts'
import { randomWord } from '../unknown-value.ts'
import { basisOfSearch } from './search.ts'
import { searchable } from './searchable.ts'
import { updateEveryField } from './update-every-field.ts'

type Query = Readonly<Record<string, string>>

/** A query that was answered before any update, and a record that it found, if any; all that it found are on one page. */
interface Asked {
  readonly query: Query
  /** Its parameters but for the page. */
  readonly names: string
  readonly found?: Located<RecordOf<Searched>>
}

/** Lists are filtered and searched after updates as they were before. */
export async function judgeReadAsBefore(trial: Trial): Promise<void> {
  if (updatesSent(trial).length === 0) await trial.each(SEARCHED, (operation) => askSome(trial, operation))
  await updateEveryField(trial)
  for (const operation of SEARCHED) {
    const asked = await askedBefore(trial, operation)
    const exact: readonly string[] = operation in EXACT_FILTERS ? EXACT_FILTERS[operation as Filtered] : []
    const filtered = asked.find(({ names, found }) => found && exact.includes(names))
    const searched = asked.find(({ names, found }) => found && names === 'searchParam')
    await trial.each([filtered, searched], async (one) => {
      if (one) await judgeFoundStill(trial, operation, one)
    })
    if (searched && asked.some(({ names, found }) => !found && names === 'searchParam'))
      await judgeNothingFound(trial, operation)
  }
  if (!trial.examined['queries'])
    trial.notExercised('Needs a filter or a search that found something before any update.')
}

/** Where nothing else has been asked for, as in a part of a run: a filter, searches for texts, and one for a random text. */
async function askSome(trial: Trial, operation: Searched): Promise<void> {
  // Some may be of the contacts that are updated then.
  const found = await searchable(trial, operation, 'any')
  const filters = operation in EXACT_FILTERS ? EXACT_FILTERS[operation as Filtered] : []
  const known = found[0]?.record.value as Query | undefined
  const queries = [
    ...filters.flatMap((field) => (known?.[field] ? [{ [field]: known[field] }] : [])).slice(0, 1),
    ...found.map(({ texts }) => ({ searchParam: texts[0]! })),
    { searchParam: randomWord(trial.random) },
  ]
  await trial.each(queries, (query) => trial.session.attempt(operation, { query }))
}

async function askedBefore(trial: Trial, operation: Searched): Promise<readonly Asked[]> {
  const { pageSize, paged, firstPage } = await trial.list(operation)
  const updates = updatesSent(trial)
  const updated = new Set(updates.map(idInPath))
  const first = updates[0]?.number ?? 0
  return trial.session.evidence.answers.flatMap((answer) => {
    const { operation: one, request, number } = answer.exchange
    if (one !== operation || !answer.usable || number > first || request.caller !== trial.session.caller) return []
    const query = queryOf(answer.exchange)
    const names = Object.keys(query).filter((name) => name !== 'pageNumber')
    const records = recordsOf(trial.session, operation, answer)
    // What is updated, or comes in, may come first, and what was there go to the next page.
    const isFirst = [undefined, String(firstPage)].includes(query['pageNumber'])
    if (paged && (!isFirst || records.length >= pageSize)) return []
    const found = records.find(({ value }) => !updated.has(contactOf(value)))
    return found || records.length === 0 ? [{ query, names: names.join(), ...(found && { found }) }] : []
  })
}

/** The id of the contact that a record is, or belongs to. */
function contactOf(record: object): string {
  return asText((record as { readonly contactId?: unknown }).contactId) ?? idOf(record) ?? ''
}

async function judgeFoundStill(trial: Trial, operation: Searched, { query, names, found }: Asked): Promise<void> {
  const id = idOf(found!.value)
  const probe = await trial.session.attempt(operation, { query })
  trial.count('queries')
  if (!probe.success || recordsOf(trial.session, operation, probe).some(({ value }) => idOf(value) === id)) return
  trial.differ(
    {
      message: `after updates of contacts, ${names} no longer finds ${PLURAL[operation]} that it found before`,
      expected: `the record ${id}, as in exchange ${found!.exchange.number}`,
      received: `${recordsOf(trial.session, operation, probe).length} other record(s)`,
      exchange: probe.exchange,
    },
    ...basisOfSearch(operation, found!.value),
  )
}

async function judgeNothingFound(trial: Trial, operation: Searched): Promise<void> {
  const probe = await trial.session.attempt(operation, { query: { searchParam: randomWord(trial.random) } })
  trial.count('queries')
  const found = probe.success ? recordsOf(trial.session, operation, probe) : []
  if (found.length > 0)
    trial.fail({
      message: `after updates of contacts, a search for a random text finds ${PLURAL[operation]}`,
      expected: 'no record, as before',
      received: `${found.length} record(s)`,
      exchange: probe.exchange,
    })
}
