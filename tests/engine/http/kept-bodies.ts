import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { parseJson, readingStays } from './answer.ts'
import type { ReceivedResponse } from './exchange.ts'

const KB = 1024
const MB = 1024 * KB
/** A body of so many bytes is looked up among those that came before. */
const KNOWN = 4 * KB
/** A body of so many bytes is dear to keep, and to validate. */
export const LARGE = 256 * KB
/** Bytes of a body that are kept of any, of one that is kept whole, and of all that are kept whole. */
const BEGINNING = 64 * KB
const LARGEST = 2 * MB
const WHOLE_BODIES = 64 * MB
/** A text of so many characters in a large body is kept once. */
const LONG_TEXT = 1024
/** Of an object in a large body, so many members are kept that the document does not name. */
const OTHER_MEMBERS = 1000

/** What is kept by its beginning alone, in words. */
export const WHAT_IS_CUT = `answers over ${LARGEST / MB} MB, and all over ${BEGINNING / KB} KB once ${WHOLE_BODIES / MB} MB of them are kept`

/**
 * The bodies of a run's answers: the same bytes, however often they come, are kept, parsed and masked once; of long ones
 * the beginning is kept, and what was read in the whole.
 */
export class KeptBodies {
  readonly #bodies = new Map<string, Buffer>()
  readonly #texts = new Map<string, string>()
  readonly #documented: ReadonlySet<string>
  #left = WHOLE_BODIES

  /** @param documented the names of all members that the document shows. */
  constructor(documented: ReadonlySet<string>) {
    this.#documented = documented
  }

  /** A response as it is kept. */
  keep(response: ReceivedResponse): ReceivedResponse {
    const { body } = response
    const size = body.length
    if (size < KNOWN) return response
    const isWhole = size <= BEGINNING || size <= Math.min(LARGEST, this.#left)
    if (isWhole && size > BEGINNING) this.#left -= size
    const sha256 = createHash('sha256').update(body).digest('hex')
    const key = `${sha256} ${isWhole}`
    const kept = this.#bodies.get(key) ?? this.#begin(body, isWhole)
    this.#bodies.set(key, kept)
    return { ...response, body: kept, ...(!isWhole && { cut: { size, sha256 } }) }
  }

  #begin(body: Buffer, isWhole: boolean): Buffer {
    if (body.length >= LARGE) {
      tidyUpSooner()
      const parsed = parseJson(body)
      if ('body' in parsed) this.#makeSmaller(parsed.body)
    }
    return isWhole ? body : readingStays(body, Buffer.from(body.subarray(0, BEGINNING)))
  }

  /** Puts one and the same text in the place of equal ones, and drops members of which there is no end. */
  #makeSmaller(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const members = value as Record<string, unknown>
    if (!Array.isArray(value)) {
      const others = Object.keys(members).filter((key) => !this.#documented.has(key))
      for (const key of others.slice(OTHER_MEMBERS)) delete members[key]
    }
    for (const [key, member] of Object.entries(members))
      if (typeof member !== 'string') this.#makeSmaller(member)
      else if (member.length >= LONG_TEXT) {
        const known = this.#texts.get(member) ?? member
        this.#texts.set(known, known)
        members[key] = known
      }
  }
}

/** Makes V8 collect garbage before the heap has grown by a seventh, where long answers would let it grow to gigabytes. */
function tidyUpSooner(): void {
  setFlagsFromString('--heap-growing-percent=15')
}
