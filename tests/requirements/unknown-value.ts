import type { SimpleFaker } from '@faker-js/faker'

const ATTEMPTS = 20
const HEX = /^([0-9a-f-]+|[0-9A-F-]+)$/
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/**
 * A random text of the same shape as a sample, and never the sample: digits for digits, letters for letters, everything
 * else kept. A short number becomes one that is far beyond any in use and yet fits 32 bits.
 */
export function similarTo(sample: string, random: SimpleFaker): string {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const value = /^\d{1,10}$/.test(sample) ? farNumber(random) : farFrom(sample, random)
    if (value !== sample) return value
  }
  // Nothing in it can be varied.
  return `${sample}x`
}

function farNumber(random: SimpleFaker): string {
  return String(random.number.int({ min: 1_900_000_000, max: 2_100_000_000 }))
}

/** Ids so short that a random one may well be in use are made longer. */
function farFrom(sample: string, random: SimpleFaker): string {
  const shape = sameShape(sample, random)
  const varied = sample.replace(/[^\da-z]/gi, '').length
  return varied < 6 ? shape + random.string.numeric(8) : shape
}

function sameShape(sample: string, random: SimpleFaker): string {
  const hex = HEX.test(sample)
  const uuid = UUID.test(sample)
  const letter = (casing: 'lower' | 'upper'): string => {
    const drawn = hex ? random.helpers.arrayElement([...'abcdef']) : random.string.alpha({ casing: 'lower' })
    return casing === 'upper' ? drawn.toUpperCase() : drawn
  }
  return [...sample]
    .map((character, index) => {
      // The digits that give a UUID its version and variant stay.
      if (uuid && (index === 14 || index === 19)) return character
      if (/\d/.test(character)) return random.string.numeric({ length: 1, allowLeadingZeros: true })
      if (/[a-z]/.test(character)) return letter('lower')
      return /[A-Z]/.test(character) ? letter('upper') : character
    })
    .join('')
}

/**
 * Texts that only a careless comparison takes for an id: by the id's beginning, by what begins with the id, as a number is
 * read, or as a pattern. The beginning of a number may be an id too.
 */
export function nearTo(id: string): readonly string[] {
  return [`${id}%`, ...(id.length > 1 ? [id.slice(0, -1)] : [])]
}

const LATIN = 'bcdfghjklmnpqrstvwxz'
export const CYRILLIC = 'бвгджзклмнпрстфхцчшщ'

/** A text that no record holds: letters only, long enough not to occur by chance, and not too long for a search. */
export function randomWord(random: SimpleFaker, letters = LATIN): string {
  return random.string.fromCharacters(letters, 20)
}

/** Digits that no record holds, nor begins with: no number of a telephone begins with zeros. */
export function randomDigits(random: SimpleFaker): string {
  return `0000${random.string.numeric(11)}`
}

/** A long text that no record holds, in both cases and with signs, but for those that a search may take for "not" or "or". */
export function randomTextWithSigns(random: SimpleFaker): string {
  const signs = [' ', '@', ': ', '? #', ', *', '_%', '; ']
  const words = signs.map((sign) => random.string.fromCharacters(LATIN, 8) + sign)
  return words.join('') + random.string.fromCharacters(LATIN.toUpperCase(), 8)
}
