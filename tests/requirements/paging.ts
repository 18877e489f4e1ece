import { idOf } from '../engine/records.ts'
import { recordsOf, type Page } from '../engine/listing.ts'
import type { Requirement } from '../engine/requirement.ts'
import type { Trial } from '../engine/trial.ts'
import { knownCount } from './checks/known-records.ts'
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
  const growing = next && last && idsOn(next) !== idsOn(last) ? next.records : []
  if (all.pages.length < 2 && growing.length === 0) await needsTwoPages(trial, operation)
  trial.count('pages', all.pages.length)
  trial.count('records', all.records.length)
  const pageOf = (id: string | undefined): number | undefined =>
    all.pages.find((page) => page.records.some(({ value }) => idOf(value) === id))?.number
  for (const record of [...all.repeated, ...growing])
    trial.differ(
      {
        message: `${PLURAL[operation]} were returned on more than one page`,
        expected: `the record ${idOf(record.value)} on page ${pageOf(idOf(record.value))} alone`,
        received: 'the same record again',
        exchange: record.exchange,
        pointer: record.pointer,
      },
      operation,
    )
}

/**
 * One page tells nothing of the others, unless it holds all that is known, and the next one nothing.
 * @throws NotExercised where it does not.
 */
async function needsTwoPages(trial: Trial, operation: Paged): Promise<void> {
  const all = await trial.list(operation)
  const isWhole = all.lacks === undefined && (await knownCount(trial, operation)) === all.records.length
  if (!isWhole || all.records.length === 0) trial.notExercised(`Needs two pages of ${PLURAL[operation]}.`)
  const query = { pageNumber: String(all.firstPage + 1) }
  const next = recordsOf(trial.session, operation, await trial.session.attempt(operation, { query }))
  if (next.length > 0)
    trial.notExercised(
      `Needs two pages of ${PLURAL[operation]}; page ${query.pageNumber} repeats the first, so load more (npm run dataset -- --${PLURAL[operation]} 3000 --out FILE).`,
    )
}

function idsOn({ records }: Page<unknown>): string {
  return records
    .map(({ value }) => idOf(value))
    .toSorted()
    .join()
}

async function judgeEffect(trial: Trial, operation: Paged): Promise<void> {
  const all = await trial.list(operation)
  trial.count('pages', all.pages.length)
  if (all.pages.length > 1) return
  const plain = recordsOf(trial.session, operation, await trial.session.ask(operation))
  const known = Math.max(plain.length, await knownCount(trial, operation))
  if (known <= all.records.length) return needsTwoPages(trial, operation)
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
