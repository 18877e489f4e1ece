import { expect, test } from '@playwright/test'
import { judge } from '../engine/judging/judge.ts'
import type { Level, Outcome, Requirement, Result, Phase } from '../engine/judging/requirement.ts'
import type { Session } from '../engine/judging/session.ts'
import type { Basis } from '../engine/data/snapshot.ts'
import { CACHED_MS } from '../engine/time/time.ts'
import type { Trial } from '../engine/judging/trial.ts'
import { verdictOn } from '../engine/judging/verdict.ts'
import { HURRY, hurriedTime } from './hurried-time.ts'
import { closeAfterEach, serve, sessionOf } from './own-server.ts'

/** What a target answers to its nth request, counted from 1. */
type Target = (n: number) => readonly object[] | number

const TICKETS = [
  { id: 't1', status: 'open' },
  { id: 't2', status: 'closed' },
]

closeAfterEach()

let runs = 0
/** A check that finds something, and then throws where a run of its is one of those. */
const throwing = (thrown: unknown, atRuns: readonly number[]) => async (trial: Trial) => {
  await complain(trial, 'a ticket is wrong')
  if (atRuns.includes(++runs)) throw thrown
}
const lacking = async (trial: Trial) => {
  await countTickets(trial)
  trial.notExercised('Needs a third ticket.')
}
const CRASH = new TypeError('crash')

/** What the target answers, a check, and what becomes of the requirement for which reason. */
const CHECKS: Readonly<Record<string, readonly [Target, Requirement['check'], Outcome, RegExp?]>> = {
  'finds nothing wrong in what it examines': [() => TICKETS, countTickets, 'passed'],
  'examines nothing': [() => [], countTickets, 'not exercised', /^Nothing was there to be examined\.$/],
  'says what is missing': [() => TICKETS, lacking, 'not exercised', /^Needs a third ticket\.$/],
  'gets no answer': [() => 500, countTickets, 'not exercised', /^GET \/api\/tickets gave no usable answer/],
  'crashes after a finding': [() => TICKETS, throwing(CRASH, [1, 2]), 'broken', /^TypeError: crash/],
  'crashes after a finding, at first': [() => TICKETS, throwing(CRASH, [1]), 'broken', /^TypeError: crash/],
  'crashes after a finding, in the end': [() => TICKETS, throwing(CRASH, [2]), 'broken', /^TypeError: crash/],
  'throws what is no error': [() => TICKETS, throwing('a text', [1, 2]), 'broken', /^a text$/],
}

for (const [what, [target, check, expected, expectedReason]] of Object.entries(CHECKS))
  test(`a requirement whose check ${what} is ${expected}, and spoils no other`, async () => {
    runs = 0
    const always = requirement((trial) => Promise.resolve(trial.count('nothing much')))

    const [result, other] = await judge(await sessionWith(target), [requirement(check), always])

    // Not compared as a whole: a difference would print every byte of the answer.
    const { outcome, reason, findings } = result!
    expect({ outcome, findings: findings.length }).toEqual({ outcome: expected, findings: 0 })
    expect(reason ?? '').toMatch(expectedReason ?? /^$/)
    expect(other!.outcome).toBe('passed')
  })

test('of the findings of a check, those that are seen twice fail, counted once a place', async () => {
  const messages = ['first only', 'second only']
  const check = async (trial: Trial) => {
    for (const message of ['always', 'always', messages.shift()!]) await complain(trial, message)
  }

  const { outcome, findings } = await judgeOne(() => TICKETS, check)

  expect(outcome).toBe('failed')
  expect(findings).toMatchObject([{ message: 'always', occurrences: 1, exchange: { number: 2 } }])
})

test('a finding that is seen only once does not fail', async () => {
  const result = await judgeOne((n) => (n === 1 ? TICKETS : []), complainOfAny)

  expect(result).toMatchObject({ outcome: 'not exercised', findings: [] })
  expect(result.reason).toContain('"a ticket is wrong" was seen, and then not again')
})

const RECORDS = { everythingIn: 'listTickets' } as const

test('a field that is another in every record at each look is named', async () => {
  const { reason } = await judgeOne(
    (n) => ['t1', 't2'].map((id) => ({ id, updatedAt: `at ${n}` })),
    (trial) => differ(trial, RECORDS),
  )

  expect(reason).toContain('and updatedAt is another in every record at each look')
})

test('what is seen once, on data that stand still, is not put down to others', async () => {
  let looks = 0
  const { reason } = await judgeOne(
    () => TICKETS,
    async (trial) => {
      if (looks++ === 0) await differ(trial, RECORDS)
    },
  )

  expect(reason).toContain('and then not again, though what it rests on had not changed')
})

const RECORD: Basis = { operation: 'listTickets', id: 't1' }
const LISTED: Basis = { operation: 'listTickets', listed: 't1' }

/** What a comparison rests on, what the target shows at each request, and what becomes of the finding. */
const COMPARISONS: Readonly<Record<string, readonly [Basis, Target, Outcome]>> = {
  'a record that stands still': [RECORD, () => TICKETS, 'failed'],
  'a record that changes all the time': [RECORD, (n) => [{ id: 't1', lastMessage: `${n}` }], 'not exercised'],
  'a record that changes and changes back': [RECORD, (n) => [{ id: 't1', unreadMessages: n % 2 }], 'not exercised'],
  'a record that goes after the confirmation': [RECORD, (n) => (n < 3 ? TICKETS : [{ id: 't2' }]), 'not exercised'],
  'a record that stands still while another changes': [RECORD, (n) => [{ id: 't1' }, { id: `t${n}0` }], 'failed'],
  'a record whose place changes': [RECORD, (n) => [{ id: 't1', order: n }], 'failed'],
  'a record that changes where nothing is documented': [RECORD, (n) => [{ id: 't1', seen: n }], 'failed'],
  'a record that is not in the list': [{ ...RECORD, id: 't9' }, () => TICKETS, 'not exercised'],
  'a record that goes alone': [LISTED, (n) => (n < 2 ? TICKETS : [{ id: 't2' }]), 'failed'],
  'a record that changes and is listed still': [LISTED, (n) => [{ id: 't1', order: n }], 'failed'],
  'a record that goes as others do': [LISTED, (n) => (n < 2 ? TICKETS : [{ id: 't3' }]), 'not exercised'],
  'a list that stands still': ['listTickets', () => TICKETS, 'failed'],
  'a list that grows': ['listTickets', (n) => [...TICKETS, { id: `t${n}0` }], 'not exercised'],
  'an unpaged list in any order': ['listTickets', (n) => (n % 2 ? TICKETS : TICKETS.toReversed()), 'failed'],
  'a list that is not answered any more': ['listTickets', (n) => (n < 3 ? TICKETS : 500), 'not exercised'],
}

for (const [what, [basis, target, outcome]] of Object.entries(COMPARISONS))
  test(`a comparison that rests on ${what} is ${outcome}`, async () => {
    const result = await judgeOne(target, (trial) => differ(trial, basis))

    expect(result.outcome).toBe(outcome)
    expect(result.findings).toHaveLength(outcome === 'failed' ? 1 : 0)
  })

test('a record that goes while answers are kept for some time is not missed', async () => {
  let [answers, keptUntil] = [0, 0]
  const keptFor = () => {
    if (Date.now() > keptUntil) [answers, keptUntil] = [answers + 1, Date.now() + CACHED_MS / HURRY / 2]
    return [{ id: 't2', lastMessage: `${answers}` }, ...(answers < 3 ? [{ id: 't1' }] : [])]
  }

  const { outcome } = await judgeOne(keptFor, (trial) => differ(trial, RECORD))

  expect(outcome).toBe('not exercised')
})

test('what reads is judged together, then what writes one by one, and last what weighs everything', async () => {
  const log: string[] = []
  const logging = (name: string, phase?: Phase): Requirement =>
    requirement(async (trial) => {
      log.push(`${name} begins`)
      await trial.session.askAgain('listTickets')
      log.push(`${name} ends`)
    }, phase)
  const order = [logging('all', 'review'), logging('w1', 'write'), logging('r1'), logging('w2', 'write'), logging('r2')]

  const results = await judge(await sessionWith(() => TICKETS), order)

  expect(log.slice(0, 2)).toEqual(['r1 begins', 'r2 begins'])
  expect(log.slice(4)).toEqual(['w1 begins', 'w1 ends', 'w2 begins', 'w2 ends', 'all begins', 'all ends'])
  expect(results.map((result) => result.requirement)).toEqual(order)
})

const VERDICTS = `
implied: stated passed, implied passed -> conformant
implied: stated passed, implied failed -> nonconformant
stated: stated passed, implied failed -> conformant
stated: stated failed, implied passed -> nonconformant
implied: stated passed, implied not exercised -> incomplete
stated: stated passed, implied not exercised -> conformant
stated: stated not exercised, implied passed -> incomplete
implied: stated passed, observed not exercised -> conformant
implied: stated not exercised, implied broken -> broken
implied: stated passed, observed broken -> broken
implied: stated failed, implied broken -> nonconformant
stated: implied failed, stated broken -> broken
implied: observed passed -> incomplete
implied: -> incomplete`

test('the verdict follows from the outcomes of the requirements that LEVEL lets decide', () => {
  for (const line of VERDICTS.trim().split('\n')) {
    const [, level, outcomes, verdict] = /^(\w+):(.*) -> (\w+)$/.exec(line) as unknown as string[]
    const results = [...outcomes!.matchAll(/(\w+) (\w[^,]+)/g)].map(([, own, outcome]): Result => {
      const demand = { ...requirement(countTickets), level: own as Level }
      return { requirement: demand, outcome: outcome as Outcome, examined: {}, findings: [], observations: [] }
    })

    expect(verdictOn(results, level as 'implied' | 'stated'), line).toBe(verdict)
  }
})

function requirement(check: Requirement['check'], phase?: Phase): Requirement {
  const own = { id: crypto.randomUUID(), title: 'A fake.', source: 'Ticket', check, ...(phase && { phase }) }
  return { ...own, level: 'implied', operations: ['listTickets'] }
}

async function countTickets(trial: Trial): Promise<void> {
  trial.count('tickets', (await trial.list('listTickets')).records.length)
}

async function complain(trial: Trial, message: string): Promise<void> {
  trial.fail({ message, expected: 1, received: 2, exchange: (await trial.session.ask('listTickets')).exchange })
}

async function complainOfAny(trial: Trial): Promise<void> {
  trial.count('looks')
  if ((await trial.list('listTickets')).records.length > 0) await complain(trial, 'a ticket is wrong')
}

async function differ(trial: Trial, basis: Basis): Promise<void> {
  trial.count('tickets')
  const { exchange } = (await trial.list('listTickets')).records[0]!
  trial.differ({ message: 'a ticket is missing', expected: 't1', received: undefined, exchange }, basis)
}

async function judgeOne(target: Target, check: Requirement['check']): Promise<Result> {
  return (await judge(await sessionWith(target), [requirement(check)]))[0]!
}

async function sessionWith(target: Target): Promise<Session> {
  let requests = 0
  const url = await serve((_, response) => {
    const answer = target(++requests)
    response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ tickets: answer }))
  })
  return sessionOf(url, {}, hurriedTime)
}
