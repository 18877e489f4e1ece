import { isolation } from './requirements/isolation.ts'
import { observations } from './requirements/observations/observations.ts'
import { updates } from './requirements/updates.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'
import { writes } from './run/turns.ts'

// One shard alone changes the target.
test.describe.configure({ mode: 'default' })

for (const requirement of [...updates, ...isolation, ...observations].filter(writes))
  test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
