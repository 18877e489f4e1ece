import type { Report } from '../result/report-format.ts'
import { html, type Markup } from './markup.ts'

/** When a run began, to the minute. */
export function when(report: Pick<Report, 'startedAt'>): Markup {
  return html`<time datetime="${report.startedAt}">${whenInWords(report)}</time>`
}

export function whenInWords({ startedAt }: Pick<Report, 'startedAt'>): string {
  return `${startedAt.slice(0, 10)} ${startedAt.slice(11, 16)} UTC`
}
