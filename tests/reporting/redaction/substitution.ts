import { createHash, randomBytes } from 'node:crypto'

const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const LARGE = SMALL.toUpperCase()
const ACCENTED_SMALL = 'àáâãäåæçèéêëìíîïñòóôõöøùúûüý'
const ACCENTED_LARGE = ACCENTED_SMALL.toUpperCase()
const ATTEMPTS = 50

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
    let result = ''
    for (const character of value)
      for (const _ of character.length === 2 && alphabetOf(character) ? '12' : '1') {
        const alphabet = alphabetOf(character)
        result += alphabet ? alphabet[bytes[at++]! % alphabet.length] : character
      }
    return result
  }
}

function alphabetOf(character: string): string | undefined {
  if (/\p{Nd}/u.test(character)) return '0123456789'
  if (/[a-z]/.test(character)) return SMALL
  if (/[A-Z]/.test(character)) return LARGE
  if (/\p{Lu}/u.test(character)) return ACCENTED_LARGE
  return /[\p{L}\p{M}\p{N}]/u.test(character) ? ACCENTED_SMALL : undefined
}
