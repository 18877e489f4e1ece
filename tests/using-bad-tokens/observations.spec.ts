import { test } from '../run/plain-test.ts'
import { testsOf } from '../run/tests-of.ts'
import { knocks } from '../run/turns.ts'

for (const [title, details, body] of await testsOf('observations', knocks)) test(title, details, body)
