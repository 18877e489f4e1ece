import { updates } from './requirements/updates.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'

for (const requirement of updates) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
