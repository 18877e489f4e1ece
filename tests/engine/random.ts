import type { SimpleFaker } from '@faker-js/faker'
import { faker } from '@faker-js/faker/locale/en'

// The class itself is only to be had with every locale there is, which takes longer to load than all else.
const Random = Object.getPrototypeOf(faker.constructor) as new () => SimpleFaker

/** A source of random values that gives the same for the same seed; it needs no locale, and none takes time to set up. */
export function seededRandom(...seed: readonly number[]): SimpleFaker {
  const random = new Random()
  random.seed([...seed])
  return random
}
