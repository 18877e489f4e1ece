import { consistency } from '../requirements/consistency.ts'
import { test } from '../run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from '../run/requirement-test.ts'

for (const requirement of consistency) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
