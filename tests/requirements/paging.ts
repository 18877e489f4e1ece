import { endOf } from '../engine/http/exchange.ts'
import { idOf, sortedIds, type Located, type RecordOf } from '../engine/data/records.ts'
import { recordsOf, SLOW } from '../engine/data/listing.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { knownCount } from './checks/known-data/known-records.ts'
import { needsTwoPages } from './checks/lists/only-page.ts'
import { implied } from './implied.ts'
import { PLURAL, PAGED, SECTION } from './operations.ts'

type Paged = (typeof PAGED)[number]

/** The contact and schedule lists accept pageNumber. */
export const paging: readonly Requirement[] = PAGED.flatMap((operation) => {
  const besides = { source: `Paging; ${SECTION[operation]}` }
  return [
    implied(operation, 'paging.disjoint', 'Pages do not overlap.', (trial) => judgeDisjoint(trial, operation), besides),
    implied(
      operation,
      'paging.effect',
      'The page number has an effect.',
      (trial) => judgeEffect(trial, operation),
      besides,
    ),
    implied(
      operation,
      'paging.reach',
      'Walking the pages reaches every record that the list shows without a page number.',
      (trial) => judgeReach(trial, operation),
      besides,
    ),
  ]
})

async function judgeDisjoint(trial: Trial, operation: Paged): Promise<void> {
  const all = await trial.list(operation)
  const [next, last] = all.beyond
  // Past the end all pages are answered alike: one that is not like the next repeats a part of the list.
  const growing = next && last && sortedIds(next.records) !== sortedIds(last.records) ? next.records : []
  if (all.pages.length < 2 && growing.length === 0) await needsTwoPages(trial, operation)
  trial.count('pages', all.pages.length)
  trial.count('records', all.records.length)
  await judgeRepeated(trial, operation, growing)
  if (all.repeated.length > 0) await judgeOrder(trial, operation)
}

/** @param besides records of pages that were read past the end. */
export async function judgeRepeated(
  trial: Trial,
  operation: Paged,
  besides: readonly Located<RecordOf<Paged>>[] = [],
): Promise<void> {
  const all = await trial.list(operation)
  const pageOf = (id: string | undefined): number | undefined =>
    all.pages.find((page) => page.records.some(({ value }) => idOf(value) === id))?.number
  for (const record of [...all.repeated, ...besides])
    trial.differ(
      {
        message: `${PLURAL[operation]} were returned on more than one page`,
        expected: `the record ${idOf(record.value)} on page ${pageOf(idOf(record.value))} alone`,
        received: 'the same record again',
        exchange: record.exchange,
        pointer: record.pointer,
      },
      operation,
      // One that others have changed may have moved from page to page.
      { operation, id: idOf(record.value) },
    )
}

/** So often one page is asked for at once. */
const ASKED_AT_ONCE = 5
/** Within so short a time, others move a few records of a page. */
const AT_ONCE_MS = 250
/** A shorter page may be turned over by a few records that move. */
const ORDERLY = 10

/** Pages of a list that is in another order at each request cannot be walked; that others move records does not do that. */
async function judgeOrder(trial: Trial, operation: Paged): Promise<void> {
  const { firstPage } = await trial.list(operation)
  const call = { query: { pageNumber: String(firstPage) } }
  const probes = await trial.each(Array.from({ length: ASKED_AT_ONCE }), () => trial.session.attempt(operation, call))
  const begins = probes.map(({ exchange }) => exchange.startedAt.getTime())
  const ends = probes.map(({ exchange }) => endOf(exchange))
  if (Math.max(...ends) - Math.min(...begins) > AT_ONCE_MS) return
  const orders = probes.map((probe) => recordsOf(trial.session, operation, probe).map(({ value }) => idOf(value)))
  const isAlike = orders.some((one, index) => orders.slice(index + 1).some((other) => areNeighbours(one, other)))
  if (isAlike || orders.some(({ length }) => length < ORDERLY)) return
  trial.fail({
    message: `${PLURAL[operation]} are in another order at each request, so that pages repeat some and leave others out`,
    expected: `an order that ${ASKED_AT_ONCE} answers to the same request, asked for at once, share`,
    received: `${ASKED_AT_ONCE} orders in which hardly a record has the same neighbour`,
    exchange: probes[0]!.exchange,
  })
}

/** Whether at least half of the records that follow one another in one order do so in another. */
function areNeighbours(one: readonly unknown[], other: readonly unknown[]): boolean {
  const kept = one.filter((id, index) => index > 0 && other[other.indexOf(one[index - 1]) + 1] === id)
  return kept.length >= (one.length - 1) / 2
}

async function judgeEffect(trial: Trial, operation: Paged): Promise<void> {
  const all = await trial.list(operation)
  trial.count('pages', all.pages.length)
  if (all.pages.length > 1) return
  const plain = recordsOf(trial.session, operation, await trial.session.ask(operation))
  const known = Math.max(plain.length, await knownCount(trial, operation))
  // What an empty list leaves out is told elsewhere.
  if (known <= all.records.length || all.records.length === 0) return needsTwoPages(trial, operation)
  trial.differ(
    {
      message: 'no page number brings other records than the first page',
      expected: `the other ${known - all.records.length} of ${known} known ${PLURAL[operation]}`,
      received: `${all.records.length} record(s) in all`,
      exchange: all.records[0]?.exchange ?? (await trial.session.ask(operation)).exchange,
    },
    operation,
  )
}

async function judgeReach(trial: Trial, operation: Paged): Promise<void> {
  const all = await trial.list(operation)
  if (all.lacks === SLOW) await needsTwoPages(trial, operation)
  if (all.lacks !== undefined) trial.notExercised(all.lacks)
  const reading = await trial.session.ask(operation)
  for (const record of recordsOf(trial.session, operation, reading)) {
    trial.count('records')
    if (idOf(record.value) !== undefined && !all.byId.has(idOf(record.value)!))
      trial.differ(
        {
          message: `${PLURAL[operation]} that the list shows without a page number are on no page`,
          expected: `the record ${idOf(record.value)} on some page`,
          received: `${all.records.length} other records`,
          exchange: record.exchange,
          pointer: record.pointer,
        },
        operation,
      )
  }
  if (all.pages.length < 2) await needsTwoPages(trial, operation)
}
