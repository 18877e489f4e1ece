import type { Faker } from '@faker-js/faker'
import { faker } from '@faker-js/faker/locale/en'

/** A source of random values that gives the same for the same seed. */
export function seededRandom(...seed: readonly number[]): Faker {
  // The class itself is only to be had with every locale there is, which takes longer to load than all else.
  const AnotherFaker = faker.constructor as new (options: { locale: typeof faker.rawDefinitions }) => Faker
  const random = new AnotherFaker({ locale: faker.rawDefinitions })
  random.seed([...seed])
  return random
}
