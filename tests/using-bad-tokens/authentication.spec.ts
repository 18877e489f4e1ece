import { authentication } from '../requirements/authentication.ts'
import { test } from '../run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from '../run/requirement-test.ts'

for (const requirement of authentication) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
