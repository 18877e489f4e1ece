import { test } from './run/plain-test.ts'
import { testsOf } from './run/tests-of.ts'

for (const [title, details, body] of await testsOf('updates')) test(title, details, body)
