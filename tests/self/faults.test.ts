import { expect, test } from '@playwright/test'
import {
  contradictEachOther,
  pairwiseCombinations,
  randomCombinations,
} from '../../fixtures/faults/variants/combinations.ts'
import { derivedFaults } from '../../fixtures/faults/derived/derived-faults.ts'
import { faults, variants } from '../../fixtures/faults/index.ts'
import { variantDimensions } from '../../fixtures/faults/variants/variant-dimensions.ts'
import { Contract } from '../engine/contract.ts'
import { seededRandom } from '../engine/random.ts'
import { register } from '../requirements/register.ts'

const contract = new Contract()
const requirements = new Map(register(contract).map((requirement) => [requirement.id, requirement]))
const everyFault = [...faults, ...derivedFaults]
const dimensions = Object.values(variantDimensions)

test('every fault and every variant has a name of its own', () => {
  const names = [...everyFault, ...variants].map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('every fault names a requirement that must catch it, and breaks what is of its level', () => {
  const wrong = everyFault.filter(({ caughtBy, level }) => requirements.get(caughtBy)?.level !== level)
  expect(wrong.map(({ name }) => name)).toEqual([])
})

test('every requirement that can fail has a fault that names it', () => {
  const named = new Set(everyFault.map(({ caughtBy }) => caughtBy))
  const demands = [...requirements.values()].filter(({ level }) => level !== 'observed')
  expect(demands.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([])
})

test('a fault that needs a data set or a second token says why', () => {
  for (const { name, needs, because } of faults)
    expect(because !== undefined, name).toBe(needs.includes('dataset') || needs.includes('otherToken'))
})

test('every field of the contract is wrong in every place where it is returned', () => {
  const wrong = new Set(derivedFaults.map(({ operation, caughtBy }) => `${operation} ${caughtBy}`))
  const places = contract.fields.flatMap(({ schema, name }) =>
    contract.operationsWith(schema).map((operation) => `${operation} ${schema}.${name}`),
  )
  expect(places.filter((place) => !wrong.has(place))).toEqual([])
})

test('every variant stands in one dimension, once', () => {
  expect(dimensions.flat().toSorted()).toEqual(variants.map(({ name }) => name).toSorted())
})

test('each two variants of different dimensions occur together in a combination', () => {
  const together = new Set(
    pairwiseCombinations().flatMap((combination) => combination.flatMap((a) => combination.map((b) => `${a} ${b}`))),
  )
  const pairs = dimensions.flatMap((some, index) =>
    dimensions.slice(index + 1).flatMap((others) => some.flatMap((a) => others.map((b) => [a, b] as const))),
  )
  const missing = pairs.filter(([a, b]) => !together.has(`${a} ${b}`) && !contradictEachOther(a, b))
  expect(missing).toEqual([])
})

test('no combination has two variants of one dimension, and a seed gives the same ones again', () => {
  const [some, again] = [randomCombinations(seededRandom(1), 50), randomCombinations(seededRandom(1), 50)]
  expect(some).toEqual(again)
  const twice = [...some, ...pairwiseCombinations()].filter((combination) =>
    dimensions.some((names) => combination.filter((name) => names.includes(name)).length > 1),
  )
  expect(twice).toEqual([])
})
