import { pageProbe, recordsOf } from '../../engine/data/listing.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import type { Trial } from '../../engine/judging/trial.ts'
import { PLURAL, PAGED } from '../operations.ts'
import { observation, someOf, type Observe } from './observation.ts'
import { partOf } from './part-of-list.ts'
import { describeExchange } from './shape.ts'

type Paged = (typeof PAGED)[number]

const PAGING = { source: 'Paging' }
const UNUSUAL_PAGES = { 'page-zero': '0', 'page-negative': '-1', 'page-text': 'first', 'page-fraction': '1.5' } as const

/** Size and number of pages, and what page numbers get that no list has. */
export const pagingObservations: readonly Requirement[] = PAGED.flatMap((operation) => [
  observation(operation, 'page-size', 'page size', pageSize(operation), PAGING),
  observation(operation, 'first-page', 'number of the first page', firstPage(operation), PAGING),
  observation(operation, 'past-the-end', 'what a page past the end gets', pastTheEnd(operation), PAGING),
  observation(operation, 'no-page-number', 'what the list without a page number returns', noNumber(operation), PAGING),
  ...Object.entries(UNUSUAL_PAGES).map(([name, number]) =>
    observation(operation, name, `what pageNumber ${number} gets`, unusualPage(operation, number), PAGING),
  ),
])

function pageSize(operation: Paged): Observe {
  return async (trial) => {
    const all = await trial.list(operation)
    if (all.pages.length < 2) trial.notExercised(all.lacks ?? `Needs two pages of ${PLURAL[operation]}.`)
    return all.pageSize
  }
}

function firstPage(operation: Paged): Observe {
  return async (trial) => {
    const all = await someOf(trial, operation)
    return all.firstPage
  }
}

function pastTheEnd(operation: Paged): Observe {
  return async (trial) => {
    const all = await someOf(trial, operation)
    if (all.lacks !== undefined) trial.notExercised(all.lacks)
    // The page after the last may have come to hold records while the list was read.
    return pageAnswer(trial, operation, String(all.pages.at(-1)!.number! + 2))
  }
}

function noNumber(operation: Paged): Observe {
  return async (trial) => {
    const all = await someOf(trial, operation)
    const part = partOf(recordsOf(trial.session, operation, await trial.session.ask(operation)), all)
    if (part !== 'another page') return part
    // What came in at the beginning may have moved it on since: both are asked for again, at once.
    const calls = [{}, { query: { pageNumber: String(all.firstPage) } }]
    const [plain, first] = await trial.each(calls, async (call) =>
      recordsOf(trial.session, operation, await trial.session.attempt(operation, call)),
    )
    const again = partOf(plain!, { ...all, pages: [{ ...all.pages[0]!, records: first! }] })
    return again === 'the first page' ? again : part
  }
}

function unusualPage(operation: Paged, number: string): Observe {
  return async (trial) => {
    await someOf(trial, operation)
    return pageAnswer(trial, operation, number)
  }
}

async function pageAnswer(trial: Trial, operation: Paged, number: string): Promise<string> {
  const all = await trial.list(operation)
  const probe = await pageProbe(trial.session, operation, number)
  if (!probe.success) return describeExchange(probe.exchange)
  return `status ${probe.status}, ${partOf(recordsOf(trial.session, operation, probe), all)}`
}
