import { expect, test } from '@playwright/test'
import { faults } from '../../fixtures/faults/index.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'
import { contract, judgeService } from './judge-service.ts'
import { dataset } from './own-target.ts'

const requirements = register(contract).filter(({ id }) => id === 'listTags.authentication.other-case')
const { deviation: withoutCase } = faults.find(({ name }) => name === 'listTags/token-compared-without-case')!
const IN_BASE_16 = 'b28b7af69f4c41d2a0e3c5d7f8190b2c'
const WITH_OTHER_LETTERS = 'zq8b7af69f4c41d2a0e3c5d7f8190b2c'

for (const [what, companyToken, deviations, outcome] of [
  ['that is refused in other letter case passes', IN_BASE_16, [], 'passed'],
  ['that is accepted in other letter case may be a number in base 16', IN_BASE_16, [withoutCase], 'not exercised'],
  ['with other letters has to keep them', WITH_OTHER_LETTERS, [withoutCase], 'failed'],
] as const)
  test(`a token ${what}`, async () => {
    const { results } = await judgeService({ dataset, companyToken, deviations }, requirements, { begin })

    expect(results.map((result) => result.outcome)).toEqual([outcome])
  })
