import { typeOf, type Reading } from '../http/answer.ts'
import type { Contract, OperationId } from '../contract.ts'
import { sizeOf, type Exchange } from '../http/exchange.ts'
import { KeptBodies, LARGE } from '../http/kept-bodies.ts'
import { Timestamps } from '../time/timestamps.ts'

/** So many places of one kind are kept; where a list has more, those in one answer are counted. */
const PLACES = 10_000

/** How often a field was seen, and each way in which its values broke the contract. */
export interface FieldCoverage {
  seen: number
  absent: number
  readonly violations: Map<string, ViolationGroup>
}

/** Equal violations: the same field, in the same kind of place, broken by the same kind of value. */
export interface ViolationGroup {
  readonly operation: OperationId
  readonly expected: string
  readonly missing: boolean
  /** The first place, its value and the exchange that shows it. */
  readonly pointer: string
  readonly received: unknown
  readonly exchange: Exchange
  /** How many broken values were looked at, and how many in one answer at most. */
  looks: number
  inOneAnswer: number
  /** Where, as far as they are kept: in which records and, of an unusable answer, in which answers. */
  readonly places: Set<string>
}

/** Everything a run has seen: its exchanges, its answers, and what the contract says of each field in them. */
export class Evidence {
  readonly exchanges: Exchange[] = []
  readonly answers: Reading[] = []
  readonly #bodies = new WeakMap<Exchange, unknown>()
  readonly fields = new Map<string, FieldCoverage>()
  readonly timestamps = new Timestamps()
  readonly #contract: Contract
  readonly #kept: KeptBodies
  /** Large bodies that have been validated. */
  readonly #validated = new WeakSet<object>()
  /** The fields of each schema, by name. */
  readonly #coverage = new Map<string, [string, FieldCoverage][]>()

  constructor(contract: Contract) {
    this.#contract = contract
    this.#kept = new KeptBodies(
      new Set(
        [...contract.operations.keys()]
          .flatMap((id) => contract.answerMembers(id))
          .concat(contract.fields.map(({ name }) => name)),
      ),
    )
    for (const { schema, name } of contract.fields) {
      const coverage: FieldCoverage = { seen: 0, absent: 0, violations: new Map() }
      this.fields.set(`${schema}.${name}`, coverage)
      this.#coverage.set(schema, [...(this.#coverage.get(schema) ?? []), [name, coverage]])
    }
  }

  /** Keeps an exchange and gives it its number. */
  record(exchange: Omit<Exchange, 'number'>): Exchange {
    const kept = exchange.response && { response: this.#kept.keep(exchange.response) }
    const numbered = { number: this.exchanges.length + 1, ...exchange, ...kept }
    this.exchanges.push(numbered)
    return numbered
  }

  /** What an exchange's answer held; undefined where it was no answer that could be read. */
  bodyOf(exchange: Exchange): unknown {
    return this.#bodies.get(exchange)
  }

  /** Keeps an answer and, where it can be used, validates every field in it. */
  judge(reading: Reading): void {
    this.answers.push(reading)
    this.#bodies.set(reading.exchange, reading.body)
    if (reading.usable) this.validate(reading.exchange, reading.body)
  }

  /** Validates every field of a body against the contract. */
  validate(exchange: Exchange, body: unknown): void {
    if (typeof body === 'object' && body !== null && sizeOf(exchange.response!) >= LARGE) {
      if (this.#validated.has(body)) return
      this.#validated.add(body)
    }
    this.#contract.visitResources(exchange.operation, body, (schema, value) => {
      for (const [name, coverage] of this.#coverage.get(schema) ?? []) {
        if (Object.hasOwn(value, name)) coverage.seen++
        else coverage.absent++
        // So the fields are named that say when something happened.
        if (name.endsWith('At')) this.timestamps.learn((value as Record<string, unknown>)[name])
      }
    })
    const inThis = new Map<ViolationGroup, number>()
    for (const violation of this.#contract.violations(exchange.operation, body)) {
      const { schema, field, pointer, place, expected, missing } = violation
      const coverage = this.fields.get(`${schema}.${field}`)
      if (!coverage) continue
      const received = missing ? undefined : valueAt(body, pointer)
      const key = [exchange.operation, place, expected, typeOf(received)].join(' ')
      const group = coverage.violations.get(key) ?? {
        operation: exchange.operation,
        expected,
        missing,
        pointer,
        received,
        exchange,
        looks: 0,
        inOneAnswer: 0,
        places: new Set<string>(),
      }
      coverage.violations.set(key, group)
      group.looks++
      inThis.set(group, (inThis.get(group) ?? 0) + 1)
      if (group.places.size < PLACES) group.places.add(placeOf(exchange, body, pointer))
    }
    for (const [group, number] of inThis) group.inOneAnswer = Math.max(group.inOneAnswer, number)
  }
}

/** How many records, or answers, have a violation. */
export function recordsIn({ places, inOneAnswer }: ViolationGroup): number {
  return places.size < PLACES ? places.size : Math.max(places.size, inOneAnswer)
}

/** What a place is called, whichever answer shows it: by the record of a list that it is in, or by the request. */
export function placeOf({ request }: Pick<Exchange, 'request'>, body: unknown, pointer: string): string {
  const [record = ''] = /^\/\w+\/\d+(?=\/|$)/.exec(pointer) ?? []
  const { id } = (record === '' ? {} : (valueAt(body, record) ?? {})) as { readonly id?: unknown }
  return id === undefined ? `${request.target} ${pointer}` : `${JSON.stringify(id)}${pointer.slice(record.length)}`
}

/** The value that a JSON pointer points to. */
export function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, segment) => (at as Record<string, unknown> | undefined)?.[segment], body)
}
