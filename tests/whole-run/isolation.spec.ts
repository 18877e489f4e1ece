import { isolation } from '../requirements/isolation.ts'
import { test } from '../run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from '../run/requirement-test.ts'
import { weighsTheWholeRun } from '../run/turns.ts'

for (const requirement of isolation.filter(weighsTheWholeRun))
  test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
