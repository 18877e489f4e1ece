import { parseJson } from '../../engine/http/answer.ts'
import type { Contract, OperationId } from '../../engine/contract.ts'
import type { Exchange } from '../../engine/http/exchange.ts'
import { KnownValues } from './known-values.ts'
import { ERROR_MEMBERS, IDENTIFIER, PERSONAL_FIELDS, PERSONAL_PARAMETERS, TIME_MEMBER } from './personal-fields.ts'
import { Substitution } from './substitution.ts'

/** A value that stays is searched for personal values from this length on. */
const SHORTEST_INSIDE = 7
/** A number as long as this, in a member that isn't documented, may be a telephone number. */
const LONG_NUMBER = 1_000_000

/** So many members' names that are none, such as ids in a map, are known everywhere; the rest are masked in their places. */
const MOST_NAMES = 10_000

/** What the one operation with a body is sent. */
const REQUEST_SCHEMA = 'ContactUpdate'

/** `keep`: stays; `hide`: not documented, so masked in its place; `personal`: masked, and known everywhere else. */
type Treatment = 'keep' | 'hide' | 'personal'

/**
 * Masks the personal values of a target, keeping each one's JSON type, length and equality with others. What it has
 * masked once it finds again in any text.
 */
export class Masking {
  readonly #contract: Contract
  readonly #ordinary: ReadonlySet<string>
  readonly #substitution = new Substitution()
  readonly #learned = new WeakSet<Buffer>()
  readonly #known = new KnownValues()
  readonly #looked = new Set<string>()
  readonly #names = new Set<string>()
  /** Ids of records, which stay although a search may be for one. */
  readonly #ids = new Set<string>()
  readonly #keptNames: ReadonlySet<string>
  readonly #parameters: ReadonlySet<string>

  /** @param ordinary texts of the suite and the contract, in whose words nobody's secret can lie. */
  constructor(contract: Contract, ordinary: Iterable<string>) {
    this.#contract = contract
    const personal = new Set(Object.values(PERSONAL_FIELDS).flat())
    this.#keptNames = new Set(contract.fields.map(({ name }) => name).filter((name) => !personal.has(name)))
    this.#parameters = new Set(
      [...contract.operations.values()]
        .flatMap(({ queryParameters }) => queryParameters)
        .filter((name) => !PERSONAL_PARAMETERS.includes(name)),
    )
    const texts = [...ordinary, ...this.#keptNames, ...personal, ...contract.operations.keys(), 'true false null']
    this.#ordinary = new Set(texts.flatMap((text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []))
  }

  /** Gets to know the personal values of an exchange. */
  learn(exchange: Exchange): void {
    this.target(exchange.request.target)
    this.requestBody(exchange)
    // Of equal large bodies there is one.
    const { body } = exchange.response ?? {}
    if (body === undefined || this.#learned.has(body)) return
    this.#learned.add(body)
    const parsed = parseJson(body)
    if ('body' in parsed) this.#learnFrom(parsed.body, 'hide', this.#schemasIn(exchange.operation, parsed.body))
    else this.responseBody(exchange)
  }

  /** A path and query with the personal values of its parameters masked. */
  target(target: string): string {
    const [path = '', query] = target.split(/\?(.*)/s)
    const masked =
      this.#known.replace(path, SHORTEST_INSIDE) +
      (query === undefined
        ? ''
        : `?${query
            .split('&')
            .map((pair) => this.#parameter(pair))
            .join('&')}`)
    if (masked !== target) this.#known.add(target, () => masked)
    return masked
  }

  requestBody({ request }: Exchange): string | undefined {
    if (request.body === undefined) return undefined
    return this.#body(request.body, (body) => new Map([[body, REQUEST_SCHEMA]]), 'hide')
  }

  /** The text of a response's body. */
  responseBody({ operation, response }: Exchange): string {
    if (!response) return ''
    const { status, body: bytes } = response
    const text = utf8(bytes) ?? bytes.toString('latin1')
    return this.#body(text, (body) => this.#schemasIn(operation, body), status >= 400 ? 'keep' : 'hide')
  }

  /** A text of the suite's that may quote the target. */
  text(text: string): string {
    return this.#known.replace(text)
  }

  /** A value of the target's that the suite shows: alone, so that it isn't known from which member it came. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.#known.has(value) ? this.#substitution.text(value) : this.text(value)
    if (typeof value === 'number') return this.#known.has(String(value)) ? this.#substitution.number(value) : value
    if (Array.isArray(value)) return value.map((item) => this.value(item))
    return this.#mask(value, '', 'keep', new Map(), 'keep')
  }

  #body(text: string, schemas: (body: unknown) => Map<unknown, string>, errorMembers: Treatment): string {
    const parsed = parseJson(Buffer.from(text))
    if ('body' in parsed) return JSON.stringify(this.#mask(parsed.body, '', 'hide', schemas(parsed.body), errorMembers))
    if (!/^[\s\uFEFF]*[[{]/.test(text)) return this.text(text)
    // Nearly JSON: every text in it that isn't a name.
    return text.replace(/"((?:[^"\\]|\\.)*)(?:"(\s*:)?|$)/gs, (quoted, inner: string, colon?: string) =>
      colon === undefined ? quoted.replace(inner, () => this.#substitution.text(inner)) : quoted,
    )
  }

  /** Gets to know the personal values in a value; nothing is masked, as there may be very many. */
  #learnFrom(value: unknown, treatment: Treatment, schemas: ReadonlyMap<unknown, string>): void {
    if (value === null || typeof value !== 'object') {
      if (treatment === 'personal' && (typeof value === 'string' || typeof value === 'number'))
        this.#learn(String(value))
    } else if (Array.isArray(value)) for (const item of value) this.#learnFrom(item, treatment, schemas)
    else {
      const schema = schemas.get(value)
      for (const [key, member] of Object.entries(value)) {
        if (!isName(schema, key, treatment)) this.#learnName(key)
        if (key === 'id' && schema !== undefined && typeof member === 'string') this.#ids.add(member)
        // What an error says is kept or hidden, and not known elsewhere.
        const inner = treatment === 'personal' ? treatment : this.#treatmentOf(schema, key, 'hide')
        this.#learnFrom(member, inner, schemas)
      }
    }
  }

  #mask(
    value: unknown,
    name: string,
    treatment: Treatment,
    schemas: ReadonlyMap<unknown, string>,
    errorMembers: Treatment,
  ): unknown {
    if (typeof value === 'string') return this.#string(value, name, treatment)
    if (typeof value === 'number') return this.#number(value, treatment)
    if (Array.isArray(value)) return value.map((item) => this.#mask(item, name, treatment, schemas, errorMembers))
    if (value === null || typeof value !== 'object') return value
    const schema = schemas.get(value)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const inner = treatment === 'personal' ? treatment : this.#treatmentOf(schema, key, errorMembers)
        return [this.#key(schema, key, treatment), this.#mask(member, key, inner, schemas, errorMembers)]
      }),
    )
  }

  #treatmentOf(schema: string | undefined, key: string, errorMembers: Treatment): Treatment {
    if (schema !== undefined && PERSONAL_FIELDS[schema]?.includes(key)) return 'personal'
    if (schema !== undefined && this.#contract.fieldNames(schema).includes(key)) return 'keep'
    if (ERROR_MEMBERS.includes(key)) return errorMembers
    return this.#keptNames.has(key) ? 'keep' : 'hide'
  }

  #key(schema: string | undefined, key: string, treatment: Treatment): string {
    if (isName(schema, key, treatment)) return key
    this.#learnName(key)
    return this.#substitution.text(key)
  }

  #string(value: string, name: string, treatment: Treatment): string {
    if (treatment === 'keep') {
      if (ERROR_MEMBERS.includes(name)) return this.text(value)
      const isTime = TIME_MEMBER.test(name) && !/[^\dTZ:.,+/\s-]/.test(value)
      return isTime ? value : this.#known.replace(value, SHORTEST_INSIDE)
    }
    if (treatment === 'personal') this.#learn(value)
    return this.#substitution.text(value)
  }

  #number(value: number, treatment: Treatment): number {
    if (treatment === 'keep' || (treatment === 'hide' && Math.abs(value) < LONG_NUMBER)) return value
    if (treatment === 'personal') this.#learn(String(value))
    return this.#substitution.number(value)
  }

  #parameter(pair: string): string {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    // An id may be made of a telephone number.
    if (this.#parameters.has(decodeURIComponent(name)) || this.#ids.has(decodeURIComponent(value)))
      return this.#known.replace(pair, SHORTEST_INSIDE)
    return `${name}=${encodeURIComponent(this.#string(decodeURIComponent(value), '', 'personal'))}`
  }

  #learnName(name: string): void {
    if (this.#names.size >= MOST_NAMES) return
    this.#names.add(name)
    this.#learn(name)
  }

  #learn(value: string): void {
    // Long values are dear to look at, and come with many answers.
    if (this.#looked.has(value)) return
    this.#looked.add(value)
    if (value.length < 2 || this.#ordinary.has(value.toLowerCase())) return
    this.#known.add(value, (found) => this.#substitution.text(found))
  }

  #schemasIn(operation: OperationId, body: unknown): Map<unknown, string> {
    const schemas = new Map<unknown, string>()
    this.#contract.visitResources(operation, body, (schema, value) => schemas.set(value, schema))
    return schemas
  }
}

/** Whether a member's name is one, and no value of a person's. */
function isName(schema: string | undefined, key: string, treatment: Treatment): boolean {
  return IDENTIFIER.test(key) || (schema !== undefined && treatment !== 'personal' && !/\d{5}|@/.test(key))
}

/** The text that bytes are in UTF-8; undefined where they are none. */
export function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
