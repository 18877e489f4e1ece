import { schedules } from './requirements/schedules.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'

for (const requirement of schedules) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
