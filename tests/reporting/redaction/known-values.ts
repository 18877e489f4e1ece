import { lowerCase, readings, replaceRanges, type Replacement } from './unescaped.ts'

/** Values shorter than this are not looked for inside of texts. */
const SHORTEST = 4
/** A value as long as this is found anywhere; a shorter one only where it isn't part of a longer word. */
const LONG = 8
const ALPHANUMERIC = /[\p{L}\p{N}]/u

type Substitute = (found: string) => string

/** Values that must not be shown, found again inside of any text, in any letter case and behind escapes. */
export class KnownValues {
  readonly #substitutes = new Map<string, Substitute>()
  /** How long the values are that begin in the same way, longest first. */
  readonly #lengths = new Map<string, readonly number[]>()

  /** Whether a text is one of the values. */
  has(text: string): boolean {
    return this.#substitutes.has(lowerCase(text))
  }

  add(value: string, substitute: Substitute): void {
    const lower = lowerCase(value)
    if (this.#substitutes.has(lower)) return
    this.#substitutes.set(lower, substitute)
    if (lower.length < SHORTEST) return
    const start = lower.slice(0, lower.length >= LONG ? LONG : SHORTEST)
    const lengths = this.#lengths.get(start) ?? []
    if (!lengths.includes(lower.length))
      this.#lengths.set(
        start,
        [...lengths, lower.length].toSorted((a, b) => b - a),
      )
  }

  /**
   * The text with the values in it replaced.
   * @param shortest length from which on a value is looked for.
   */
  replace(text: string, shortest: number = SHORTEST): string {
    if (this.#lengths.size === 0 || text.length < shortest) return text
    const found: Replacement[] = []
    for (const reading of readings(text)) {
      const lower = lowerCase(reading.text)
      let index = 0
      while (index + SHORTEST <= lower.length) {
        const length = this.#lengthAt(lower, index, shortest)
        if (length > 0) {
          const [start, end] = reading.range(index, index + length)
          const substitute = this.#substitutes.get(lower.slice(index, index + length))!
          found.push({ start, end, by: substitute(reading.text.slice(index, index + length)) })
        }
        index += Math.max(length, 1)
      }
    }
    return replaceRanges(text, found)
  }

  /** Length of the longest value that a text holds at a place; 0 where it holds none. */
  #lengthAt(text: string, index: number, shortest: number): number {
    for (const width of [LONG, SHORTEST])
      for (const length of this.#lengths.get(text.slice(index, index + width)) ?? [])
        if (
          length >= shortest &&
          index + length <= text.length &&
          this.#substitutes.has(text.slice(index, index + length)) &&
          (length >= LONG || standsAlone(text, index, index + length))
        )
          return length
    return 0
  }
}

function standsAlone(text: string, start: number, end: number): boolean {
  return !ALPHANUMERIC.test(text[start - 1] ?? ' ') && !ALPHANUMERIC.test(text[end] ?? ' ')
}
