import { tags } from './requirements/tags.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'

for (const requirement of tags) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
