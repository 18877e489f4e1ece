import { test } from './run/plain-test.ts'
import { testsOf } from './run/tests-of.ts'
import { writes } from './run/phases.ts'

// One shard alone changes the target.
test.describe.configure({ mode: 'default' })

for (const section of ['updates', 'isolation', 'observations'] as const)
  for (const [title, details, body] of await testsOf(section, writes)) test(title, details, body)
