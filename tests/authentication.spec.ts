import { test } from './run/plain-test.ts'
import { testsOf } from './run/tests-of.ts'

for (const [title, details, body] of await testsOf('authentication')) test(title, details, body)
