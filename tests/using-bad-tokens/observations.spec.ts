import { test } from '../run/plain-test.ts'
import { testsOf } from '../run/tests-of.ts'
import { sendsBadTokens } from '../run/phases.ts'

for (const [title, details, body] of await testsOf('observations', sendsBadTokens)) test(title, details, body)
