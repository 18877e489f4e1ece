import type { Hono } from 'hono'
import type { Environment } from '../../fixtures/service/app.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { createService } from '../../fixtures/service/start-service.ts'
import { ACCESS_TOKEN, OTHER_ACCESS_TOKEN } from '../../fixtures/service/tokens.ts'
import type { RunSettings, TargetSettings } from '../engine/settings/settings.ts'
import { InProcess } from '../proving/in-process.ts'
import { SimulatedTime } from '../proving/simulated-time.ts'
import { dataset } from './own-target.ts'

/** A target in this process, and what a run of it goes by. */
export interface SimulatedTarget {
  readonly service: Hono<Environment>
  readonly target: TargetSettings
  readonly way: { readonly transport: InProcess; readonly time: SimulatedTime }
}

/** The reference service with deviations, on simulated time, in which nothing but waiting takes any. */
export function simulatedTarget(
  settings: RunSettings,
  deviationsOn: (time: SimulatedTime) => readonly Deviation[] = () => [],
): SimulatedTarget {
  const time = new SimulatedTime()
  const service = createService({ dataset, deviations: deviationsOn(time), time })
  const target = {
    name: 'target',
    baseUrl: 'http://service.invalid',
    accessToken: ACCESS_TOKEN,
    otherAccessToken: OTHER_ACCESS_TOKEN,
    allowWrites: true,
  }
  return { service, target, way: { transport: new InProcess(service, settings, time), time } }
}
