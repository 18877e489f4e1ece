import { recordsOf, SLOW, type Listing } from '../../../engine/data/listing.ts'
import { idOf } from '../../../engine/data/records.ts'
import type { Trial } from '../../../engine/judging/trial.ts'
import { PLURAL, type PAGED } from '../../operations.ts'
import { knownCount } from '../known-data/known-records.ts'
import { knownRecords } from '../known-data/pairing.ts'

type Paged = (typeof PAGED)[number]

/**
 * One page tells nothing of the others, unless it holds all that is known, and the next one nothing.
 * @throws NotExercised where it does not.
 */
export async function needsTwoPages(trial: Trial, operation: Paged): Promise<void> {
  const all = await trial.list(operation)
  const second = { query: { pageNumber: String(all.firstPage + 1) } }
  if (all.lacks === SLOW && knownRecords(trial, operation).length > all.records.length)
    // It must be there: that it is not answered is a finding.
    await trial.session.ask(operation, second)
  if (all.lacks !== undefined) trial.notExercised(all.lacks)
  const isWhole = (await knownCount(trial, operation)) === all.records.length
  if (!isWhole || all.records.length === 0) trial.notExercised(`Needs two pages of ${PLURAL[operation]}.`)
  const next = recordsOf(trial.session, operation, await trial.session.attempt(operation, second))
  if (next.length > 0)
    trial.notExercised(
      `Needs two pages of ${PLURAL[operation]}; page ${second.query.pageNumber} repeats the first, so load more (npm run dataset -- --${PLURAL[operation]} 3000 --out FILE).`,
    )
}

/**
 * Where one page holds all that was loaded, so does the first page of a query: the next one holds nothing more.
 * @param queries of which the first is tried that the target does not refuse.
 * @param lacks what is needed where there are more pages, or may be.
 * @throws NotExercised there.
 */
export async function judgeBehindTheOnlyPage(
  trial: Trial,
  operation: Paged,
  queries: readonly Readonly<Record<string, string>>[],
  lacks: string,
): Promise<void> {
  const all = await trial.list(operation)
  // What the list keeps apart, a query may find, and more of it than one page holds.
  const isOne = all.pages.length === 1 && all.paged && knownRecords(trial, operation).length <= all.records.length
  if (!isOne || !trial.session.dataset) return trial.notExercised(lacks)
  await needsTwoPages(trial, operation)
  let found: Listing<unknown> | undefined
  for (const query of queries) {
    found = await trial.filtered(operation, query, { refusable: true })
    if (found.exchange) break
  }
  if (!found?.exchange) return trial.notExercised('Needs a query that is not refused; all that were tried were.')
  const { byId, query } = found
  const pageNumber = String(all.firstPage + 1)
  const next = await trial.session.attempt(operation, { query: { ...query, pageNumber } })
  trial.count(`${PLURAL[operation]} on the only page`, byId.size)
  // Where the page number is not looked at, it repeats the first.
  for (const { value, exchange, pointer } of recordsOf(trial.session, operation, next))
    if (!byId.has(idOf(value) ?? ''))
      trial.fail({
        message: `a page behind the only one holds other ${PLURAL[operation]}`,
        expected: 'none that the first page does not hold',
        received: `the record ${idOf(value)}`,
        exchange,
        pointer,
      })
}
