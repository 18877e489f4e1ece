import { Contract } from '../engine/contract.ts'
import { fields } from '../requirements/fields.ts'
import { test } from '../run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from '../run/requirement-test.ts'

for (const requirement of fields(new Contract()))
  test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
