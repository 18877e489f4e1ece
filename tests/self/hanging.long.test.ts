import { expect, test } from '@playwright/test'
import type { Call } from '../../fixtures/service/call.ts'
import { endOf } from '../engine/http/exchange.ts'
import { OPERATIONS } from '../requirements/operations.ts'
import { judgeEverything, judgeReadOnly } from './judge-everything.ts'

const PARAMETERS = ['searchParam', 'pageNumber', 'date', 'dateStart', 'contactId', 'userId', 'queueId', 'status']

/** Which calls are never answered. */
const UNANSWERED: Readonly<Record<string, (call: Call) => boolean>> = {
  ...Object.fromEntries(OPERATIONS.map((one) => [one, ({ operation }: Call) => operation === one])),
  ...Object.fromEntries(PARAMETERS.map((one) => [`${one}, whatever asks for it`, ({ query }: Call) => query.has(one)])),
  'what is to be refused': ({ request, tokens }) =>
    !tokens.has((request.headers.get('authorization') ?? '').replace(/^Bearer /, '')),
  'two parameters at once': ({ query }) => query.size > 1,
  'any parameter': ({ query }) => query.size > 0,
  'pages from the second on': ({ query }) => Number(query.get('pageNumber') ?? 1) > 1,
  'all from the 100th call on': ({ nth }) => nth > 100,
  'all from the 700th call on': ({ nth }) => nth > 700,
  'every third call': ({ nth }) => nth % 3 === 0,
  'every tenth call': ({ nth }) => nth % 10 === 0,
  'every fiftieth call': ({ nth }) => nth % 50 === 0,
}

const WAYS = { 'a token alone': judgeReadOnly, 'everything given': judgeEverything }

for (const [given, judge] of Object.entries(WAYS))
  for (const [what, isUnanswered] of Object.entries(UNANSWERED))
    test(`a target that never answers is judged within 90 s, ${given}: ${what}`, async () => {
      const { session } = await judge(
        (time) => (call) => (isUnanswered(call) ? time.hold(1e9).then(() => undefined) : undefined),
        { SEED: '4', MAX_DURATION_S: '300' },
      )

      const { exchanges } = session.evidence
      expect(Math.max(...exchanges.map(endOf)) - exchanges[0]!.startedAt.getTime()).toBeLessThan(90_000)
    })
