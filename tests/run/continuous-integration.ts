import { environment, type Environment } from '../engine/settings/environment.ts'
import { text } from '../engine/settings/setting-values.ts'

/** The service that runs this in continuous integration, if any. */
export function integrationService(env: Environment = environment()): 'GitHub Actions' | 'another' | undefined {
  if (text(env, 'GITHUB_ACTIONS') === 'true') return 'GitHub Actions'
  return text(env, 'CI') === undefined ? undefined : 'another'
}

/** The file of GitHub's that is shown on the page of the job which runs this; undefined elsewhere. */
export function jobSummaryFile(env: Environment = environment()): string | undefined {
  return text(env, 'GITHUB_STEP_SUMMARY')
}
