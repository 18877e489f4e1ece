import type { Dataset } from '../../fixtures/dataset/records.ts'
import { createService } from '../../fixtures/service/start-service.ts'
import { ACCESS_TOKEN, OTHER_ACCESS_TOKEN } from '../../fixtures/service/tokens.ts'
import { judgeRow } from '../commands/row.ts'
import { Contract } from '../engine/contract.ts'
import { readDataset } from '../engine/data/dataset.ts'
import type { Requirement } from '../engine/judging/requirement.ts'
import { readRunSettings } from '../engine/settings/settings.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { PUBLISHED_DATASET } from '../run/target-under-test.ts'
import type { Assignment } from './assignment.ts'
import { MODES, type ModeId } from './mode.ts'
import { InProcess } from './in-process.ts'
import { SimulatedTime } from './simulated-time.ts'
import { lacking, published, type Poor } from './poor-data.ts'
import { randomData } from './random-data.ts'
import { deviationsOf, eachFault, faultOf, isFault, judgesOf, PLAIN, type Subject } from './subject.ts'
import { Wire } from './wire.ts'

/** What became of an assignment. */
export interface TrialRun extends Pick<Assignment, 'subject' | 'mode' | 'judges' | 'lack' | 'besides'> {
  readonly requests: number
  readonly durationMs: number
  /** What failed, by requirement: the findings' messages. */
  readonly failed: Readonly<Record<string, readonly string[]>>
  /** Where the suite itself went wrong, by requirement; `preflight` where the service could not be judged at all. */
  readonly broken: Readonly<Record<string, readonly string[]>>
  readonly notExercised: readonly string[]
  /** The requirements of each problem that was shown. */
  readonly problems: readonly (readonly string[])[]
  /** Whether the service answered any request in another way than the reference service does. */
  readonly differs: boolean
}

/** Stands for the address of a service that is asked in this process. */
const NO_ADDRESS = 'http://service.invalid'

const contract = new Contract()
const requirementsOf = judgesOf(contract)
const settings = { ...readRunSettings(), level: 'implied' as const }
const dataset = readDataset(contract, 'The published data set', PUBLISHED_DATASET)
const startedAt = new Date().toISOString()
const wires = new Map<string, Promise<Wire>>()
const poorData = new Map<Poor, Dataset>()

/** Starts a subject's service and judges it, each of its faults by itself. It runs in a process of the proof's. */
export default async function run(assignment: Assignment): Promise<readonly TrialRun[]> {
  const judged = await judgeAssignment(assignment)
  if (!assignment.subject.together) return [judged]
  // Each fault is told by its own field's requirement alone, and what is asked of the service counts once.
  return eachFault(assignment.subject).map((subject, index): TrialRun => {
    const { caughtBy } = faultOf(subject)
    const messages = judged.failed[caughtBy]
    const failed = messages ? { [caughtBy]: messages } : {}
    return { ...judged, subject, failed, ...(index > 0 && { requests: 0, durationMs: 0 }) }
  })
}

async function judgeAssignment({ subject, mode, judges, lack, besides, only }: Assignment): Promise<TrialRun> {
  const { gives } = MODES.find(({ id }) => id === mode)!
  const subjects: Subject[] = besides === undefined ? [subject] : [subject, { kind: 'fault', name: besides }]
  const isAlone = lack === undefined && besides === undefined
  const judgedBy = (widened: readonly Subject[]): readonly Requirement[] => {
    const some = subjects.flatMap((one) => requirementsOf(one, widened.includes(one) ? 'related' : judges, gives))
    return [...new Set(some)].filter(({ id }) => only === undefined || id === only)
  }
  // On poor data the plain service must be asked the same, so what others ask for is there from the start.
  let requirements = judgedBy(lack === undefined ? [] : subjects.filter(weighsAll))
  let { row, exchanges } = await judge(subjects, mode, requirements, lack)
  // What the requirement named for a fault does not see by itself, the related ones may bring.
  const missed = (one: Subject): boolean =>
    isAlone ? row.verdict !== 'nonconformant' : weighsAll(one) && row.outcomes[faultOf(one).caughtBy] !== 'failed'
  const unseen = judges === 'named' && lack === undefined ? subjects.filter(missed) : []
  if (unseen.length > 0) {
    requirements = judgedBy(unseen)
    ;({ row, exchanges } = await judge(subjects, mode, requirements))
  }
  const of = (outcome: string): string[] => Object.keys(row.outcomes).filter((id) => row.outcomes[id] === outcome)
  const messages = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, row.findings[id] ?? []]))
  const unjudged = row.findings['preflight']
  // A fault may leave what nobody can put back; a conformant service may not.
  const left = isFault(subject) ? undefined : row.findings['restoration']
  const failed = messages(of('failed'))
  const notExercised = of('not exercised')
  // On poor data, only what passes is compared with the plain service, which the same requirement has to judge then.
  const plain = (): Promise<Wire> =>
    lack === undefined ? plainWire(mode, requirementsOf(PLAIN, 'all', gives)) : plainWire(mode, requirements, lack)
  const { caughtBy } = isFault(subject) ? faultOf(subject) : {}
  const isTold =
    subject.data !== undefined ||
    only !== undefined ||
    (lack !== undefined && (notExercised.includes(caughtBy ?? '') || Object.keys(failed).length > 0))
  return {
    subject,
    mode,
    judges,
    ...(lack !== undefined && { lack }),
    ...(besides !== undefined && { besides }),
    requests: row.requests,
    durationMs: row.durationMs,
    failed,
    broken: {
      ...(unjudged && lack === undefined ? { preflight: unjudged } : messages(of('broken'))),
      ...(left && { restoration: left }),
    },
    notExercised,
    problems: row.problems.map(({ requirements: ids }) => ids),
    // What another company's token gets is no concern of the requirement named.
    differs:
      isTold || (await plain()).differsFrom(exchanges.filter(({ request }) => isAlone || request.caller !== 'other')),
  }
}

/** Whether the requirement named for a fault weighs the answers that others have asked for. */
function weighsAll(subject: Subject): boolean {
  return requirementsOf(subject, 'named', []).some(({ phase }) => phase === 'review')
}

/** What the plain service answers to some requirements, asked once a process. */
function plainWire(mode: ModeId, requirements: readonly Requirement[], lack?: Poor): Promise<Wire> {
  const key = [mode, lack, ...(lack === undefined ? [] : requirements.map(({ id }) => id))].join(' ')
  const wire =
    wires.get(key) ?? judge([PLAIN], mode, requirements, lack).then(({ exchanges }) => new Wire(exchanges, startedAt))
  wires.set(key, wire)
  return wire
}

function dataOf({ data: number }: Subject, lack: Poor | undefined): Dataset {
  if (number !== undefined) return randomData(number)
  if (lack === undefined) return published
  const data = poorData.get(lack) ?? lacking(lack)
  poorData.set(lack, data)
  return data
}

async function judge(
  subjects: readonly Subject[],
  mode: ModeId,
  requirements: readonly Requirement[],
  lack?: Poor,
): ReturnType<typeof judgeRow> {
  const gives = MODES.find(({ id }) => id === mode)!.gives
  const data = dataOf(subjects[0]!, lack)
  const time = new SimulatedTime()
  const service = createService({ dataset: data, deviations: subjects.flatMap(deviationsOf), time })
  const target = {
    name: subjects[0]!.name,
    baseUrl: NO_ADDRESS,
    accessToken: ACCESS_TOKEN,
    ...(gives.includes('otherToken') && { otherAccessToken: OTHER_ACCESS_TOKEN }),
    allowWrites: gives.includes('writes'),
  }
  const declared = data === published ? dataset : (data as unknown as typeof dataset)
  const entry = {
    target,
    dataset: gives.includes('dataset') ? declared : undefined,
    // What the service holds is published, though the suite is not told in every mode.
    policy: RedactionPolicy.ofPublicData(target),
  }
  return judgeRow(entry, settings, contract, requirements, { transport: new InProcess(service, settings, time), time })
}
