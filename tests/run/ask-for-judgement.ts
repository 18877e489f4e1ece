import { request } from 'undici'
import { judgementsAddress } from '../engine/settings.ts'
import type { Judgement } from './judgement.ts'

/** Asks the process that holds the run's session for its judgement on a requirement. */
export async function askForJudgement(id: string): Promise<Judgement> {
  const address = judgementsAddress()
  if (address === undefined)
    throw new Error("the run's global setup did not take place; use the suite's own playwright.config.ts")
  // A judgement takes as long as the target and its rate limit make it take.
  const { statusCode, body } = await request(address, { method: 'POST', body: id, headersTimeout: 0, bodyTimeout: 0 })
  const answer = await body.json()
  if (statusCode !== 200) throw new Error(String(answer))
  return answer as Judgement
}
