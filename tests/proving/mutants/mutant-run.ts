import path from 'node:path'
import { judgeRow } from '../../commands/row.ts'
import { Contract } from '../../engine/contract.ts'
import { readDataset } from '../../engine/data/dataset.ts'
import { projectRoot, readRunSettings } from '../../engine/settings/settings.ts'
import type { Verdict } from '../../engine/judging/verdict.ts'
import { RedactionPolicy } from '../../reporting/redaction/redaction-policy.ts'
import { register } from '../../requirements/register.ts'
import { MutantProcess } from './mutant-process.ts'
import { DATASET, mutatedService, type MutatedServiceName } from './mutated-service.ts'

/** A mutant to be judged, or the service as it is, from its instrumented copy. */
export interface MutantAssignment {
  readonly subject: MutatedServiceName
  readonly id?: string | undefined
  /** The folder of all copies. */
  readonly copies: string
  /** Whether its process is to be no other mutant before it. */
  readonly alone: boolean
}

/** What became of an assignment. */
export interface MutantRun {
  readonly verdict: Verdict | 'does not start' | 'does not answer in time'
  readonly requests: number
  /** Stated and implied requirements, by what became of them. */
  readonly passed: readonly string[]
  readonly failed: readonly string[]
}

/** A judgement takes a second or two; some mutants make every request wait for its own limit. */
const LIMIT_MS = 60_000

const contract = new Contract()
const requirements = register(contract)
const demands = requirements.filter(({ level }) => level !== 'observed')
const settings = { ...readRunSettings(), level: 'implied' as const }
const dataset = readDataset(contract, 'The published data set', path.join(projectRoot, DATASET))

/** Starts a mutant and judges it with everything given. It runs in a process of the proof's. */
export default async function run(assignment: MutantAssignment): Promise<MutantRun> {
  const { subject, copies, alone } = assignment
  const service = mutatedService(subject)
  const shared = alone ? undefined : MutantProcess.resting(service)
  const run = shared && (await judge(assignment, shared))
  // A process that was other mutants may end by what they left to it.
  return run && !shared.hasEnded ? run : judge(assignment, new MutantProcess(service, copies))
}

async function judge(assignment: MutantAssignment, process: MutantProcess): Promise<MutantRun> {
  const url = await process.start(assignment.id)
  try {
    if (url === undefined) return { verdict: 'does not start', requests: 0, passed: [], failed: [] }
    return await judgeAt(url, assignment.subject)
  } finally {
    await (assignment.alone ? process.end() : process.rest())
  }
}

async function judgeAt(url: string, subject: MutatedServiceName): Promise<MutantRun> {
  const { accessToken, otherAccessToken } = mutatedService(subject)
  const target = { name: subject, baseUrl: url, accessToken, otherAccessToken, allowWrites: true }
  const policy = RedactionPolicy.ofPublicData(target)
  // One failure tells; what else would fail is not looked for.
  const failure = new AbortController()
  const judged = judgeRow({ target, dataset, policy }, settings, contract, requirements, {
    signal: failure.signal,
    onResult: ({ outcome, requirement }) => {
      if (outcome === 'failed' && requirement.level !== 'observed') failure.abort()
    },
  })
  try {
    const row = await Promise.race([judged.then((judgement) => judgement.row), theLimit()])
    if (!row) return { verdict: 'does not answer in time', requests: 0, passed: [], failed: [] }
    const of = (outcome: string) => demands.map(({ id }) => id).filter((id) => row.outcomes[id] === outcome)
    return { verdict: row.verdict, requests: row.requests, passed: of('passed'), failed: of('failed') }
  } finally {
    // What is still asked of it will find nobody there; that is nobody's business any more.
    judged.catch(() => undefined)
  }
}

function theLimit(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), LIMIT_MS).unref())
}
