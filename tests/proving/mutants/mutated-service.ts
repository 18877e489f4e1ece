import { ACCESS_TOKEN, OTHER_ACCESS_TOKEN } from '../../../fixtures/service/tokens.ts'

/** A service that is mutated, and how it is started. */
export interface MutatedService {
  readonly name: MutatedServiceName
  /** Where its sources are, relative to the project. */
  readonly folder: string
  /** Files that are no part of what it does for its callers, or no part of it where it deviates in nothing. */
  readonly notMutated: readonly string[]
  /** What it reads beside its sources, relative to the project. */
  readonly reads: readonly string[]
  /** What its `main` is given. */
  readonly args: readonly string[]
  readonly accessToken: string
  readonly otherAccessToken: string
}

export type MutatedServiceName = 'reference' | 'koa-sqlite' | 'fastify'

/** The published data set, relative to the project. */
export const DATASET = 'fixtures/dataset.json'

/** What runs in the processes of mutants, relative to the project and without its ending. */
export const MUTANT_HOST = 'tests/proving/mutants/mutant-host'

const TOKENS = { accessToken: 'token-of-the-company', otherAccessToken: 'token-of-the-other-company' }

/** The services whose mutants are judged; each prints its address once it listens. */
export const MUTATED_SERVICES: readonly MutatedService[] = [
  {
    name: 'reference',
    folder: 'fixtures/service',
    notMutated: ['main.ts', 'seams.ts', 'deviation.ts', 'remembering.ts', 'time.ts'],
    reads: [DATASET],
    args: [],
    accessToken: ACCESS_TOKEN,
    otherAccessToken: OTHER_ACCESS_TOKEN,
  },
  writtenByOthers('koa-sqlite'),
  writtenByOthers('fastify'),
]

function writtenByOthers(name: MutatedServiceName): MutatedService {
  return {
    name,
    folder: `fixtures/other-services/${name}`,
    notMutated: ['main.ts'],
    reads: [DATASET],
    // It is started in the folder of its copy, in which the data set is where the project has it.
    args: ['--port', '0', '--data', DATASET, '--token', TOKENS.accessToken, '--other-token', TOKENS.otherAccessToken],
    ...TOKENS,
  }
}

/** The service of that name. */
export function mutatedService(name: MutatedServiceName): MutatedService {
  return MUTATED_SERVICES.find((service) => service.name === name)!
}
