import { knownAnswers } from './requirements/known-answers.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'
import { reads } from './run/turns.ts'

for (const requirement of knownAnswers.filter(reads))
  test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
