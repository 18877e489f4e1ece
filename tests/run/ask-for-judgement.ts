import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { judgementsAddress } from './judgements-address.ts'
import type { Demand } from '../requirements/register.ts'
import type { Judgement } from './judgement.ts'

/** Asks the process that holds the run's session for its judgement on a requirement. */
export async function askForJudgement(id: string): Promise<Judgement> {
  const address = judgementsAddress()
  if (address === undefined)
    throw new Error("the run's global setup did not take place; use the suite's own playwright.config.ts")
  return (await ask(address, id)) as Judgement
}

/** Asks the process that holds the run's session what there is to be judged; undefined where there is none. */
export async function askForDemands(): Promise<readonly Demand[] | undefined> {
  const address = judgementsAddress()
  return address === undefined ? undefined : ((await ask(address)) as readonly Demand[])
}

/** Waits without end: a judgement takes as long as the target and its rate limit make it take. */
function ask(address: string, body?: string): Promise<unknown> {
  // Neither fetch nor undici, which take longer to load than a worker has to do.
  return new Promise((resolve, reject) => {
    const asking = request(address, { method: body === undefined ? 'GET' : 'POST' }, (response) => {
      text(response)
        .then((answer) => JSON.parse(answer) as unknown)
        .then((answer) => (response.statusCode === 200 ? resolve(answer) : reject(new Error(String(answer)))), reject)
    })
    asking.once('error', reject).end(body)
  })
}
