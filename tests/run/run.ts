import pLimit from 'p-limit'
import { judge } from '../engine/judge.ts'
import type { Requirement, Result } from '../engine/requirement.ts'
import type { Session } from '../engine/session.ts'
import { counts } from '../engine/verdict.ts'
import type { Discretion } from '../reporting/discretion.ts'
import { examinedInWords } from '../reporting/examined.ts'
import { findingLine, withoutControls } from '../reporting/finding-line.ts'
import { NOT_LOOKED_AT, notExercised, withoutPaths } from '../reporting/report.ts'
import type { Judgement } from './judgement.ts'

const LONGEST_OBSERVATION = 300

/** One run: its session, the requirements that were asked for, and what became of them. */
export class Run {
  readonly #session: Session
  readonly #discretion: Discretion
  readonly #requirements: ReadonlyMap<string, Requirement>
  readonly #results = new Map<string, Result>()
  /** How long each judgement took. */
  readonly #seconds = new Map<string, number>()
  /** Judgements share the session's memory and numbering, so there is one at a time, however many tests ask. */
  readonly #turn = pLimit(1)

  constructor(session: Session, requirements: readonly Requirement[], discretion: Discretion) {
    this.#session = session
    this.#discretion = discretion
    this.#requirements = new Map(requirements.map((requirement) => [requirement.id, requirement]))
  }

  /** Judges the requirement of an id; asked again, it looks at the target afresh. */
  judge(id: string): Promise<Judgement> {
    return this.#turn(async () => {
      const requirement = this.#requirements.get(id)
      if (!requirement) throw new Error(`there is no requirement ${id}`)
      if (this.#results.has(id)) this.#session.forget()
      const begun = performance.now()
      const [result] = await judge(this.#session, [requirement])
      this.#results.set(id, result!)
      this.#seconds.set(`${id}: ${requirement.title}`, (performance.now() - begun) / 1000)
      return this.#show(result!)
    })
  }

  /**
   * Judges once more what weighs every answer, now that the last one is there.
   * @returns the ids of those that were thought to be fulfilled and are not.
   */
  sumUp(): Promise<string[]> {
    return this.#turn(async () => {
      const again = [...this.#results.values()]
        .filter(
          ({ requirement, outcome }) =>
            requirement.turn === 'everything' && ['passed', 'not exercised'].includes(outcome),
        )
        .map(({ requirement }) => requirement)
      const results = await judge(this.#session, again)
      for (const result of results) this.#results.set(result.requirement.id, result)
      this.#discretion.learn(this.#session.evidence.exchanges)
      const { level } = this.#session.settings
      const fails = ({ requirement, outcome }: Result): boolean =>
        outcome === 'broken' || (outcome === 'failed' && counts(requirement.level, level))
      return results.filter(fails).map(({ requirement }) => requirement.id)
    })
  }

  /** The tests that asked for a judgement, by their titles, and how long each was made to wait. */
  get tests(): ReadonlyMap<string, { readonly seconds: number }> {
    return new Map([...this.#seconds].map(([title, seconds]) => [title, { seconds }]))
  }

  /** A result for every requirement there is. */
  get results(): readonly Result[] {
    return [...this.#requirements.values()].map(
      (requirement) => this.#results.get(requirement.id) ?? notExercised(requirement, NOT_LOOKED_AT),
    )
  }

  #show({ requirement, outcome, reason, examined, findings, observations }: Result): Judgement {
    const discretion = this.#discretion
    discretion.learn(this.#session.evidence.exchanges)
    return {
      outcome,
      decides: counts(requirement.level, this.#session.settings.level),
      ...(reason !== undefined && { reason: withoutControls(withoutPaths(discretion.text(reason))) }),
      lines: findings.map((finding) => findingLine(requirement, discretion.finding(finding))),
      examined: examinedInWords(examined),
      observations: observations.map(({ topic, value }) => {
        const text = JSON.stringify(discretion.statement(value))
        return withoutControls(`${topic}: ${text.slice(0, LONGEST_OBSERVATION)}`)
      }),
    }
  }
}
