import { html, type Markup } from './markup.ts'

/** A row of a list of facts. */
export function fact(term: string, value: Markup | string): Markup {
  return html`<div>
    <dt>${term}</dt>
    <dd>${value}</dd>
  </div>`
}
