/* oxlint-disable no-empty-pattern -- Playwright reads what a fixture needs off its first parameter. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test as base } from '@playwright/test'
import type { Dataset } from '../../fixtures/dataset/records.ts'
import type { Deviation } from '../../fixtures/service/deviation.ts'
import { startService, type Service } from '../../fixtures/service/start-service.ts'
import { projectRoot } from '../engine/settings/settings.ts'
import { runSuite, type ChildRun } from './child-run.ts'

export const DATASET_FILE = path.join(projectRoot, 'fixtures/dataset.json')
export const dataset = JSON.parse(readFileSync(DATASET_FILE, 'utf8')) as Dataset

export const WITHOUT_RECORDS: Deviation = {
  load: ({ contacts, tickets, schedules, tags, campaigns }) => {
    for (const records of [contacts, tickets, schedules, tags, campaigns]) records.splice(0)
  },
}

interface TargetOptions {
  readonly deviations?: readonly Deviation[]
  /** Token of the main company; one of the reference service's where none is given. */
  readonly token?: string
}

/** A target, and the settings by which a run judges it with its token and nothing else. */
export interface OwnTarget extends Service {
  readonly settings: { readonly BASE_URL: string; readonly ACCESS_TOKEN: string }
}

interface Fixtures {
  /** Runs the suite with settings and arguments, or another command of Playwright. */
  readonly run: (
    settings: Readonly<Record<string, string>>,
    args?: readonly string[],
    command?: string,
  ) => Promise<ChildRun>
  /** Starts a target, which ends with the test. */
  readonly target: (options?: TargetOptions) => Promise<OwnTarget>
}

/** A test that runs the suite, each run with a REPORTS_DIR of its own. */
export const test = base.extend<Fixtures>({
  run: async ({}, use, testInfo) => {
    let runs = 0
    await use((settings, args, command) => runSuite(testInfo.outputPath(`reports-${++runs}`), settings, args, command))
  },
  target: async ({}, use) => {
    const services: Service[] = []
    await use(async ({ deviations = [], token } = {}) => {
      const service = await startService({ dataset, deviations, ...(token !== undefined && { companyToken: token }) })
      services.push(service)
      return { ...service, settings: { BASE_URL: service.url, ACCESS_TOKEN: service.accessToken } }
    })
    for (const service of services) await service.close()
  },
})
