import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Dataset } from '../../fixtures/dataset/records.ts'
import { startService } from '../../fixtures/service/start-service.ts'
import { withTokens } from '../engine/http/credentials.ts'
import { projectRoot, type Settings, type TargetSettings } from '../engine/settings/settings.ts'

/** The published data set. */
export const PUBLISHED_DATASET = path.join(projectRoot, 'fixtures/dataset.json')

/** A target that can be judged until it is closed. */
export interface TargetUnderTest {
  readonly target: TargetSettings
  readonly close: () => Promise<void>
}

/** The target that the settings name; where they name none, the reference service, started with the published data set. */
export async function openTarget(settings: Settings): Promise<TargetUnderTest> {
  if (settings.target) return { target: await withTokens(settings.target), close: () => Promise.resolve() }
  const dataset = JSON.parse(readFileSync(PUBLISHED_DATASET, 'utf8')) as Dataset
  const service = await startService({ dataset })
  return {
    target: {
      name: 'reference service',
      baseUrl: service.url,
      accessToken: service.accessToken,
      otherAccessToken: service.otherAccessToken,
      dataset: PUBLISHED_DATASET,
      allowWrites: settings.allowWrites ?? true,
      builtIn: true,
      isUnshared: true,
    },
    close: () => service.close(),
  }
}
