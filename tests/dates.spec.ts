import { dates } from './requirements/dates.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'

for (const requirement of dates) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
