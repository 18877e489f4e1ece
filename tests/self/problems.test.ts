import { expect, test } from '@playwright/test'
import { problemsOf } from '../reporting/problems/problems.ts'
import type { ReportedFinding, ReportedRequirement } from '../reporting/result/report-format.ts'
import { restsOn } from '../requirements/rests-on.ts'
import { register } from '../requirements/register.ts'
import { Contract } from '../engine/contract.ts'
import { aFinding, aRequirement } from './small-run.ts'

let exchanges = 0

/** A requirement that failed once, in an exchange and a place of its own. */
function failed(id: string, finding: Partial<ReportedFinding> = {}): ReportedRequirement {
  const operation = id.split('.', 1)[0]!
  const own = aFinding({ exchange: ++exchanges, pointer: '', operation, message: `${id} is broken`, ...finding })
  return aRequirement({ id, operations: [own.operation!], outcome: 'failed', findings: [own] })
}

function shown(...requirements: readonly ReportedRequirement[]): readonly (readonly string[])[] {
  return problemsOf({ requirements }).map((problem) => problem.requirements)
}

test('what passed is no problem', () => {
  expect(problemsOf({ requirements: [aRequirement()] })).toEqual([])
})

test('one demand that several operations break, with several tokens, is one problem', () => {
  const all = ['listTickets', 'getTag'].flatMap((operation) =>
    ['no-header', 'cut-token'].map((token) => failed(`${operation}.authentication.${token}`)),
  )
  expect(problemsOf({ requirements: all })).toMatchObject([
    { title: 'listTickets, getTag: a call without a token is accepted', operations: ['listTickets', 'getTag'] },
  ])
})

test('a call that is not refused for one reason alone is told in full', () => {
  const message = 'a call without an Authorization header was accepted'
  expect(problemsOf({ requirements: [failed('listTickets.authentication.second-page', { message })] })).toMatchObject([
    { title: `listTickets: ${message}` },
  ])
})

test('a requirement goes with the one that it rests on, which comes first', () => {
  expect(
    shown(failed('listContacts.date.range'), failed('listContacts.known.values'), failed('listContacts.paging.reach')),
  ).toEqual([['listContacts.paging.reach', 'listContacts.date.range', 'listContacts.known.values']])
})

test('what rests on one problem does not join it with another', () => {
  expect(
    shown(
      failed('listTickets.search.finds'),
      failed('listTickets.filter.status-open'),
      failed('listTickets.filter.with-search'),
    ).toSorted(),
  ).toEqual([['listTickets.filter.status-open', 'listTickets.filter.with-search'], ['listTickets.search.finds']])
})

test('the same wrong type of several fields is one problem, another is another', () => {
  const number = { expected: 'string', received: 7 }
  const problems = problemsOf({
    requirements: [
      failed('Contact.id', { ...number, operation: 'listContacts' }),
      failed('Ticket.queueId', { ...number, expected: 'string or null', operation: 'listTickets' }),
      failed('Tag.kanban', { expected: 'integer', received: null, operation: 'listTags' }),
    ],
  })
  expect(problems.map(({ title }) => title)).toEqual([
    '2 fields are not of the type string: Contact.id, Ticket.queueId',
    'listTags: Tag.kanban is broken',
  ])
})

test('findings of one member of the records, or of one record, are one problem', () => {
  const place = { operation: 'listTickets', pointer: '/tickets/3/unreadMessages' }
  expect(shown(failed('Ticket.unreadMessages', place), failed('listTickets.known.values', place))).toHaveLength(1)
  const record = { record: 'a', operation: 'getTag' }
  expect(shown(failed('Tag.name', record), failed('getTag.tags.unknown', record))).toHaveLength(1)
})

test('what has nothing in common is shown apart, what is stated first', () => {
  const implied = { ...failed('listTickets.search.finds'), level: 'implied' as const }
  expect(shown(implied, failed('listTags.answer.json'))).toEqual([
    ['listTags.answer.json'],
    ['listTickets.search.finds'],
  ])
})

test('every pattern of what requirements rest on names some', () => {
  const ids = register(new Contract()).map(({ id }) => id)
  const patterns = new Map(ids.flatMap((id) => restsOn(id).map((pattern) => [pattern.source, pattern] as const)))
  const used = [...patterns.values()].filter((pattern) => ids.some((id) => pattern.test(id)))
  expect(used.length).toBeGreaterThan(20)
})
