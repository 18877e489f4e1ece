import { expect, test } from '@playwright/test'
import { reasonsOf } from '../reporting/wording/reasons.ts'
import { aRequirement } from './small-run.ts'

const missing = (id: string, reason: string) => aRequirement({ id, reason, outcome: 'not exercised' })

test('reasons that differ in the name of a field alone are one, with all the names', () => {
  const fields = ['email', 'utmTerms', 'id'].map((name) =>
    missing(`Contact.${name}`, `Needs a Contact that has ${name}; none of 130 seen had it.`),
  )
  const other = missing('Ticket.queueId', 'Needs a Ticket that has queueId; none of 56 seen had it.')

  expect(reasonsOf([other, ...fields, aRequirement()])).toEqual([
    ['Needs a Contact that has email, utmTerms, id; none of 130 seen had it.', fields],
    ['Needs a Ticket that has queueId; none of 56 seen had it.', [other]],
  ])
})

test('a reason that several requirements give stays as it is', () => {
  const reason = 'Needs a search that finds tickets.'
  const all = ['listTickets.search.finds', 'listTickets.search.pages'].map((id) => missing(id, reason))

  expect(reasonsOf(all)).toEqual([[reason, all]])
})
