import { dateObservations } from './requirements/observations/dates.ts'
import { listObservations } from './requirements/observations/lists.ts'
import { refusalObservations } from './requirements/observations/refusals.ts'
import { updateObservations } from './requirements/observations/updates.ts'
import { test } from './run/plain-test.ts'
import { bodyOf, detailsOf, titleOf } from './run/requirement-test.ts'

const observations = [...listObservations, ...dateObservations, ...refusalObservations, ...updateObservations]

for (const requirement of observations) test(titleOf(requirement), detailsOf(requirement), bodyOf(requirement))
