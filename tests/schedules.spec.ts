import { test } from './run/plain-test.ts'
import { testsOf } from './run/tests-of.ts'
import { reads } from './run/phases.ts'

for (const [title, details, body] of await testsOf('schedules', reads)) test(title, details, body)
