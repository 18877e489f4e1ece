import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { Dataset } from '../../fixtures/dataset/records.ts'
import type { Service } from '../../fixtures/service/start-service.ts'
import { projectRoot, type TargetSettings } from '../engine/settings/settings.ts'
import { MODES, type ModeId } from '../proving/mode.ts'
import type { Variables } from '../run/node-process.ts'
import { PUBLISHED_DATASET } from '../run/target-under-test.ts'

export function published(): Dataset {
  return JSON.parse(readFileSync(PUBLISHED_DATASET, 'utf8')) as Dataset
}

/** The settings with which a run judges a service, in a mode of the proof. */
export function settingsOf({ url, accessToken, otherAccessToken }: Service, mode: ModeId): Variables {
  const { gives } = MODES.find(({ id }) => id === mode)!
  return {
    BASE_URL: url,
    ACCESS_TOKEN: accessToken,
    ...(gives.includes('otherToken') && { OTHER_ACCESS_TOKEN: otherAccessToken }),
    ...(gives.includes('dataset') && { DATASET: PUBLISHED_DATASET }),
    ...(gives.includes('writes') && { ALLOW_WRITES: 'true' }),
  }
}

/** The same for a run in this process. */
export function targetOf({ url, accessToken, otherAccessToken }: Addressed, mode: ModeId): TargetSettings {
  const { gives } = MODES.find(({ id }) => id === mode)!
  return {
    name: 'reference service',
    baseUrl: url,
    accessToken,
    ...(gives.includes('otherToken') && { otherAccessToken }),
    allowWrites: gives.includes('writes'),
  }
}

type Addressed = Pick<Service, 'url' | 'accessToken' | 'otherAccessToken'>

/** Starts the reference service with the published data in a process of its own. */
export async function serviceApart(): Promise<Addressed & { readonly close: () => void }> {
  const main = path.join(projectRoot, 'fixtures/service/main.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', main], { stdio: ['ignore', 'pipe', 'pipe'] })
  const failed = once(child, 'close').then(async () => {
    throw new Error(`the service ended: ${await text(child.stderr)}`)
  })
  failed.catch(() => undefined)
  let told = ''
  child.stdout.on('data', (chunk: Buffer) => (told += chunk.toString()))
  const valueOf = (name: string): string | undefined => new RegExp(`^${name}=(.+)\n`, 'm').exec(told)?.[1]
  while (valueOf('OTHER_ACCESS_TOKEN') === undefined) await Promise.race([once(child.stdout, 'data'), failed])
  return {
    url: valueOf('BASE_URL')!,
    accessToken: valueOf('ACCESS_TOKEN')!,
    otherAccessToken: valueOf('OTHER_ACCESS_TOKEN')!,
    close: () => void child.kill(),
  }
}
