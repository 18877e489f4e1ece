import type { Reading } from '../http/answer.ts'
import type { OperationId } from '../contract.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Trial } from '../judging/trial.ts'

/** A record as it came, with the place where it did. */
export interface Placed {
  readonly record: Record<string, unknown>
  readonly exchange: Exchange
  readonly pointer: string
}

/**
 * Every record of an operation in every answer that could be used, each with its place; of equal large answers, the first.
 * @param answers in the order in which they are gone through.
 */
export function everyRecord(
  trial: Trial,
  operation: OperationId,
  caller: 'main' | 'other' | 'any' = 'any',
  answers: readonly Reading[] = trial.session.evidence.answers,
): Placed[] {
  const { listMember } = trial.session.contract.operation(operation)
  const bodies = new Set<unknown>()
  return answers.flatMap(({ exchange, usable, body }) => {
    if (!usable || exchange.operation !== operation || bodies.has(body)) return []
    if (caller !== 'any' && exchange.request.caller !== caller) return []
    bodies.add(body)
    const records = listMember === undefined ? [body] : ((body as Record<string, unknown>)[listMember] as unknown[])
    return records.flatMap((record, index) =>
      typeof record === 'object' && record !== null
        ? [
            {
              record: record as Record<string, unknown>,
              exchange,
              pointer: listMember === undefined ? '' : `/${listMember}/${index}`,
            },
          ]
        : [],
    )
  })
}

/** The records inside a record, each with its place. */
export function recordsInside(
  record: Record<string, unknown>,
  member: string,
  pointer: string,
): Omit<Placed, 'exchange'>[] {
  const list = record[member]
  if (!Array.isArray(list)) return []
  return list.map((inner: unknown, index) => ({
    record: (typeof inner === 'object' && inner !== null ? inner : {}) as Record<string, unknown>,
    pointer: `${pointer}/${member}/${index}`,
  }))
}
