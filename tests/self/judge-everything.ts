import type { Reply } from '../../fixtures/service/answer.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { createService } from '../../fixtures/service/start-service.ts'
import { ACCESS_TOKEN, OTHER_ACCESS_TOKEN } from '../../fixtures/service/tokens.ts'
import { conformance, type Conformance } from '../engine/conformance.ts'
import { Contract } from '../engine/contract.ts'
import { readDataset } from '../engine/dataset.ts'
import { readRunSettings } from '../engine/settings.ts'
import { InProcess } from '../proving/in-process.ts'
import { SimulatedTime } from '../proving/simulated-time.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'
import { restoreAll } from '../requirements/restoration.ts'
import { DATASET_FILE } from './own-target.ts'

const contract = new Contract()
export const known = readDataset(contract, 'The published data set', DATASET_FILE)

export type Arrive = NonNullable<Deviation['arrive']>

export const refusal = (status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'text/plain', ...headers },
  body: 'not now',
})

/** Judges a service by every requirement, on simulated time, in which nothing but waiting takes any. */
export function judgeEverything(
  limit: (now: () => number, time: SimulatedTime) => Arrive,
  more: Readonly<Record<string, string>> = {},
): Promise<Conformance> {
  const time = new SimulatedTime()
  const settings = readRunSettings({ SEED: '1', MAX_DURATION_S: '3000', ...more })
  const deviations = [{ arrive: limit(() => time.now(), time) }]
  const transport = new InProcess(createService({ dataset: known as never, time, deviations }), settings, time)
  const target = {
    name: 'target',
    baseUrl: 'http://service.invalid',
    accessToken: ACCESS_TOKEN,
    otherAccessToken: OTHER_ACCESS_TOKEN,
    allowWrites: true,
  }
  const frame = { begin, restore: restoreAll, dataset: known, transport, time }
  return conformance(target, settings, contract, register(contract), frame)
}

export function told({ requirement, reason, findings }: Conformance['results'][number]): string {
  return `${requirement.id}: ${reason ?? findings.map(({ message }) => message).join('; ')}`
}
