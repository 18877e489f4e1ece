import { createHash, randomBytes } from 'node:crypto'

const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const LARGE = SMALL.toUpperCase()
const ACCENTED_SMALL = 'àáâãäåæçèéêëìíîïñòóôõöøùúûüý'
const ACCENTED_LARGE = ACCENTED_SMALL.toUpperCase()
const ATTEMPTS = 50
/** Beyond so many, different values get different substitutes by chance alone: an answer may hold any number of new ones. */
const MOST_COMPARED = 300_000
/** Characters that words and numbers are made of. */
const OF_WORDS = /[\p{L}\p{M}\p{N}]/gu

/**
 * Stands random text in for a value, keeping its length, its letter case and its punctuation. Equal values get equal
 * substitutes, and different values different ones wherever there are enough. The key is never written, so nothing
 * leads back.
 */
export class Substitution {
  readonly #key = randomBytes(32)
  readonly #substitutes = new Map<string, string>()
  readonly #used = new Set<string>()

  text(value: string): string {
    const known = this.#substitutes.get(value)
    if (known !== undefined) return known
    if (this.#used.size >= MOST_COMPARED) return this.#make(value, 0)
    let substitute = this.#make(value, 0)
    for (let attempt = 1; attempt < ATTEMPTS && (substitute === value || this.#used.has(substitute)); attempt++)
      substitute = this.#make(value, attempt)
    this.#substitutes.set(value, substitute)
    this.#used.add(substitute)
    return substitute
  }

  /** A number of as many digits; one that has an exponent stays. */
  number(value: number): number {
    const digits = String(value)
    if (!/^-?\d+(\.\d+)?$/.test(digits)) return value
    return Number(this.text(digits).replace(/^(-?)0(?=\d)/, '$11'))
  }

  #make(value: string, attempt: number): string {
    const bytes = createHash('shake256', { outputLength: Math.max(value.length, 1) })
      .update(this.#key)
      .update(`${attempt} ${value}`)
      .digest()
    let at = 0
    const next = (alphabet: string): string => alphabet[bytes[at++]! % alphabet.length]!
    return value.replace(OF_WORDS, (character) => {
      const alphabet = alphabetOf(character)
      return character.length === 1 ? next(alphabet) : next(alphabet) + next(alphabet)
    })
  }
}

function alphabetOf(character: string): string {
  if (/[a-z]/.test(character)) return SMALL
  if (/\p{Nd}/u.test(character)) return '0123456789'
  if (/[A-Z]/.test(character)) return LARGE
  if (/\p{Lu}/u.test(character)) return ACCENTED_LARGE
  return ACCENTED_SMALL
}
