import { expect } from '@playwright/test'
import type { Service } from '../../fixtures/service/start-service.ts'
import { Contract } from '../engine/contract.ts'
import { Run } from '../engine/judging/run.ts'
import { Session } from '../engine/judging/session.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { register } from '../requirements/register.ts'
import { TestRun } from '../run/test-run.ts'
import { test } from './own-target.ts'

const contract = new Contract()
const requirements = register(contract)

test('what weighs every answer is judged again over the answers that came later', async ({ target }) => {
  let wrong = false
  const service = await target({
    deviations: [
      {
        answer: ({ operation }, { status, body }) =>
          wrong && operation === 'listTags' ? { status, body: { ...body, count: 1 } } : { status, body },
      },
    ],
  })
  const { session, run } = testRunOf(service, false)

  expect(await run.judge('listTags.tags.count')).toMatchObject({ outcome: 'passed', decides: true, lines: [] })
  expect(await run.sumUp()).toEqual([])
  wrong = true
  await run.judge('getTag.tags.each')
  await run.judge('getTag.tags.each')

  expect(await run.sumUp()).toEqual(['listTags.tags.count'])
  const outcomes = run.results.filter(({ outcome }) => outcome === 'failed').map(({ requirement }) => requirement.id)
  expect(outcomes).toEqual(['listTags.tags.count'])
  await session.run.close()
})

test('judgements that are asked for at once are made one after the other', async ({ target }) => {
  const { session, run } = testRunOf(await target(), true)

  const ids = requirements.filter(({ phase }) => phase === 'write').map(({ id }) => id)
  const judgements = await Promise.all(ids.map((id) => run.judge(id)))

  expect(judgements.filter(({ outcome }) => outcome === 'failed' || outcome === 'broken')).toEqual([])
  await expect(run.judge('no.such')).rejects.toThrow('no requirement no.such')
  await session.run.close()
})

test('whichever test asks first, all that is selected is judged: what reads, then what writes, then bad tokens', async ({
  target,
}) => {
  const { session, run } = testRunOf(await target(), true)
  const { exchanges } = session.evidence

  await run.judge('listTags.tags.count')
  const sent = exchanges.length
  const judgements = await Promise.all(requirements.map(({ id }) => run.judge(id)))

  expect(judgements.filter(({ outcome }) => outcome === 'failed' || outcome === 'broken')).toEqual([])
  // The one that was asked for before is judged again, and it alone.
  expect(exchanges.length - sent).toBeLessThan(10)
  const firstWrite = exchanges.findIndex(({ request }) => request.method === 'PUT')
  const firstBadToken = exchanges.findIndex(({ request }) => typeof request.caller === 'object')
  expect(exchanges.slice(0, firstWrite).length).toBeGreaterThan(150)
  expect(firstBadToken).toBeGreaterThan(firstWrite)
  await session.run.close()
})

function testRunOf({ url: baseUrl, accessToken }: Service, allowWrites: boolean): { session: Session; run: TestRun } {
  const settings = { name: 'own', baseUrl, accessToken, allowWrites }
  const session = new Session(new Run(settings, readRunSettings({ SEED: '1' }), contract))
  return { session, run: new TestRun(session, requirements, RedactionPolicy.ofPublicData(settings)) }
}
