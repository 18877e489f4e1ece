import { test } from '../run/plain-test.ts'
import { testsOf } from '../run/tests-of.ts'
import { weighsTheWholeRun } from '../run/turns.ts'

for (const [title, details, body] of await testsOf('isolation', weighsTheWholeRun)) test(title, details, body)
