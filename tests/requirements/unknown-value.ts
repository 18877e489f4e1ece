import type { Faker } from '@faker-js/faker'

const HEX = /^[0-9a-f-]+$/

/**
 * A random text of the same shape as a sample: digits for digits, letters for letters, everything else kept.
 * A short number becomes one that is far beyond any in use and yet fits 32 bits.
 */
export function likeOf(sample: string, random: Faker): string {
  if (/^\d{1,10}$/.test(sample)) return String(random.number.int({ min: 1_900_000_000, max: 2_100_000_000 }))
  const hex = HEX.test(sample)
  return [...sample]
    .map((character, index) => {
      // The digits that give a UUID its version and variant stay.
      if (hex && (index === 14 || index === 19)) return character
      if (/\d/.test(character)) return random.string.numeric({ length: 1, allowLeadingZeros: true })
      if (/[a-z]/.test(character))
        return hex ? random.helpers.arrayElement([...'abcdef']) : random.string.alpha({ casing: 'lower' })
      if (/[A-Z]/.test(character)) return random.string.alpha({ casing: 'upper' })
      return character
    })
    .join('')
}

/** A text that no record holds: letters only, long enough not to occur by chance. */
export function nonsense(random: Faker): string {
  return random.string.fromCharacters('bcdfghjklmnpqrstvwxz', 24)
}
