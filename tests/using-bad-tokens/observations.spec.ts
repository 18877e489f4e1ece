import { observations } from '../requirements/observations/observations.ts'
import { test } from '../run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from '../run/requirement-test.ts'
import { knocks } from '../run/turns.ts'

for (const requirement of observations.filter(knocks))
  test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
