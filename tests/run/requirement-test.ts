import type { TestDetails } from '@playwright/test'
import type { Demand } from '../requirements/register.ts'
import { askForJudgement } from './ask-for-judgement.ts'
import { test } from './plain-test.ts'

/** The title of a requirement's test. */
export function titleOf({ id, title }: Pick<Demand, 'id' | 'title'>): string {
  return `${id}: ${title}`
}

/** The tags and the source of a requirement's test. */
export function detailsOf({ level, operations, source }: Demand): TestDetails {
  return {
    tag: [`@${level}`, ...operations.map((operation) => `@${operation}`)],
    annotation: { type: 'source', description: source },
  }
}

/** The body of a requirement's test: it shows the judgement that the run's session makes. */
export function bodyOf({ id }: Demand): () => Promise<void> {
  return async () => {
    const {
      outcome,
      decides,
      attachments = [],
      failsInPlace,
      reason,
      lines,
      exchanges,
      examined,
      observations,
    } = await askForJudgement(id)
    const info = test.info()
    const { annotations } = info
    info.attachments.push(...attachments)
    if (examined.length > 0) annotations.push({ type: 'examined', description: examined.join(', ') })
    for (const description of observations) annotations.push({ type: 'observed', description })
    if (outcome === 'not exercised') test.skip(true, reason)
    if (outcome === 'failed' && !decides) test.skip(true, `LEVEL=stated: ${lines.join('\n')}`)
    if (outcome === 'passed') return
    for (const { title, request, response } of exchanges)
      await test.step(title, async () => {
        await info.attach('request', { body: request, contentType: 'text/plain' })
        await info.attach('response', { body: response, contentType: 'text/plain' })
      })
    // A failure that is expected is not tried again.
    if (failsInPlace && info.project.retries === 0) info.expectedStatus = 'failed'
    throw new UserFacingError(outcome === 'broken' ? `The suite itself went wrong: ${reason}` : lines.join('\n'))
  }
}

/** Says what there is to say and nothing else: where the suite noticed it is of no interest. */
export class UserFacingError extends Error {
  override readonly name = ''
  override readonly stack = ''
}
