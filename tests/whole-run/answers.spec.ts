import { answers } from '../requirements/answers.ts'
import { test } from '../run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from '../run/requirement-test.ts'

for (const requirement of answers) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
