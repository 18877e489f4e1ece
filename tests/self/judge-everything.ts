import type { Reply } from '../../fixtures/service/answer.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { conformance, type Conformance } from '../engine/judging/conformance.ts'
import { Contract } from '../engine/contract.ts'
import { readDataset } from '../engine/data/dataset.ts'
import { readRunSettings, type RunSettings } from '../engine/settings/settings.ts'
import type { SimulatedTime } from '../proving/simulated-time.ts'
import { begin } from '../requirements/beginning.ts'
import { register } from '../requirements/register.ts'
import { leaveAsItWas } from '../requirements/restoration/restoration.ts'
import { DATASET_FILE } from './own-target.ts'
import { simulatedTarget } from './simulated-target.ts'

const contract = new Contract()
export const known = readDataset(contract, 'The published data set', DATASET_FILE)

export type Arrive = NonNullable<Deviation['arrive']>

/** What is done as calls arrive, at a service whose time is simulated. */
export type Arriving = (time: SimulatedTime) => Arrive

export const refusal = (status: number, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'text/plain', ...headers },
  body: 'not now',
})

/** Judges a service by every requirement, on simulated time, with all that a run can be given. */
export function judgeEverything(
  arriving: Arriving,
  more: Readonly<Record<string, string>> = {},
  ...deviations: readonly Deviation[]
): Promise<Conformance> {
  const settings = settingsWith(more)
  const { target, way } = simulatedTarget(settings, (time) => [...deviations, { arrive: arriving(time) }])
  return conformance(target, settings, contract, register(contract), { ...FRAME, dataset: known, ...way })
}

/** The same, given a token and nothing else. */
export function judgeReadOnly(arriving: Arriving, more: Readonly<Record<string, string>> = {}): Promise<Conformance> {
  const settings = settingsWith(more)
  const { target, way } = simulatedTarget(settings, (time) => [{ arrive: arriving(time) }])
  const { name, baseUrl, accessToken } = target
  const alone = { name, baseUrl, accessToken, allowWrites: false }
  return conformance(alone, settings, contract, register(contract), { ...FRAME, ...way })
}

const FRAME = { begin, restore: leaveAsItWas }

function settingsWith(more: Readonly<Record<string, string>>): RunSettings {
  return readRunSettings({ SEED: '1', MAX_DURATION_S: '3000', ...more })
}

/** What failed, with why. */
export function failures({ results }: Pick<Conformance, 'results'>): string[] {
  return results.filter(({ outcome }) => outcome === 'failed').map(told)
}

/** Why requirements were not exercised, a line each. */
export function reasonsOf({ results }: Pick<Conformance, 'results'>): string {
  return results.map(({ reason }) => reason ?? '').join('\n')
}

export function told({ requirement, reason, findings }: Conformance['results'][number]): string {
  return `${requirement.id}: ${reason ?? findings.map(({ message }) => message).join('; ')}`
}
