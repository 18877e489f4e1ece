import type { OperationId } from '../../engine/contract.ts'
import { isHang, queryOf, type Exchange } from '../../engine/http/exchange.ts'
import { grouped } from '../../engine/data/grouped.ts'
import { PAGE_PARAMETER } from '../../engine/data/listing.ts'
import type { Trial } from '../../engine/judging/trial.ts'

/** Begins the parameters whose format is learned, so that any value may have been refused. */
const OF_LEARNED_FORMAT = /^date/

/** A firewall may drop a call for its text, each time. */
const FEWEST_CALLS = 2

/** Judges calls with a filter or a search that were never answered, whatever was asked for. */
export function judgeNeverAnswered({ session }: Trial, operation: OperationId): Promise<void> {
  return session.remember(`never answered ${operation}`, () => {
    const asked = session.evidence.exchanges.filter(
      ({ operation: of, request }) => of === operation && typeof request.caller === 'string',
    )
    for (const [parameters, alike] of grouped(asked, parametersOf)) {
      const late = alike.filter(({ failure }) => failure?.kind === 'timeout')
      const isTold = new Set(late.map(({ request }) => request.url)).size >= FEWEST_CALLS && alike.every(isHang)
      if (isTold && parameters !== '' && !OF_LEARNED_FORMAT.test(parameters)) session.judge(late[0]!)
    }
    return Promise.resolve()
  })
}

function parametersOf(exchange: Exchange): string {
  return Object.keys(queryOf(exchange))
    .filter((name) => name !== PAGE_PARAMETER)
    .toSorted()
    .join('&')
}
