import pLimit from 'p-limit'
import { isSuccess } from '../engine/http/exchange.ts'
import type { OperationId } from '../engine/contract.ts'
import { WAS_INTERRUPTED } from '../engine/time/clock.ts'
import { judge } from '../engine/judging/judge.ts'
import type { Requirement, Result } from '../engine/judging/requirement.ts'
import type { Session } from '../engine/judging/session.ts'
import { counts } from '../engine/judging/verdict.ts'
import type { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { examinedInWords } from '../reporting/wording/examined.ts'
import { exchangeText } from '../reporting/wording/exchange-text.ts'
import { findingLine, withoutControls } from '../reporting/wording/finding-line.ts'
import { NOT_LOOKED_AT, notExercised, withoutPaths } from '../reporting/result/report.ts'
import type { Judgement } from './judgement.ts'

/** Exchanges that a failing test carries. */
const MOST_EXCHANGES = 3
const LONGEST_OBSERVATION = 300
const OF_THIS_PART = 'of the answers that this part of the run saw'

/** How much of the whole a run is. */
interface Extent {
  /** Whether a requirement is part of the run; undefined where nobody can tell. */
  readonly isSelected: (requirement: Requirement) => boolean | undefined
  /** Whether what every part of it finds is going to be merged. */
  readonly isShard: boolean
}

/** A requirement's result, and what failed of the answers that it caused, by requirements that are no part of the run. */
interface Judged {
  readonly result: Result
  readonly besides: readonly Result[]
}

interface Deferred {
  readonly promise: Promise<Judged>
  readonly resolve: (judged: Judged) => void
  readonly reject: (error: Error) => void
}

/** One run: its session, the requirements that were asked for, and what became of them. */
export class TestRun {
  readonly #session: Session
  readonly #policy: RedactionPolicy
  readonly #requirements: ReadonlyMap<string, Requirement>
  readonly #results = new Map<string, Result>()
  /** What the test of a requirement is to be told. */
  readonly #judged = new Map<string, Deferred>()
  /** What has been judged since the session forgot everything. */
  readonly #fresh = new Set<string>()
  /** How many exchanges there were then. */
  #forgotten = 0
  /** How long each test had to wait, by its requirement's id. */
  readonly #seconds = new Map<string, number>()
  /** Judgements share the session's memory and numbering, so there is one at a time, however many tests ask. */
  readonly #turn = pLimit(1)

  readonly #isSelected: Extent['isSelected']
  readonly #isShard: boolean

  constructor(
    session: Session,
    requirements: readonly Requirement[],
    policy: RedactionPolicy,
    { isSelected = () => true, isShard = false }: Partial<Extent> = {},
  ) {
    this.#isSelected = isSelected
    this.#isShard = isShard
    this.#session = session
    this.#policy = policy
    this.#requirements = new Map(requirements.map((requirement) => [requirement.id, requirement]))
  }

  /**
   * Judges the requirement of an id; asked again, it looks at the target again. The first to be asked for is judged with
   * all others that are selected, whichever order their tests have.
   */
  async judge(id: string): Promise<Judgement> {
    const requirement = this.#requirements.get(id)
    if (!requirement) throw new Error(`there is no requirement ${id}`)
    const begun = performance.now()
    const isAskedAgain = this.#seconds.has(id)
    this.#seconds.set(id, 0)
    const { result, besides } = await (isAskedAgain ? this.#judgeAgain(requirement) : this.#judgeFirst(requirement))
    this.#seconds.set(id, (performance.now() - begun) / 1000)
    return this.#show(result, besides)
  }

  #judgeFirst(requirement: Requirement): Promise<Judged> {
    const known = this.#judged.get(requirement.id)
    if (known) return known.promise
    const selected = [...this.#requirements.values()].filter(
      (one) => one === requirement || (this.#isSelected(one) === true && !this.#judged.has(one.id)),
    )
    for (const { id } of selected) this.#judged.set(id, deferred())
    this.#judgeAll(selected).catch((error: Error) => {
      for (const { id } of selected) this.#judged.get(id)!.reject(error)
    })
    return this.#judged.get(requirement.id)!.promise
  }

  #judgeAgain(requirement: Requirement): Promise<Judged> {
    const judged = deferred()
    this.#judged.set(requirement.id, judged)
    this.#judgeAll([requirement]).catch(judged.reject)
    return judged.promise
  }

  /** Judges some requirements, and hands each result to its test: at once where the run is whole, or with what else failed. */
  #judgeAll(requirements: readonly Requirement[]): Promise<void> {
    return this.#turn(async () => {
      if (requirements.some(({ id }) => this.#fresh.has(id)) || this.#hasChangedBefore(requirements)) {
        this.#session.run.forget()
        this.#fresh.clear()
        this.#forgotten = this.#session.evidence.exchanges.length
      }
      for (const { id } of requirements) this.#fresh.add(id)
      const isPartial = this.#isPartial
      const results = await judge(this.#session, requirements, (result) => {
        this.#results.set(result.requirement.id, result)
        if (!isPartial) this.#judged.get(result.requirement.id)!.resolve({ result, besides: [] })
      })
      performance.mark('judged')
      if (!isPartial) return
      const unsaid = await this.#judgeAnswers((other) => this.#isSelected(other) === false)
      for (const result of results) {
        const besides = unsaid.filter((one) => tellerOf(one, results) === result)
        this.#judged.get(result.requirement.id)!.resolve({ result, besides })
      }
    })
  }

  /**
   * Whether something was changed before what only reads is judged: Playwright's order is that of the files, where no
   * reporter of ours tells what is selected.
   */
  #hasChangedBefore(requirements: readonly Requirement[]): boolean {
    const since = this.#session.evidence.exchanges.slice(this.#forgotten)
    return (
      requirements.some(({ phase }) => phase === undefined) &&
      since.some((exchange) => exchange.request.method !== 'GET' && isSuccess(exchange))
    )
  }

  /**
   * Judges the answers that came so far by requirements which nobody has asked for, or will: what an answer breaks must
   * not go unsaid because its own requirement isn't part of the run.
   * @returns what failed and was not known to.
   */
  async #judgeAnswers(isMeant: (requirement: Requirement) => boolean): Promise<readonly Result[]> {
    const answered = new Set(this.#session.evidence.answers.map(({ exchange }) => exchange.operation))
    const others = [...this.#requirements.values()]
      .filter(({ phase, level }) => phase === 'review' && (this.#isShard || level !== 'observed'))
      .filter((one) => this.#results.get(one.id)?.outcome !== 'failed' && isMeant(one))
      .map((one) => ({ ...one, operations: one.operations.filter((operation) => answered.has(operation)) }))
      .filter(({ operations }) => operations.length > 0)
    const results = await judge(this.#session, others)
    const failed = results.filter((result) => this.#fails(result))
    for (const result of this.#isShard ? results : failed) {
      const requirement = this.#requirements.get(result.requirement.id)!
      this.#results.set(requirement.id, { ...result, requirement })
    }
    return failed
  }

  #fails({ requirement, outcome }: Result): boolean {
    const { level } = this.#session.settings
    return outcome === 'broken' || (outcome === 'failed' && counts(requirement.level, level))
  }

  /**
   * Judges once more what weighs every answer, now that the last one is there, and what nobody asked for.
   * @returns the ids of those that were thought to be fulfilled and are not.
   */
  sumUp(): Promise<string[]> {
    return this.#turn(async () => {
      const again = [...this.#results.values()]
        .filter(
          ({ requirement, outcome }) => requirement.phase === 'review' && ['passed', 'not exercised'].includes(outcome),
        )
        .map(({ requirement }) => requirement)
      const results = await judge(this.#session, again)
      for (const result of results) this.#results.set(result.requirement.id, result)
      const unasked = await this.#judgeAnswers(({ id }) => !this.#results.has(id))
      this.#policy.learn(this.#session.evidence.exchanges)
      const failed = [...results.filter((result) => this.#fails(result)), ...unasked]
      return failed.map(({ requirement }) => requirement.id)
    })
  }

  get #isPartial(): boolean {
    return [...this.#requirements.values()].some((requirement) => this.#isSelected(requirement) === false)
  }

  /** The tests that asked for a judgement, by their titles, and how long each was made to wait. */
  get tests(): ReadonlyMap<string, { readonly seconds: number }> {
    return new Map(
      [...this.#seconds].map(([id, seconds]) => [`${id}: ${this.#requirements.get(id)!.title}`, { seconds }]),
    )
  }

  /** How many requirements have been judged so far. */
  get judged(): number {
    return this.#results.size
  }

  /** A result for every requirement there is. */
  get results(): readonly Result[] {
    const { isInterrupted } = this.#session.run
    const why = (one: Requirement) => (isInterrupted && this.#isSelected(one) ? WAS_INTERRUPTED : NOT_LOOKED_AT)
    return [...this.#requirements.values()].map(
      (requirement) => this.#results.get(requirement.id) ?? notExercised(requirement, why(requirement)),
    )
  }

  /** @param besides what failed of the answers that the requirement caused, by requirements that are no part of the run. */
  #show(
    { requirement, outcome, reason, examined, findings, observations }: Result,
    besides: readonly Result[],
  ): Judgement {
    const policy = this.#policy
    policy.learn(this.#session.evidence.exchanges)
    const isOutweighed = besides.length > 0 && outcome !== 'broken'
    const all = [{ requirement, findings }, ...besides]
    return {
      outcome: isOutweighed ? 'failed' : outcome,
      decides: isOutweighed || counts(requirement.level, this.#session.settings.level),
      ...(reason !== undefined && { reason: withoutControls(withoutPaths(policy.text(reason))) }),
      lines: all.flatMap((one) => one.findings.map((finding) => findingLine(one.requirement, policy.finding(finding)))),
      exchanges: [...new Set(all.flatMap((one) => one.findings.map(({ exchange }) => exchange)))]
        .slice(0, MOST_EXCHANGES)
        .map((exchange) => exchangeText(exchange, policy)),
      examined: [
        ...examinedInWords(examined),
        ...(requirement.phase === 'review' && this.#isPartial ? [OF_THIS_PART] : []),
      ],
      observations: observations.map(({ topic, value }) => {
        const text = JSON.stringify(policy.observation(value))
        return withoutControls(`${topic}: ${text.slice(0, LONGEST_OBSERVATION)}`)
      }),
    }
  }
}

function deferred(): Deferred {
  let settle: Omit<Deferred, 'promise'> | undefined
  const promise = new Promise<Judged>((resolve, reject) => (settle = { resolve, reject }))
  // Its test may never ask for it.
  promise.catch(() => undefined)
  return { promise, ...settle! }
}

/** The result, of some, whose test tells of another that none asked for: the first that is about one of its operations. */
function tellerOf({ requirement }: Result, results: readonly Result[]): Result | undefined {
  const isAbout = (operation: OperationId): boolean => requirement.operations.includes(operation)
  return results.find((one) => one.requirement.operations.some(isAbout)) ?? results[0]
}
