import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { combine } from '../../fixtures/faults/variants/combinations.ts'
import type { Reply } from '../../fixtures/service/answer.ts'
import type { Call } from '../../fixtures/service/call.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { ACCESS_TOKEN, OTHER_ACCESS_TOKEN } from '../../fixtures/service/tokens.ts'
import { conformance, type Conformance, type Frame } from '../engine/judging/conformance.ts'
import { Contract } from '../engine/contract.ts'
import { preflight } from '../engine/judging/preflight.ts'
import { readRunSettings, type RunSettings, type TargetSettings } from '../engine/settings/settings.ts'
import { Run } from '../engine/judging/run.ts'
import { Session } from '../engine/judging/session.ts'
import type { SimulatedTime } from '../proving/simulated-time.ts'
import { register } from '../requirements/register.ts'
import { everythingOf, reportOf } from './child-run.ts'
import {
  failures,
  judgeEverything,
  known,
  reasonsOf,
  refusal,
  told,
  type Arrive,
  type Arriving,
} from './judge-everything.ts'
import { DATASET_FILE, test } from './own-target.ts'
import { simulatedTarget } from './simulated-target.ts'

const contract = new Contract()
/** Enough to need many requests, of which some read, some filter and some must be refused. */
const judged = register(contract).filter(
  ({ id }) => /^listTickets\.(filter|search|answer|authentication|isolation)\b/.test(id) || id.startsWith('Ticket.'),
)

/** What comes of a call. */
type Outcome = (time: SimulatedTime) => ReturnType<Arrive>

const SILENCE: Outcome = (time) => time.hold(1e9).then(() => undefined)
const SLOWLY: Outcome = (time) => time.hold(300).then(() => undefined)
const RESET: Reply = { status: 500, headers: {}, body: '', transmit: (outgoing) => outgoing.socket?.resetAndDestroy() }
const JSON_404: Reply = { status: 404, headers: { 'content-type': 'application/json' }, body: '{"message":"no route"}' }
const MAINTENANCE: Reply = { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>Back soon' }

function outcomeOf(what: Reply | Outcome, time: SimulatedTime): ReturnType<Arrive> {
  return typeof what === 'function' ? what(time) : what
}

/** From one call on, for some time: the nth, or the first of a kind. */
function outage(first: number | ((call: Call) => boolean), ms: number, what: Reply | Outcome): Arriving {
  return (time) => {
    let until = 0
    return (call) => {
      if (typeof first === 'number' ? call.nth >= first : first(call)) until ||= time.now() + ms
      return time.now() < until ? outcomeOf(what, time) : undefined
    }
  }
}

/** What comes of some calls; all others are answered. */
function ofCalls(isIt: (call: Call) => boolean, arriving: Arriving): Arriving {
  return (time) => {
    const arrive = arriving(time)
    return (call) => (isIt(call) ? arrive(call) : undefined)
  }
}

/** What always comes of calls, or from one of them on. */
function always(what: Reply | Outcome, first = 1): Arriving {
  return (time) => (call) => (call.nth >= first ? outcomeOf(what, time) : undefined)
}

function hasBadToken({ request, tokens }: Call): boolean {
  return ![...tokens.keys()].some((token) => request.headers.get('authorization') === `Bearer ${token}`)
}

function isForAllTickets({ operation, query }: Call): boolean {
  return operation === 'listTickets' && query.size === 0
}

function isOfTheSecond({ request }: Call): boolean {
  return request.headers.get('authorization') === `Bearer ${OTHER_ACCESS_TOKEN}`
}

function isForTicketsOfTheSecond(call: Call): boolean {
  return call.operation === 'listTickets' && isOfTheSecond(call)
}

/** So many requests in each window of some milliseconds. */
function quota(most: number, ms: number, headers?: Record<string, string>): Arriving {
  return (time) => {
    let [window, count] = [0, 0]
    return () => {
      const now = Math.floor(time.now() / ms)
      if (now !== window) [window, count] = [now, 0]
      return ++count > most ? refusal(429, headers) : undefined
    }
  }
}

/** So many requests in any period of some milliseconds. */
function slidingQuota(most: number, ms: number, status: number): Arriving {
  return ({ now }) => {
    const accepted: number[] = []
    return () => {
      while (accepted.length > 0 && accepted[0]! <= now() - ms) accepted.shift()
      if (accepted.length >= most) return refusal(status)
      accepted.push(now())
      return undefined
    }
  }
}

/** A limit for each operation by itself. */
function ofEach(limit: Arriving): Arriving {
  return (time) => {
    const limits = new Map<string | undefined, Arrive>()
    return (call) => {
      const own = limits.get(call.operation) ?? limit(time)
      limits.set(call.operation, own)
      return own(call)
    }
  }
}

/** From one request on, for some time, a limit on the number of requests and an outage by turns. */
function byTurns(first: number, ms: number): Arriving {
  return (time) => {
    const [limited, down] = [429, 503].map((status) => outage(first, ms, refusal(status))(time))
    return (call) => (call.nth % 2 === 0 ? limited! : down!)(call)
  }
}

/** What is trouble and no fault, and what is said to have been waited for. */
const TROUBLE: Readonly<Record<string, readonly [Arriving, RegExp]>> = {
  'an outage with 503': [outage(40, 3000, refusal(503)), /down/],
  'an outage with 502 and a Retry-After': [outage(40, 3000, refusal(502, { 'retry-after': '1' })), /down/],
  "a redeploy in which a gateway's 404 comes": [outage(40, 3000, refusal(404)), /down/],
  "a redeploy in which a gateway's 404 in JSON comes": [outage(40, 3000, JSON_404), /down/],
  'a page on maintenance with status 200': [outage(40, 3000, MAINTENANCE), /down/],
  'a restart that resets connections': [outage(60, 3000, RESET), /down/],
  'a freeze in which nothing is answered': [outage(50, 3000, SILENCE), /down|hung/],
  'an outage while bad tokens are sent': [outage(hasBadToken, 2500, refusal(503)), /down/],
  'a quota without Retry-After': [quota(40, 1500), /number/],
  'an outage of one list for the second company': [
    ofCalls(isForTicketsOfTheSecond, outage(1, 3000, refusal(503))),
    /down/,
  ],
  'a quota and an outage by turns': [byTurns(40, 3000), /number/],
  'a quota with Retry-After': [quota(60, 2000, { 'retry-after': '1' }), /number/],
}

for (const [what, [arriving, waited]] of Object.entries(TROUBLE))
  test(`${what} is waited out, and told`, async () => {
    const { verdict, results, session } = await judge(arriving)

    expect(results.filter(({ outcome }) => outcome !== 'passed').map(told)).toEqual([])
    expect(verdict).toBe('conformant')
    expect(session.run.waited.map((one) => one.what).join()).toMatch(waited)
  })

/** Hangs twice, and answers from then on. */
const TWICE: Arriving = (time) => {
  let hangs = 0
  return () => (++hangs <= 2 ? SILENCE(time) : undefined)
}
const JSON_TYPE = { 'content-type': 'application/json' }
const LONG = JSON.stringify({ tickets: ['x'.repeat(17 * 1024 * 1024)] })
/** A list that is larger than the suite reads. */
const LARGE: Reply = {
  status: 200,
  headers: JSON_TYPE,
  body: LONG,
  transmit: (out) => out.writeHead(200, JSON_TYPE).end(LONG),
}

/** What keeps a run from judging everything and is no fault, and the reason that names what it was, or the remedy. */
const INCOMPLETE: Readonly<Record<string, readonly [Arriving, RegExp, Judged?]>> = {
  'a list that hangs each time it is asked, and is answered at last': [
    ofCalls(isForTicketsOfTheSecond, TWICE),
    /run again where it is answered at last/,
  ],
  'a list that is larger than the suite reads': [
    ofCalls(isForAllTickets, always(LARGE)),
    /gave an answer of more than 16 MB, which the suite does not read/,
  ],
  'a quota that never ends': [always(refusal(429), 40), /set MAX_REQUESTS_PER_SECOND/],
  'a run that takes longer than MAX_DURATION_S': [
    always(SLOWLY),
    /MAX_DURATION_S \(2\) was over before this was looked at; raise it\./,
    { settings: { maxDurationS: 2 } },
  ],
  'a token that expires': [always(refusal(401), 60), expired(401)],
  'a token that expires after the first answer': [always(refusal(401), 3), expired(401)],
  'a token that expires, and is sent to a login': [always(refusal(302, { location: '/login' }), 30), expired(302)],
}

for (const [what, [arriving, why, given]] of Object.entries(INCOMPLETE))
  test(`${what} is no fault: what was judged stands, the rest says why`, async () => {
    const judged = await judge(arriving, given)

    expect(failures(judged)).toEqual([])
    expect(judged.verdict).toBe('incomplete')
    expect(reasonsOf(judged)).toMatch(why)
  })

/** What is said of a token that is refused with a status from some request on. */
function expired(status: number): RegExp {
  return new RegExp(
    `ACCESS_TOKEN expired in the middle of the run \\(status ${status} in exchange \\d+\\); give .*ACCESS_TOKEN_COMMAND`,
  )
}

const RESTARTING = {
  'resets connections': RESET,
  'answers 503': refusal(503),
  "is behind a gateway that answers 404 in the target's stead": JSON_404,
  'is behind a page on maintenance': MAINTENANCE,
  hangs: SILENCE,
}

for (const [what, reply] of Object.entries(RESTARTING))
  test(`a run that begins while the target ${what} waits for it, and says so`, async () => {
    const { verdict, session } = await judge(outage(1, 2500, reply), { begin: preflight })
    expect(verdict).toBe('conformant')
    expect(session.run.waited).toContainEqual(expect.objectContaining({ what: 'the target was down' }))
  })

for (const [what, reply] of Object.entries({ 'gets 503': refusal(503), hangs: SILENCE }))
  test(`a second token that ${what} from the start is named`, async () => {
    await expect(
      judge(ofCalls(isOfTheSecond, always(reply)), { settings: { maxDurationS: 40 }, begin: preflight }),
    ).rejects.toThrow(/, asked with OTHER_ACCESS_TOKEN,/)
  })

/** What limits the number of requests. */
const LIMITS: Readonly<Record<string, Arriving>> = {
  'of 100 in each minute': quota(100, 60_000),
  'of 100 in any minute': slidingQuota(100, 60_000, 429),
  'of 100 in any ten seconds': slidingQuota(100, 10_000, 429),
  'of 100 in any minute, refused with 503': slidingQuota(100, 60_000, 503),
  'of 40 in any minute for each operation, refused with 503': ofEach(slidingQuota(40, 60_000, 503)),
}

for (const [what, limit] of Object.entries(LIMITS))
  test(`a pace is learned from refusals: a quota ${what} refuses few of all requests`, async () => {
    const { verdict, session } = await judgeEverything(limit)

    expect(verdict).toBe('conformant')
    const refused = session.evidence.exchanges.filter(({ response }) => [429, 503].includes(response?.status ?? 0))
    expect(refused.length).toBeGreaterThan(10)
    expect(refused.length).toBeLessThan(session.evidence.exchanges.length / 8)
  })

test('where every third request is refused however slowly they come, none is spaced out', async () => {
  const { verdict, session } = await judgeEverything(ofCalls(({ nth }) => nth % 3 === 0, always(refusal(429))))

  expect(verdict).toBe('conformant')
  expect(session.run.waited[0]!.seconds).toBeLessThan(30)
})

/** One request after the other, some of which take longer; what comes meanwhile is refused. */
const oneAtATime: Arriving = (time) => {
  let isBusy = false
  return async ({ nth }) => {
    if (isBusy) return refusal(429)
    isBusy = true
    await time.hold(nth % 5 === 0 ? 300 : 10)
    isBusy = false
    return undefined
  }
}

test('where one request is answered at a time, one is sent at a time', async () => {
  const { verdict, session } = await judgeEverything(oneAtATime)

  expect(verdict).toBe('conformant')
  const { exchanges } = session.evidence
  const refused = exchanges.filter(({ response }) => response?.status === 429)
  expect(refused.length).toBeLessThan(exchanges.length / 50)
})

test('calls that a firewall drops for their text are not sent again and again', async () => {
  const { verdict, session } = await judge(ofCalls(hasMarkup, always(RESET)))

  expect(verdict).toBe('conformant')
  const dropped = session.evidence.exchanges.filter(({ failure }) => failure?.kind === 'dropped')
  const distinct = new Set(dropped.map(({ request }) => request.target))
  expect(distinct.size).toBeGreaterThan(2)
  // Two are retried at length.
  expect(dropped.length).toBeLessThanOrEqual(2 * 7 + 3 * (distinct.size - 2))
  expect(session.run.waited).toContainEqual(expect.objectContaining({ what: 'single requests were sent again' }))
})

for (const [what, reply] of Object.entries({ 'answers 503': refusal(503), hangs: SILENCE, 'is gone': RESET }))
  test(`a target that ${what} from some request on breaks the run within seconds, and no requirement`, async () => {
    const judged = await judge(always(reply, 60))

    expect(failures(judged)).toEqual([])
    expect(judged.verdict).toBe('broken')
    expect(judged.session.run.trouble).toMatch(
      /^The target was down at GET \/api\/\S+ \(exchange \d+\).* was waited for [5-9] s/,
    )
  })

/** What is never answered while all else is, and the requirement that says so. */
const SILENT: Readonly<Record<string, readonly [Arriving, string]>> = {
  'a list': [ofCalls(({ operation }) => operation === 'listTickets', always(SILENCE)), 'listTickets.answer.status'],
  'a filter': [ofCalls(({ query }) => query.has('status'), always(SILENCE)), 'listTickets.answer.status'],
  'a search': [ofCalls(({ query }) => query.has('searchParam'), always(SILENCE)), 'listTickets.answer.status'],
  'a list that always gets 503': [
    ofCalls(({ operation }) => operation === 'listTickets', always(refusal(503))),
    'listTickets.answer.status',
  ],
  'a list that gets 503 from some request on': [
    ofCalls(({ operation }) => operation === 'listTickets', always(refusal(503), 81)),
    'listTickets.answer.status',
  ],
}

for (const [what, [arriving, id]] of Object.entries(SILENT))
  test(`${what} that is never answered while all else is fails ${id}`, async () => {
    const { results } = await judge(arriving)

    const result = results.find(({ requirement }) => requirement.id === id)!
    expect(result.outcome, told(result)).toBe('failed')
  })

for (const [what, keptWaiting] of Object.entries({ 'get 503': refusal(503), hang: SILENCE }))
  for (const accepted of [0, 1, 12, 60])
    test(`updates that ${what} for good once ${accepted} were accepted are a finding in under 90 s`, async () => {
      const { results, session } = await judgeEverything((time) => {
        let updates = 0
        return ({ operation }) =>
          operation === 'updateContact' && ++updates > accepted ? outcomeOf(keptWaiting, time) : undefined
      })

      const failed = results.filter(({ outcome }) => outcome === 'failed')
      expect(failed.map(({ requirement }) => requirement.id)).toEqual(['updateContact.answer.status'])
      // What is left open of an update is not learned from those that came to nothing.
      if (accepted === 0) return
      const observed = results.find(({ requirement }) => requirement.id === 'updateContact.observed.required-fields')
      expect(observed!.observations.map(({ value }) => value)).not.toContainEqual(expect.arrayContaining(['name']))
      const { exchanges } = session.evidence
      expect(exchanges.at(-1)!.startedAt.getTime() - exchanges[0]!.startedAt.getTime()).toBeLessThan(90_000)
    })

test('pages that hang after the first are a finding where the data set has more', async () => {
  const judged = await judgeEverything(
    ofCalls(({ query }) => Number(query.get('pageNumber') ?? 1) > 1, always(SILENCE)),
  )

  const failed = judged.results.filter(({ outcome }) => outcome === 'failed').map(({ requirement }) => requirement.id)
  expect(failed.toSorted()).toEqual(['listContacts.answer.status', 'listSchedules.answer.status'])
  expect(reasonsOf(judged)).not.toContain('Needs two pages')
})

test('dates that get 502, however they are written, are not taken for dates that are refused', async () => {
  const { results } = await judgeEverything(ofCalls(({ query }) => query.has('date'), always(refusal(502))))

  const failed = results.filter(({ outcome }) => outcome === 'failed')
  expect(failed.map(({ requirement }) => requirement.id)).toContain('listContacts.date.date')
})

test('a bad token that is never answered is refused, and costs no more than some seconds', async () => {
  const { verdict, session } = await judge(ofCalls(hasBadToken, always(SILENCE)))

  expect(verdict).not.toBe('nonconformant')
  expect(session.run.waited).toMatchObject([{ what: 'requests hung' }])
})

test('a target that refuses everything with 404 in words is not taken for one that is down', async () => {
  const { deviation } = combine(['refusals-are-not-found-in-words', 'update-refuses-number'])
  const judged = await judgeEverything(() => () => undefined, {}, deviation)

  expect(failures(judged)).toEqual([])
  expect(judged.session.run.waited).toEqual([])
})

for (const status of [400, 404])
  test(`a token that expires, and is answered with ${status}, is no fault`, async () => {
    const judged = await judge(always(refusal(status), 30))

    expect(failures(judged)).toEqual([])
    expect(judged.session.run.trouble).toContain(`or took the token no more (status ${status})`)
  })

for (const [printed, which] of [
  [ACCESS_TOKEN, 'the same token again'],
  ['a-token-that-nobody-knows', 'a token that was refused too'],
] as const)
  test(`an expired token whose command prints ${which} is no fault`, async () => {
    const judged = await judge(always(refusal(401), 30), { target: { accessTokenCommand: `echo ${printed}` } })

    expect(failures(judged)).toEqual([])
    expect(reasonsOf(judged)).toMatch(
      new RegExp(`ACCESS_TOKEN expired in the middle of .*, and ACCESS_TOKEN_COMMAND printed ${which}; run it by hand`),
    )
  })

for (const [what, login] of [
  ['is sent to a login', refusal(302, { location: '/login' })],
  ['gets the page of a login', MAINTENANCE],
] as const)
  test(`a command prints a fresh token, too, where an expired one ${what}`, async () => {
    const [first, second] = [ACCESS_TOKEN, 'the-second-token-of-all']
    for (const expiresAt of [30, 60, 90]) {
      const toLogin: Arriving =
        () =>
        ({ tokens, nth, request }) => {
          const isFirst = request.headers.get('authorization') === `Bearer ${first}`
          if (nth === expiresAt) (tokens as Map<string, string>).set(second, tokens.get(first)!)
          return isFirst && nth >= expiresAt ? login : undefined
        }

      const judged = await judge(toLogin, { target: { accessTokenCommand: `echo ${second}` } })

      expect(failures(judged)).toEqual([])
      expect(judged.verdict).toBe('conformant')
    }
  })

test('a call that is always refused while the token is good elsewhere is a fault', async () => {
  const { results } = await judge(ofCalls(({ query }) => query.get('status') === 'open', always(refusal(401))))

  expect(results.find(({ requirement }) => requirement.id === 'listTickets.answer.status')?.outcome).toBe('failed')
})

test('a command prints a token at the start, and a fresh one when it has expired; none is written anywhere', async ({
  run,
  target,
}, testInfo) => {
  const [first, second] = ['the-first-token-of-all', 'the-second-token-of-all']
  const file = testInfo.outputPath('token')
  writeFileSync(file, first)
  const rotating: Deviation = {
    arrive: ({ tokens, nth }) => {
      const company = tokens.get(first)
      if (company === undefined || nth < 60) return undefined
      writeFileSync(file, second)
      const all = tokens as Map<string, string>
      all.delete(first)
      all.set(second, company)
      return undefined
    },
  }
  const service = await target({ deviations: [rotating], token: first })
  const command = `${process.execPath} -p "require('fs').readFileSync('${file}', 'utf8')"`

  const ended = await run({ BASE_URL: service.url, ACCESS_TOKEN_COMMAND: command, DATASET: DATASET_FILE }, ['tickets'])

  expect(ended.exitCode, ended.output).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe(second)
  expect(reportOf(ended).totals).toMatchObject({ failed: 0, broken: 0 })
  expect(reportOf(ended).requirements.filter(({ reason = '' }) => /expired|refused/.test(reason))).toEqual([])
  for (const [name, text] of everythingOf(ended))
    for (const token of [first, second]) expect(text.includes(token), name).toBe(false)
})

function hasMarkup({ query }: Call): boolean {
  return /[<'"%(\\]/.test(query.get('searchParam') ?? '')
}

interface Judged {
  readonly settings?: Partial<RunSettings>
  readonly target?: Partial<TargetSettings>
  readonly begin?: Frame['begin']
}

/** Judges a service by some requirements, and waits for it less long than a run does. */
function judge(arriving: Arriving, { settings, target: more, begin }: Judged = {}): Promise<Conformance> {
  const limits = { requestTimeoutMs: 1500, waitLimits: { quotaMs: 5000, outageMs: 6000, silenceMs: 6000 } }
  const own = { ...readRunSettings({ SEED: '1' }), ...limits, ...settings }
  const { target, way } = simulatedTarget(own, (time) => [{ arrive: arriving(time) }])
  const readOnly = { ...target, allowWrites: false, ...more }
  return conformance(readOnly, own, contract, judged, { dataset: known, ...way, ...(begin && { begin }) })
}

test('what is put back does not wait for requests that nobody wants any more', async () => {
  const settings = readRunSettings({ MAX_REQUESTS_PER_SECOND: '1' })
  const { target, way } = simulatedTarget(settings)
  const session = new Session(new Run(target, settings, contract, way))
  const asked = Promise.allSettled(Array.from({ length: 100 }, () => session.attempt('listTags')))

  session.run.interrupt()
  await asked

  const begun = way.time.now()
  const left = await session.run.close(async () => {
    const { success } = await session.attempt('listTags')
    return success ? [] : ['no answer']
  })
  expect(left).toEqual([])
  expect(way.time.now() - begun).toBeLessThan(2000)
})
