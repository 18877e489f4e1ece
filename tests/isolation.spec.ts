import { isolation } from './requirements/isolation.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'

for (const requirement of isolation) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
