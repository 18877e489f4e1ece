import { lowerCase, readings, replaceRanges, type Replacement } from './unescaped.ts'

/** What stands where a token was. */
export const PLACEHOLDER = '[token]'
/** A token as long as this is recognised by half of it. */
const LONG = 8
/** A token as short as this would be found in many a word, so only a word of its own is taken for it. */
const TINY = 3
const GRAM = TINY + 1
/** A part of a token that is longer is no word. */
const LONGEST_WORD = 16

interface Spelling {
  readonly text: string
  /** How many characters in a row give it away. */
  readonly telling: number
}

/**
 * Removes tokens from everything that is written or printed: raw, in any letter case, reversed, as hexadecimal or
 * base64 (also twice), as numbers of its bytes, with other signs between its characters, cut short or made longer, and
 * each of these with JSON, percent or HTML escapes.
 */
export class Redaction {
  readonly #spellings: readonly Spelling[]
  readonly #grams = new Map<string, { spelling: Spelling; offset: number }[]>()
  readonly #words: RegExp | undefined
  readonly #scattered: RegExp | undefined
  /** A run that tells holds a whole gram at one of the steps of this width, wherever it begins. */
  readonly #stride: number

  constructor(tokens: readonly (string | undefined)[]) {
    const given = tokens.filter((token) => token !== undefined)
    const sought = given.filter((token) => token.length > TINY)
    this.#spellings = sought.flatMap(spellings)
    this.#stride = Math.min(...this.#spellings.map(({ telling }) => telling)) - GRAM + 1
    for (const spelling of this.#spellings)
      for (let offset = 0; offset + GRAM <= spelling.text.length; offset++) {
        const gram = spelling.text.slice(offset, offset + GRAM)
        this.#grams.set(gram, [...(this.#grams.get(gram) ?? []), { spelling, offset }])
      }
    const scattered = sought.flatMap(halves).flatMap(scatterings)
    if (scattered.length > 0) this.#scattered = new RegExp(scattered.join('|'), 'gi')
    const words = given.filter((token) => token.length <= TINY).map(quote)
    if (words.length > 0) this.#words = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  }

  /** The text without any token. */
  text(text: string): string {
    if (this.#spellings.length === 0 && !this.#words) return text
    const found: Replacement[] = []
    for (const reading of readings(text))
      for (const [from, to] of [
        ...this.#runs(lowerCase(reading.text)),
        ...matches(reading.text, this.#scattered),
        ...matches(reading.text, this.#words),
      ]) {
        const [start, end] = reading.range(from, to)
        found.push({ start, end, by: PLACEHOLDER })
      }
    return replaceRanges(text, found)
  }

  /** Bytes that are no text, without any token. */
  bytes(bytes: Buffer): Buffer {
    const text = bytes.toString('latin1')
    const clean = this.text(text)
    return clean === text ? bytes : Buffer.from(clean, 'latin1')
  }

  /** Every stretch that a spelling has in common with the text and that is long enough to tell. */
  *#runs(text: string): Generator<readonly [number, number]> {
    if (this.#spellings.length === 0) return
    for (let index = 0; index + GRAM <= text.length; index += this.#stride)
      for (const { spelling, offset } of this.#grams.get(text.slice(index, index + GRAM)) ?? []) {
        let start = 0
        while (offset - start > 0 && text[index - start - 1] === spelling.text[offset - start - 1]) start++
        let end = GRAM
        while (offset + end < spelling.text.length && text[index + end] === spelling.text[offset + end]) end++
        if (start + end >= spelling.telling) yield [index - start, index + end]
      }
  }
}

function matches(text: string, pattern: RegExp | undefined): (readonly [number, number])[] {
  return pattern ? Array.from(text.matchAll(pattern), (match) => [match.index, match.index + match[0].length]) : []
}

function spellings(token: string): Spelling[] {
  const reversed = Array.from(token).toReversed().join('')
  const all = [
    token,
    reversed,
    // As UTF-16 looks when it is read as something else.
    Array.from(token).join('\0'),
    ...[token, reversed].flatMap(encodings),
    ...encodings(token).flatMap(encodings),
    // A signed token's, each of which is shorter than what gives the whole away.
    ...token.split('.').filter((part) => part.length >= LONGEST_WORD),
  ]
  const enough = (length: number): number => (token.length < LONG ? length : Math.max(LONG - 1, Math.floor(length / 2)))
  return [...new Set(all.map(lowerCase))]
    .filter((text) => text.length >= GRAM)
    .map((text) => ({ text, telling: Math.min(text.length, enough(text.length)) }))
}

/** A token that was cut may still have one of its halves; of a short one, a half is a word. */
function halves(token: string): string[] {
  const middle = Math.ceil(token.length / 2)
  return middle >= LONG ? [token.slice(0, middle), token.slice(middle)] : [token]
}

/** Patterns of a text with something between its characters, as wrapped lines and lists of characters have, or its bytes as numbers. */
function scatterings(text: string): string[] {
  const bytes = Buffer.from(text, 'latin1')
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))
  return [
    apart(text),
    ...base64Alignments(bytes).map(apart),
    String.raw`(?<!\d)${Array.from(bytes, String).join('[^a-z0-9]{1,6}')}(?!\d)`,
    hex.join('[^a-z0-9]{0,6}(?:0x)?'),
  ]
}

function apart(text: string): string {
  return Array.from(text, quote).join('[^a-z0-9]{0,6}')
}

function encodings(text: string): string[] {
  const bytes = Buffer.from(text, 'latin1')
  const base64 = base64Alignments(bytes)
  const forAddresses = base64.map((encoded) => encoded.replaceAll('+', '-').replaceAll('/', '_'))
  return [bytes.toString('hex'), ...base64, ...forAddresses]
}

/** Base64 of a text that holds the token somewhere: the part that is the same whatever stands before and after it. */
function base64Alignments(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const bits = (before + bytes.length) * 8
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
  })
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
