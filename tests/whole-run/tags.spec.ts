import { test } from '../run/plain-test.ts'
import { testsOf } from '../run/tests-of.ts'
import { reviews } from '../run/phases.ts'

for (const [title, details, body] of await testsOf('tags', reviews)) test(title, details, body)
