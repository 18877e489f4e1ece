import { html, type Markup } from './markup.ts'

/** An observed value, as a person reads it. */
export function value(observed: unknown): Markup | string {
  if (Array.isArray(observed)) {
    if (observed.length === 0) return 'none'
    return html`${observed.map((one, index) => html`${index > 0 ? ', ' : ''}${value(one)}`)}`
  }
  if (typeof observed === 'object' && observed !== null)
    return html`<ul class="members">
      ${Object.entries(observed).map(([name, member]) => html`<li>${name}: ${value(member)}</li>`)}
    </ul>`
  if (observed === true) return 'yes'
  if (observed === false) return 'no'
  return typeof observed === 'string' ? observed : JSON.stringify(observed)
}
