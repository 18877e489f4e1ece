import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import type { Reply } from '../../fixtures/service/answer.ts'
import type { Call } from '../../fixtures/service/call.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { createService, type Service } from '../../fixtures/service/start-service.ts'
import { ACCESS_TOKEN, OTHER_ACCESS_TOKEN } from '../../fixtures/service/tokens.ts'
import { conformance, type Conformance, type Frame } from '../engine/conformance.ts'
import { Contract } from '../engine/contract.ts'
import { preflight } from '../engine/preflight.ts'
import { readRunSettings, type RunSettings, type TargetSettings } from '../engine/settings.ts'
import { Run } from '../engine/run.ts'
import { Session } from '../engine/session.ts'
import { InProcess } from '../proving/in-process.ts'
import { SimulatedTime } from '../proving/simulated-time.ts'
import { register } from '../requirements/register.ts'
import { everythingOf, reportOf } from './child-run.ts'
import { judgeEverything, known, refusal, told, type Arrive } from './judge-everything.ts'
import { DATASET_FILE, test } from './own-target.ts'

const contract = new Contract()
/** Enough to need many requests, of which some read, some filter and some must be refused. */
const judged = register(contract).filter(
  ({ id }) => /^listTickets\.(filter|search|answer|authentication|isolation)\b/.test(id) || id.startsWith('Ticket.'),
)

const SILENCE: Reply = { status: 200, headers: {}, body: '', transmit: () => undefined }
const RESET: Reply = { status: 500, headers: {}, body: '', transmit: (outgoing) => outgoing.socket?.resetAndDestroy() }
const JSON_404: Reply = { status: 404, headers: { 'content-type': 'application/json' }, body: '{"message":"no route"}' }
const MAINTENANCE: Reply = { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>Back soon' }
/** From one call on, for some time: the nth, or the first of a kind. */
function outage(first: number | ((call: Call) => boolean), ms: number, reply: Reply): Arrive {
  let until: number | undefined
  return (call) => {
    if (typeof first === 'number' ? call.nth >= first : first(call)) until ??= Date.now() + ms
    return Date.now() < (until ?? 0) ? reply : undefined
  }
}

function hasBadToken({ request }: Call): boolean {
  return request.headers.get('authorization') !== `Bearer ${ACCESS_TOKEN}`
}

/** What comes of the second company's first calls for tickets. */
function forTicketsOfTheSecond(arrive: Arrive): Arrive {
  return (call) =>
    call.operation === 'listTickets' && call.request.headers.get('authorization') === `Bearer ${OTHER_ACCESS_TOKEN}`
      ? arrive(call)
      : undefined
}

/** What the second company gets. */
function toTheSecond(reply: Reply): Arrive {
  return ({ request }) => (request.headers.get('authorization') === `Bearer ${OTHER_ACCESS_TOKEN}` ? reply : undefined)
}

/** So many requests in each window of some milliseconds. */
function quota(most: number, ms: number, headers?: Record<string, string>, time: () => number = Date.now): Arrive {
  let window = 0
  let count = 0
  return () => {
    const now = Math.floor(time() / ms)
    if (now !== window) [window, count] = [now, 0]
    return ++count > most ? refusal(429, headers) : undefined
  }
}

/** So many requests in any period of some milliseconds. */
function slidingQuota(most: number, ms: number, status: number, now: () => number): Arrive {
  const accepted: number[] = []
  return () => {
    while (accepted.length > 0 && accepted[0]! <= now() - ms) accepted.shift()
    if (accepted.length >= most) return refusal(status)
    accepted.push(now())
    return undefined
  }
}

/** A limit for each operation by itself. */
function ofEach(limit: () => Arrive): Arrive {
  const limits = new Map<string | undefined, Arrive>()
  return (call) => {
    const own = limits.get(call.operation) ?? limit()
    limits.set(call.operation, own)
    return own(call)
  }
}

/** From one request on, for some time, a limit on the number of requests and an outage by turns. */
function byTurns(first: number, ms: number): Arrive {
  const [limited, down] = [outage(first, ms, refusal(429)), outage(first, ms, refusal(503))]
  return (call) => (call.nth % 2 === 0 ? limited : down)(call)
}

/** What is trouble and no fault, and what is said to have been waited for. */
const TROUBLE: Readonly<Record<string, readonly [Arrive, RegExp]>> = {
  'an outage with 503': [outage(40, 3000, refusal(503)), /down/],
  'an outage with 502 and a Retry-After': [outage(40, 3000, refusal(502, { 'retry-after': '1' })), /down/],
  "a redeploy in which a gateway's 404 comes": [outage(40, 3000, refusal(404)), /down/],
  "a redeploy in which a gateway's 404 in JSON comes": [outage(40, 3000, JSON_404), /down/],
  'a page on maintenance with status 200': [outage(40, 3000, MAINTENANCE), /down/],
  'a restart that resets connections': [outage(60, 3000, RESET), /down/],
  'a freeze in which nothing is answered': [outage(50, 3000, SILENCE), /down|hung/],
  'an outage while bad tokens are sent': [outage(hasBadToken, 2500, refusal(503)), /down/],
  'a quota without Retry-After': [quota(40, 1500), /number/],
  'an outage of one list for the second company': [forTicketsOfTheSecond(outage(1, 3000, refusal(503))), /down/],
  'a quota and an outage by turns': [byTurns(40, 3000), /number/],
  'a quota with Retry-After': [quota(60, 2000, { 'retry-after': '1' }), /number/],
}

for (const [what, [arrive, waited]] of Object.entries(TROUBLE))
  test(`${what} is waited out, and told`, async ({ target }) => {
    const { verdict, results, session } = await judge(await target({ deviations: [{ arrive }] }))

    expect(results.filter(({ outcome }) => outcome !== 'passed').map(told)).toEqual([])
    expect(verdict).toBe('conformant')
    expect(session.run.waited.map((one) => one.what).join()).toMatch(waited)
  })

test('a list that hangs each time it is asked, and is answered at last, is no fault', async ({ target }) => {
  let hangs = 0
  const arrive = forTicketsOfTheSecond(() => (++hangs <= 2 ? SILENCE : undefined))

  const { verdict, results } = await judge(await target({ deviations: [{ arrive }] }))

  expect(results.filter(({ outcome }) => outcome === 'failed').map(told)).toEqual([])
  expect(verdict).toBe('incomplete')
  expect(results.map(({ reason }) => reason ?? '').join()).toContain('run again where it is answered at last')
})

const RESTARTING = {
  'resets connections': RESET,
  'answers 503': refusal(503),
  "is behind a gateway that answers 404 in the target's stead": JSON_404,
  'is behind a page on maintenance': MAINTENANCE,
  hangs: SILENCE,
}

for (const [what, reply] of Object.entries(RESTARTING))
  test(`a run that begins while the target ${what} waits for it, and says so`, async ({ target }) => {
    const { verdict, session } = await judge(
      await target({ deviations: [{ arrive: outage(1, 2500, reply) }] }),
      {},
      preflight,
    )
    expect(verdict).toBe('conformant')
    expect(session.run.waited).toContainEqual(expect.objectContaining({ what: 'the target was down' }))
  })

for (const [what, reply] of Object.entries({ 'gets 503': refusal(503), hangs: SILENCE }))
  test(`a second token that ${what} from the start is named`, async ({ target }) => {
    const service = await target({ deviations: [{ arrive: toTheSecond(reply) }] })

    await expect(judge(service, { maxDurationS: 40 }, preflight)).rejects.toThrow(/, asked with OTHER_ACCESS_TOKEN,/)
  })

/** What limits the number of requests, on a clock of its own. */
const LIMITS: Readonly<Record<string, (now: () => number) => Arrive>> = {
  'of 100 in each minute': (now) => quota(100, 60_000, {}, now),
  'of 100 in any minute': (now) => slidingQuota(100, 60_000, 429, now),
  'of 100 in any ten seconds': (now) => slidingQuota(100, 10_000, 429, now),
  'of 100 in any minute, refused with 503': (now) => slidingQuota(100, 60_000, 503, now),
  'of 40 in any minute for each operation, refused with 503': (now) => ofEach(() => slidingQuota(40, 60_000, 503, now)),
}

for (const [what, limit] of Object.entries(LIMITS))
  test(`a pace is learned from refusals: a quota ${what} refuses few of all requests`, async () => {
    const { verdict, session } = await judgeEverything(limit)

    expect(verdict).toBe('conformant')
    const refused = session.evidence.exchanges.filter(({ response }) => [429, 503].includes(response?.status ?? 0))
    expect(refused.length).toBeGreaterThan(10)
    expect(refused.length).toBeLessThan(session.evidence.exchanges.length / 6)
  })

test('where every third request is refused however slowly they come, none is spaced out', async () => {
  const { verdict, session } = await judgeEverything(
    () =>
      ({ nth }) =>
        nth % 3 === 0 ? refusal(429) : undefined,
  )

  expect(verdict).toBe('conformant')
  expect(session.run.waited[0]!.seconds).toBeLessThan(30)
})

test('calls that a firewall drops for their text are not sent again and again', async ({ target }) => {
  const { verdict, session } = await judge(await target({ deviations: [{ arrive: droppingMarkup }] }))

  expect(verdict).toBe('conformant')
  const dropped = session.evidence.exchanges.filter(({ failure }) => failure?.kind === 'dropped')
  const distinct = new Set(dropped.map(({ request }) => request.target))
  expect(distinct.size).toBeGreaterThan(2)
  // Two are retried at length.
  expect(dropped.length).toBeLessThanOrEqual(2 * 7 + 3 * (distinct.size - 2))
  expect(session.run.waited).toContainEqual(expect.objectContaining({ what: 'single requests were sent again' }))
})

test('a list that is larger than the suite reads is no fault, and is said to be', async ({ target }) => {
  const body = JSON.stringify({ tickets: ['x'.repeat(17 * 1024 * 1024)] })
  const large: Reply = { status: 200, headers: { 'content-type': 'application/json' }, body }
  const arrive: Arrive = ({ operation, query }) => (operation === 'listTickets' && query.size === 0 ? large : undefined)

  const { verdict, results } = await judge(await target({ deviations: [{ arrive }] }))

  expect(results.filter(({ outcome }) => outcome === 'failed').map(told)).toEqual([])
  expect(verdict).toBe('incomplete')
  expect(results.map(({ reason }) => reason ?? '').join('\n')).toContain(
    'gave an answer of more than 16 MB, which the suite does not read',
  )
})

test('a quota that never ends is no fault, and the setting that helps is named', async ({ target }) => {
  const { verdict, results } = await judge(await target({ deviations: [{ arrive: outage(40, 1e9, refusal(429)) }] }))

  expect(verdict).toBe('incomplete')
  expect(results.map(({ reason }) => reason ?? '').join('\n')).toContain('set MAX_REQUESTS_PER_SECOND')
})

for (const [what, reply] of Object.entries({ 'answers 503': refusal(503), hangs: SILENCE, 'is gone': RESET }))
  test(`a target that ${what} from some request on breaks the run within seconds, and no requirement`, async ({
    target,
  }) => {
    const { verdict, results, session } = await judge(
      await target({ deviations: [{ arrive: outage(60, 1e9, reply) }] }),
    )

    expect(results.filter(({ outcome }) => outcome === 'failed').map(told)).toEqual([])
    expect(verdict).toBe('broken')
    expect(session.run.trouble).toMatch(
      /^The target was down at GET \/api\/\S+ \(exchange \d+\).* was waited for [5-9] s/,
    )
  })

/** What is never answered while all else is, and the requirement that says so. */
const SILENT: Readonly<Record<string, readonly [Arrive, string]>> = {
  'a list': [({ operation }) => (operation === 'listTickets' ? SILENCE : undefined), 'listTickets.answer.status'],
  'a filter': [({ query }) => (query.has('status') ? SILENCE : undefined), 'listTickets.answer.status'],
  'a search': [({ query }) => (query.has('searchParam') ? SILENCE : undefined), 'listTickets.search.finds'],
  'a list that always gets 503': [
    ({ operation }) => (operation === 'listTickets' ? refusal(503) : undefined),
    'listTickets.answer.status',
  ],
  'a list that gets 503 from some request on': [
    (call) => (call.operation === 'listTickets' && call.nth > 80 ? refusal(503) : undefined),
    'listTickets.answer.status',
  ],
}

for (const [what, [arrive, id]] of Object.entries(SILENT))
  test(`${what} that is never answered while all else is fails ${id}`, async ({ target }) => {
    const { results } = await judge(await target({ deviations: [{ arrive }] }))

    const result = results.find(({ requirement }) => requirement.id === id)!
    expect(result.outcome, told(result)).toBe('failed')
  })

for (const [what, keptWaiting] of [
  ['get 503', () => refusal(503)],
  ['hang', (time: SimulatedTime) => time.hold(1e9).then(() => undefined)],
] as const)
  for (const accepted of [0, 1, 12, 60])
    test(`updates that ${what} for good once ${accepted} were accepted are a finding in under 90 s`, async () => {
      const { results, session } = await judgeEverything((_now, time) => {
        let updates = 0
        return ({ operation }) =>
          operation === 'updateContact' && ++updates > accepted ? keptWaiting(time) : undefined
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
  const { results } = await judgeEverything(
    (_now, time) =>
      ({ query }) =>
        Number(query.get('pageNumber') ?? 1) > 1 ? time.hold(1e9).then(() => undefined) : undefined,
  )

  const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ requirement }) => requirement.id)
  expect(failed.toSorted()).toEqual(['listContacts.answer.status', 'listSchedules.answer.status'])
  expect(results.map(({ reason }) => reason ?? '').join('\n')).not.toContain('Needs two pages')
})

test('dates that get 502, however they are written, are not taken for dates that are refused', async () => {
  const { results } = await judgeEverything(
    () =>
      ({ query }) =>
        query.has('date') ? refusal(502) : undefined,
  )

  const failed = results.filter(({ outcome }) => outcome === 'failed')
  expect(failed.map(({ requirement }) => requirement.id)).toContain('listContacts.date.date')
})

test('a bad token that is never answered is refused, and costs no more than some seconds', async ({ target }) => {
  const good = new Set<string>()
  const arrive: Arrive = ({ request }) => (good.has(request.headers.get('authorization') ?? '') ? undefined : SILENCE)
  const service = await target({ deviations: [{ arrive }] })
  for (const token of [service.accessToken, service.otherAccessToken]) good.add(`Bearer ${token}`)

  const { verdict, session } = await judge(service)

  expect(verdict).not.toBe('nonconformant')
  expect(session.run.waited).toMatchObject([{ what: 'requests hung' }])
})

test('MAX_DURATION_S ends a run in a result: what was judged stands, the rest names the setting', async ({
  target,
}) => {
  const { verdict, results } = await judge(await target({ deviations: [{ arrive: slowly }] }), { maxDurationS: 2 })

  expect(verdict).toBe('incomplete')
  const reasons = results.map(({ reason }) => reason ?? '').join('\n')
  expect(reasons).toContain('MAX_DURATION_S (2) was over before this was looked at; raise it.')
})

test('a token that expires is no fault: what was judged stands, the rest names the remedy', async ({ target }) => {
  const service = await target({ deviations: [{ arrive: expiring(60) }] })

  const { verdict, results } = await judge(service)

  expect(results.filter(({ outcome }) => outcome === 'failed').map(told)).toEqual([])
  expect(verdict).toBe('incomplete')
  expect(results.map(({ reason }) => reason ?? '').join('\n')).toMatch(
    /ACCESS_TOKEN expired in the middle of the run \(status 401 in exchange \d+\); give .*ACCESS_TOKEN_COMMAND/,
  )
})

for (const status of [400, 404])
  test(`a token that expires, and is answered with ${status}, is no fault`, async ({ target }) => {
    const { results, session } = await judge(
      await target({ deviations: [{ arrive: ({ nth }) => (nth >= 30 ? refusal(status) : undefined) }] }),
    )

    expect(results.filter(({ outcome }) => outcome === 'failed').map(told)).toEqual([])
    expect(session.run.trouble).toContain(`or took the token no more (status ${status})`)
  })

test('a token that expires, and is sent to a login, is no fault, and is told within seconds', async ({ target }) => {
  const login = refusal(302, { location: '/login' })
  const service = await target({ deviations: [{ arrive: ({ nth }) => (nth >= 30 ? login : undefined) }] })

  const { verdict, results } = await judge(service)

  expect(results.filter(({ outcome }) => outcome === 'failed').map(told)).toEqual([])
  expect(verdict).toBe('incomplete')
  expect(results.map(({ reason }) => reason ?? '').join('\n')).toMatch(
    /ACCESS_TOKEN expired in the middle of the run \(status 302 in exchange \d+\); give .*ACCESS_TOKEN_COMMAND/,
  )
})

for (const [printed, which] of [
  [ACCESS_TOKEN, 'the same token again'],
  ['a-token-that-nobody-knows', 'a token that was refused too'],
] as const)
  test(`an expired token whose command prints ${which} is no fault`, async ({ target }) => {
    const service = await target({ deviations: [{ arrive: expiring(30) }] })

    const { results } = await judge(service, {}, undefined, { accessTokenCommand: `echo ${printed}` })

    expect(results.filter(({ outcome }) => outcome === 'failed').map(told)).toEqual([])
    expect(results.map(({ reason }) => reason ?? '').join('\n')).toMatch(
      new RegExp(`ACCESS_TOKEN expired in the middle of .*, and ACCESS_TOKEN_COMMAND printed ${which}; run it by hand`),
    )
  })

for (const [what, login] of [
  ['is sent to a login', refusal(302, { location: '/login' })],
  ['gets the page of a login', MAINTENANCE],
] as const)
  test(`a command prints a fresh token, too, where an expired one ${what}`, async ({ target }) => {
    const [first, second] = [ACCESS_TOKEN, 'the-second-token-of-all']
    for (const expiresAt of [30, 60, 90]) {
      const toLogin: Deviation = {
        arrive: ({ tokens, nth, request }) => {
          const isFirst = request.headers.get('authorization') === `Bearer ${first}`
          if (nth === expiresAt) (tokens as Map<string, string>).set(second, tokens.get(first)!)
          return isFirst && nth >= expiresAt ? login : undefined
        },
      }

      const { verdict, results } = await judge(await target({ deviations: [toLogin] }), {}, undefined, {
        accessTokenCommand: `echo ${second}`,
      })

      expect(results.filter(({ outcome }) => outcome === 'failed').map(told)).toEqual([])
      expect(verdict).toBe('conformant')
    }
  })

test('a call that is always refused while the token is good elsewhere is a fault', async ({ target }) => {
  const { results } = await judge(await target({ deviations: [{ arrive: refusingOpen }] }))

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
  expect(
    reportOf(ended)
      .requirements.map(({ reason }) => reason)
      .join('\n'),
  ).not.toMatch(/expired|refused/)
  for (const [name, text] of everythingOf(ended))
    for (const token of [first, second]) expect(text.includes(token), name).toBe(false)
})

const droppingMarkup: Arrive = ({ query }) => (/[<'"%(\\]/.test(query.get('searchParam') ?? '') ? RESET : undefined)
const slowly: Arrive = () => new Promise((resolve) => setTimeout(resolve, 300, undefined))
const refusingOpen: Arrive = ({ query }) => (query.get('status') === 'open' ? refusal(401) : undefined)

/** Nobody is accepted from one request on. */
function expiring(first: number): Arrive {
  return ({ nth }) => (nth >= first ? refusal(401) : undefined)
}

function judge(
  service: Service,
  settings: Partial<RunSettings> = {},
  begin?: Frame['begin'],
  more: Partial<TargetSettings> = {},
): Promise<Conformance> {
  const target: TargetSettings = {
    name: 'target',
    baseUrl: service.url,
    accessToken: service.accessToken,
    otherAccessToken: service.otherAccessToken,
    allowWrites: false,
    ...more,
  }
  const limits = { requestTimeoutMs: 1500, waitLimits: { quotaMs: 5000, outageMs: 6000, silenceMs: 6000 } }
  return conformance(target, { ...readRunSettings({ SEED: '1' }), ...limits, ...settings }, contract, judged, {
    dataset: known,
    ...(begin && { begin }),
  })
}

test('what is put back does not wait for requests that nobody wants any more', async () => {
  const time = new SimulatedTime()
  const settings = readRunSettings({ MAX_REQUESTS_PER_SECOND: '1' })
  const transport = new InProcess(createService({ dataset: known as never, time }), settings, time)
  const target = { name: 'slow', baseUrl: 'http://service.invalid', accessToken: ACCESS_TOKEN, allowWrites: false }
  const session = new Session(new Run(target, settings, contract, { transport, time }))
  const asked = Promise.allSettled(Array.from({ length: 100 }, () => session.attempt('listTags')))

  session.run.interrupt()
  await asked

  const begun = time.now()
  const left = await session.run.close(async () => {
    const { success } = await session.attempt('listTags')
    return success ? [] : ['no answer']
  })
  expect(left).toEqual([])
  expect(time.now() - begun).toBeLessThan(2000)
})
