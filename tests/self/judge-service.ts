import { startService, type ServiceOptions } from '../../fixtures/service/start-service.ts'
import { targetOf } from '../bench/target.ts'
import { conformance, type Conformance, type Frame } from '../engine/judging/conformance.ts'
import { Contract } from '../engine/contract.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import type { ModeId } from '../proving/mode.ts'

export const contract = new Contract()

/** What a run is given; a token and nothing else where it says nothing. */
export interface Given extends Frame {
  readonly mode?: ModeId
  readonly seed?: string
  readonly maxPages?: string | undefined
}

/** Starts the reference service and judges it by some requirements. */
export async function judgeService(
  options: ServiceOptions,
  requirements: readonly Requirement[],
  { mode = 'read-only', seed = '1', maxPages, ...frame }: Given = {},
): Promise<Conformance> {
  const service = await startService(options)
  const settings = readRunSettings({ SEED: seed, MAX_PAGES: maxPages })
  try {
    return await conformance(targetOf(service, mode), settings, contract, requirements, frame)
  } finally {
    await service.close()
  }
}
