import type { Outcome } from '../../engine/judging/requirement.ts'
import type { Verdict } from '../../engine/judging/verdict.ts'
import { html, type Markup } from './markup.ts'

/** The outcomes, what a reader must know of first. */
export const WORST_FIRST: readonly Outcome[] = ['broken', 'failed', 'not exercised', 'passed']

/** Signs that tell outcomes apart without colour. */
export const SIGN: Readonly<Record<Outcome, string>> = {
  passed: '✓',
  failed: '✗',
  'not exercised': '○',
  broken: '!',
}

/** The outcome whose sign and colour a verdict has. */
const OUTCOME_OF: Readonly<Record<Verdict, Outcome>> = {
  conformant: 'passed',
  incomplete: 'not exercised',
  nonconformant: 'failed',
  broken: 'broken',
}

/** The name by which the style sheet knows an outcome. */
export function classOf(outcome: Outcome): string {
  return outcome.replace(' ', '-')
}

/** An outcome with its sign and colour. */
export function badge(outcome: Outcome, text: string = outcome): Markup {
  return html`<span class="badge ${classOf(outcome)}"><span aria-hidden="true">${SIGN[outcome]}</span> ${text}</span>`
}

/** A verdict with the sign and colour of the outcome that it comes from. */
export function verdictBadge(verdict: Verdict): Markup {
  return badge(OUTCOME_OF[verdict], verdict)
}
