import type { SimpleFaker } from '@faker-js/faker'
import { parseJson } from '../http/answer.ts'
import type { Contract, OperationId } from '../contract.ts'
import type { Company } from '../http/credentials.ts'
import { placeOf, valueAt } from './evidence.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Instant } from '../time/instants.ts'
import { baseListing, filteredListing, type BaseListing, type Listing, type WalkOptions } from '../data/listing.ts'
import { idOf, type ListOperation, type Located, type RecordOf } from '../data/records.ts'
import { seededRandom } from '../random.ts'
import type { Finding, Observation, Requirement } from './requirement.ts'
import type { Session } from './session.ts'
import type { Basis } from '../data/snapshot.ts'

/** Raised by a check whose data can't tell; the message says what is missing. */
export class NotExercised extends Error {
  override readonly name = 'NotExercised'
}

/** What a check reports of one place. Equal messages are one finding that happened several times. */
export interface FindingDraft {
  readonly message: string
  readonly expected: unknown
  readonly received: unknown
  readonly exchange: Exchange
  readonly pointer?: string
  /** Id of the record that it is about; told by the pointer, the basis or the path of the request where it isn't given. */
  readonly record?: string | undefined
  readonly occurrences?: number
  /** That it is certain, though it may not be seen a second time: it has changed the target, or comes now and then. */
  readonly once?: boolean
}

interface StoredFinding extends Omit<Finding, 'occurrences'> {
  occurrences: number
  /** Where it happened, each place once however often it was looked at. */
  readonly places: Set<string>
  /** Undefined where one answer alone proves the finding. */
  readonly basis?: Basis[]
  readonly once?: boolean
}

/** Id of the record that holds a place in an answer's list. */
function recordAt({ response }: Exchange, pointer: string): string | undefined {
  const [place] = /^\/\w+\/\d+(?=\/|$)/.exec(pointer) ?? []
  const parsed = place !== undefined && response ? parseJson(response.body) : undefined
  return parsed && 'body' in parsed ? idOf(valueAt(parsed.body, place!)) : undefined
}

/** Id of the first record among what a finding rests on. */
function recordIn(basis: readonly Basis[]): string | undefined {
  return basis.flatMap((one) => (typeof one === 'object' && 'id' in one ? (one.id ?? []) : []))[0]
}

/** Id of the record that a request was for, where its operation has one in its path. */
function recordInPath(contract: Contract, { operation, request }: Exchange): string | undefined {
  if (!contract.operation(operation).path.includes('{')) return undefined
  return decodeURIComponent(request.target.replace(/\?.*/, '').split('/').at(-1)!)
}

/** One run of one check: what it may ask, and what it found. */
export class Trial {
  readonly session: Session
  readonly requirement: Requirement
  readonly examined: Record<string, number> = {}
  readonly observations: Observation[] = []
  readonly #findings = new Map<string, StoredFinding>()
  #random: SimpleFaker | undefined

  constructor(session: Session, requirement: Requirement) {
    this.session = session
    this.requirement = requirement
  }

  get findings(): readonly StoredFinding[] {
    return [...this.#findings.values()]
  }

  /** Random source of this check, seeded by the run's seed and the requirement's id. */
  get random(): SimpleFaker {
    return (this.#random ??= seededRandom(this.session.settings.seed, ...Buffer.from(this.requirement.id)))
  }

  /** The same check as another company; what it finds is not reported. */
  as(caller: Company): Trial {
    return new Trial(this.session.as(caller), this.requirement)
  }

  /** The unfiltered list of an operation. */
  list<O extends ListOperation>(operation: O): Promise<BaseListing<RecordOf<O>>> {
    return baseListing(this.session, operation)
  }

  /** The records of a list that a check could do without: none where OPERATIONS leaves it out. */
  async recordsBesides<O extends ListOperation>(operation: O): Promise<readonly Located<RecordOf<O>>[]> {
    return this.session.settings.operations?.includes(operation) === false ? [] : (await this.list(operation)).records
  }

  /** What a search finds. A target may refuse a text: it then finds nothing. */
  searched<O extends ListOperation>(
    operation: O,
    text: string,
    query: Readonly<Record<string, string>> = {},
    options?: WalkOptions,
  ): Promise<Listing<RecordOf<O>>> {
    return filteredListing(this.session, operation, { searchParam: text, ...query }, { refusable: true, ...options })
  }

  /** Whether a search finds a record, on the first page or on those behind it. */
  async finds(
    operation: ListOperation,
    text: string,
    id: string,
    query: Readonly<Record<string, string>> = {},
  ): Promise<boolean> {
    return (await this.searched(operation, text, query, { wanted: new Set([id]) })).byId.has(id)
  }

  /** A filtered list of an operation. */
  filtered<O extends ListOperation>(
    operation: O,
    query: Readonly<Record<string, string>>,
    options?: WalkOptions,
  ): Promise<Listing<RecordOf<O>>> {
    return filteredListing(this.session, operation, query, options)
  }

  /** Whether an operation has been answered before, so that nobody need ask for the sake of an answer. */
  hasAnswerOf(operation: OperationId): boolean {
    return this.session.evidence.answers.some(({ exchange }) => exchange.operation === operation)
  }

  /** Does the same with each of several, at once. What one of them throws is thrown when all of them have been through. */
  async each<T, R>(several: readonly T[], act: (one: T) => Promise<R>): Promise<R[]> {
    const settled = await Promise.allSettled(several.map(act))
    return settled.map((one) => {
      if (one.status === 'rejected') throw one.reason
      return one.value
    })
  }

  /** When something happened, by a timestamp of the target's whose format is not stated; undefined where it can't be read. */
  instantOf(timestamp: unknown): Instant | undefined {
    return this.session.evidence.timestamps.read(timestamp)
  }

  /** Counts what was examined. */
  count(noun: string, number = 1): void {
    this.examined[noun] = (this.examined[noun] ?? 0) + number
  }

  /** Reports a fault that one answer alone proves. */
  fail(draft: FindingDraft): void {
    this.#keep(draft)
  }

  /** Reports a fault that a comparison proves, as long as its basis has not moved. */
  differ(draft: FindingDraft, ...basis: readonly Basis[]): void {
    this.#keep(draft, basis)
  }

  /** Ends the check: the data can't tell. */
  notExercised(reason: string): never {
    throw new NotExercised(reason)
  }

  /** Records what the target does where the document is silent. */
  observe(topic: string, operation: OperationId, value: unknown): void {
    this.observations.push({ id: this.requirement.id, topic, operation, value })
  }

  #keep(draft: FindingDraft, basis?: readonly Basis[]): void {
    const known = this.#findings.get(draft.message)
    const place = this.#placeOf(draft, basis)
    const isNew = known?.places.has(place) !== true
    const occurrences = (draft.occurrences ?? Number(isNew)) + (known?.occurrences ?? 0)
    const places = (known?.places ?? new Set<string>()).add(place)
    // One certain occurrence makes the finding certain.
    const isCertain = basis === undefined && known?.basis !== undefined
    if (!known || isCertain) {
      const finding = { ...this.#findingOf(draft, basis), occurrences, places }
      this.#findings.set(draft.message, basis ? { ...finding, basis: [...basis] } : finding)
      return
    }
    known.occurrences = occurrences
    // There may be as many as a list has records.
    if (basis && known.basis) for (const one of basis) known.basis.push(one)
  }

  /** A record is one place, whichever answers show it. */
  #placeOf({ exchange, pointer = '', record }: FindingDraft, basis: readonly Basis[] = []): string {
    const known = record ?? recordIn(basis)
    return known ?? placeOf(exchange, this.session.evidence.bodyOf(exchange), pointer)
  }

  #findingOf(draft: FindingDraft, basis: readonly Basis[] = []): Omit<StoredFinding, 'places'> {
    const { contract } = this.session
    const { pointer = '', record: given, ...shown } = draft
    const { exchange } = shown
    const record = given ?? recordAt(exchange, pointer) ?? recordIn(basis) ?? recordInPath(contract, exchange)
    return { pointer, occurrences: 1, ...shown, ...(record !== undefined && { record }) }
  }
}
