import pLimit from 'p-limit'
import { Pool } from 'undici'
import { readDataset } from '../engine/data/dataset.ts'
import { conformance } from '../engine/judging/conformance.ts'
import { Contract } from '../engine/contract.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'
import { leaveAsItWas } from '../requirements/restoration/restoration.ts'
import { PUBLISHED_DATASET } from '../run/target-under-test.ts'
import { median, repeat, timed, type Bench } from './figure.ts'
import { serviceApart, targetOf } from './target.ts'

/** Requests that the suite has under way at once, at most. */
const CONCURRENCY = 6

/** A judged target beside a bare client that sends the same requests to the same service. */
export const besideABareClient: Bench = {
  name: 'client',
  measure: async (runs) => {
    const contract = new Contract()
    const dataset = readDataset(contract, 'The published data set', PUBLISHED_DATASET)
    const requirements = register(contract)
    const service = await serviceApart()
    try {
      let exchanges: readonly Exchange[] = []
      const judged = async (): Promise<number> => {
        const used = process.cpuUsage()
        const frame = { begin, restore: leaveAsItWas, dataset }
        const settings = { ...readRunSettings(), seed: 1 }
        const run = await conformance(targetOf(service, 'everything'), settings, contract, requirements, frame)
        exchanges = run.session.evidence.exchanges
        const { user, system } = process.cpuUsage(used)
        return (user + system) / 1e6
      }
      // The first one compiles what the others find compiled.
      await judged()
      const judging = await repeat(runs, () => timed(judged))
      const asking = await repeat(runs, () => timed(() => send(service.url, exchanges)))
      const seconds = median(judging.map((one) => one.seconds))
      return [
        { what: 'a judged target, by the engine alone', value: seconds, unit: 's' },
        { what: 'processor time of that', value: median(judging.map(({ result }) => result)), unit: 's', goal: 0.5 },
        {
          what: 'a judged target beside a bare client that sends the same',
          value: seconds / median(asking.map((one) => one.seconds)),
          unit: 'times',
          goal: 2,
        },
      ]
    } finally {
      service.close()
    }
  },
}

async function send(origin: string, exchanges: readonly Exchange[]): Promise<void> {
  const pool = new Pool(origin, { connections: CONCURRENCY })
  const limit = pLimit(CONCURRENCY)
  await Promise.all(
    exchanges.map(({ request }) =>
      limit(async () => {
        const { body } = await pool.request({
          path: request.target,
          method: request.method,
          headers: request.headers.flatMap(([name, value]) => [name, value]),
          body: request.body ?? null,
        })
        await body.arrayBuffer()
      }),
    ),
  )
  await pool.close()
}
