import { contacts } from './requirements/contacts.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'

for (const requirement of contacts) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
