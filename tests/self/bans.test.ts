import { expect } from '@playwright/test'
import type { Call } from '../../fixtures/service/call.ts'
import { ACCESS_TOKEN, OTHER_ACCESS_TOKEN } from '../../fixtures/service/tokens.ts'
import { failures, judgeEverything, reasonsOf, refusal, told, type Arrive } from './judge-everything.ts'
import { test } from './own-target.ts'

const BLOCKED = { ...refusal(403, { 'content-type': 'text/html' }), body: '<html>Request blocked' }

const isOdd = ({ query }: Call): boolean => /[<;]/.test(query.get('searchParam') ?? '')

/** Turns everybody away for some seconds, each time that so many calls of a kind have come. */
function firewall(now: () => number, isBad: (call: Call) => boolean, most: number, seconds: number): Arrive {
  let [bad, until] = [0, -Infinity]
  return (call) => {
    if (now() >= until && isBad(call) && ++bad % most === 0) until = now() + seconds * 1000
    return now() < until ? BLOCKED : undefined
  }
}

test('a firewall that blocks the address after odd texts costs these texts alone', async () => {
  const { verdict, results, session } = await judgeEverything(({ now }) => firewall(now, isOdd, 1, 30))

  expect(verdict).toBe('incomplete')
  const lacking = results.filter(({ outcome }) => outcome !== 'passed')
  expect(lacking.map(told).join('\n')).toMatch(/turned everybody away/)
  expect(lacking.map(({ requirement }) => requirement.id).filter((id) => !id.includes('.search.'))).toEqual([])
  expect(session.run.waited.map(({ what }) => what)).not.toContain('requests were spaced out')
})

test('a firewall that blocks the address after bad tokens is sent no more of them', async () => {
  const valid = [ACCESS_TOKEN, OTHER_ACCESS_TOKEN].map((token) => `Bearer ${token}`)
  const isBad = ({ request }: Call): boolean => !valid.includes(request.headers.get('authorization') ?? '')

  const judged = await judgeEverything(({ now }) => firewall(now, isBad, 5, 20))

  expect(judged.verdict).toBe('incomplete')
  expect(failures(judged)).toEqual([])
  expect(reasonsOf(judged)).toMatch(/Bad tokens were followed by some 2\d s in which the target turned everybody away/)
  const { exchanges } = judged.session.evidence
  expect(exchanges.filter(({ request }) => typeof request.caller === 'object').length).toBeLessThan(30)
})

test('what is closed for longer than the run lasts is asked once', async () => {
  let calls = 0
  const arrive: Arrive = () => (++calls > 100 ? refusal(429, { 'retry-after': '600' }) : undefined)

  const judged = await judgeEverything(() => arrive, { MAX_DURATION_S: '300' })

  expect(judged.verdict).toBe('incomplete')
  expect(reasonsOf(judged)).toContain('set MAX_REQUESTS_PER_SECOND, and MAX_DURATION_S where that takes longer')
  const { exchanges } = judged.session.evidence
  expect(exchanges.filter(({ response }) => response?.status === 429).length).toBeLessThan(40)
})
