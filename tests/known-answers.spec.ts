import { knownAnswers } from './requirements/known-answers.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'

for (const requirement of knownAnswers) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
