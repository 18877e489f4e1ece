import { accessSync, constants, existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Contract } from '../../engine/contract.ts'
import type { Requirement } from '../../engine/judging/requirement.ts'
import { SettingError, type ProfileSettings } from '../../engine/settings/settings.ts'
import { accepted, differences, driftLines, hasNewMembers } from './drift.ts'
import { counted } from '../wording/counted.ts'
import { readJsonAs } from '../result/read-json.ts'
import { NOT_LOOKED_AT } from '../result/report.ts'
import type { Report, ReportedDrift, ReportedObservation } from '../result/report-format.ts'

const MOST_IDS = 5
const LONGEST_CHANGE = 300

/** What a profile holds of an observation. */
interface Pinned {
  readonly topic: string
  readonly value: unknown
}

/** The file that PROFILE names; its shape is `spec/profile.schema.json`. */
interface ProfileFile {
  readonly formatVersion: 1
  /** By the ids of their requirements. */
  readonly observations: Readonly<Record<string, Pinned>>
}

/** The observations that a target is held to. */
export class PinnedProfile {
  readonly #settings: ProfileSettings
  readonly #constant: ReadonlySet<string>
  /** Undefined where there is no file yet. */
  readonly #pinned: ReadonlyMap<string, Pinned> | undefined

  /**
   * Reads the file.
   * @throws SettingError where it can't be read or written, or is no profile.
   */
  constructor(contract: Contract, settings: ProfileSettings, requirements: readonly Requirement[]) {
    this.#settings = settings
    const constant = requirements.filter(({ level, volatile }) => level === 'observed' && !volatile)
    this.#constant = new Set(constant.map(({ id }) => id))
    const content = read(contract, settings)
    this.#pinned = content && new Map(Object.entries(content.observations))
  }

  /**
   * Holds a run to what is pinned, or pins what it has observed.
   * @returns its report, with what has drifted, and what became of the file.
   */
  hold(report: Report): Report {
    const observed = report.observations.filter(({ id }) => this.#constant.has(id))
    const drift = observed.flatMap((one): ReportedDrift[] => {
      const before = this.#pinned?.get(one.id)
      if (!before) return []
      const { value, ...rest } = one
      const drifted = { ...rest, pinned: before.value, observed: value }
      return differences(drifted).length > 0 ? [drifted] : []
    })
    const fresh = observed.filter(({ id, value }) => {
      const before = this.#pinned?.get(id)
      return !before || hasNewMembers({ pinned: before.value, observed: value })
    })
    const isToBeWritten = this.#settings.update || !this.#pinned
    const obstacle = isToBeWritten ? obstacleIn(report) : undefined
    if (!isToBeWritten || obstacle !== undefined)
      return { ...report, drift, profile: this.#compared(drift, fresh, observed.length, obstacle) }
    if (drift.length > 0 || fresh.length > 0) this.#write(observed)
    return { ...report, drift: [], profile: this.#written(drift, fresh) }
  }

  #compared(
    drift: readonly ReportedDrift[],
    fresh: readonly ReportedObservation[],
    count: number,
    obstacle: string | undefined,
  ): string[] {
    const { given } = this.#settings
    const unwritten = obstacle === undefined ? [] : [`PROFILE: ${given} was not written, as ${obstacle}.`]
    if (!this.#pinned) return unwritten
    const remedy = 'if that is meant to be, run again with UPDATE_PROFILE=true'
    return [
      ...unwritten,
      drift.length > 0
        ? `PROFILE: ${counted(drift.length, 'observations')} differ${drift.length === 1 ? 's' : ''} from ${given}; ${remedy}.`
        : `PROFILE: nothing that was observed differs from ${given} (${count - fresh.length} compared).`,
      ...(fresh.length > 0
        ? [
            `PROFILE: not in ${given} yet: ${named(fresh)}; UPDATE_PROFILE=true adds ${fresh.length === 1 ? 'it' : 'them'}.`,
          ]
        : []),
    ]
  }

  #written(drift: readonly ReportedDrift[], fresh: readonly ReportedObservation[]): string[] {
    const { given } = this.#settings
    if (!this.#pinned)
      return [`PROFILE: ${given} was written, with ${counted(fresh.length, 'observations')}; review and commit it.`]
    if (drift.length + fresh.length === 0) return [`PROFILE: ${given} is up to date.`]
    return [
      `PROFILE: ${given} was updated; review and commit it.`,
      ...drift.map((one) => cut(`PROFILE: changed: ${one.id}: ${driftLines(one).join(' ')}`)),
      ...(fresh.length > 0 ? [`PROFILE: added: ${named(fresh, fresh.length)}`] : []),
    ]
  }

  /** What this run has not observed stays; what is never pinned, or no longer observed at all, goes. */
  #write(observed: readonly ReportedObservation[]): void {
    const kept = [...(this.#pinned ?? [])].filter(([id]) => this.#constant.has(id))
    const now = observed.map(({ id, topic, value }): [string, Pinned] => [
      id,
      { topic, value: accepted({ pinned: this.#pinned?.get(id)?.value, observed: value }) },
    ])
    const all = new Map([...kept, ...now])
    const observations = Object.fromEntries([...all].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    const content: ProfileFile = { formatVersion: 1, observations }
    writeFileSync(this.#settings.file, `${JSON.stringify(content, undefined, 2)}\n`)
  }
}

function read(contract: Contract, { file, given, update }: ProfileSettings): ProfileFile | undefined {
  const isThere = existsSync(file)
  try {
    if (!isThere || update) accessSync(isThere ? file : path.dirname(file), constants.W_OK)
    return readJsonAs<ProfileFile>(contract, file, 'profile')
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    if (!(error instanceof SettingError) && code === undefined) throw error
    const why = code === undefined ? message.replaceAll(file, given).replace(/\.$/, '') : `${given} (${code})`
    throw new SettingError(
      `PROFILE can't be used: ${why}; name another file, or remove this one to have it written again.`,
    )
  }
}

/** Why a run can't tell the whole profile, as a clause; undefined where it can. */
function obstacleIn({ interrupted, requirements, verdict }: Report): string | undefined {
  if (interrupted) return 'the run was interrupted'
  if (verdict === 'broken') return 'the run is broken'
  return requirements.some(({ reason }) => reason === NOT_LOOKED_AT) ? 'only a part of the run was selected' : undefined
}

function cut(sentence: string): string {
  return sentence.length > LONGEST_CHANGE ? `${sentence.slice(0, LONGEST_CHANGE)}…` : sentence
}

function named(of: readonly ReportedObservation[], most = MOST_IDS): string {
  const rest = of.length - most
  return of
    .slice(0, most)
    .map(({ id }) => id)
    .join(', ')
    .concat(rest > 0 ? ` and ${rest} more` : '')
}
