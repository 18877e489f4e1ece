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
  return single(observed)
}

/** The same in one line of text. */
export function valueInLine(observed: unknown): string {
  if (Array.isArray(observed)) return observed.length === 0 ? 'none' : observed.map(valueInLine).join(', ')
  if (typeof observed === 'object' && observed !== null)
    return Object.entries(observed)
      .map(([name, member]) => `${name}: ${valueInLine(member)}`)
      .join('; ')
  return single(observed)
}

function single(observed: unknown): string {
  if (observed === true) return 'yes'
  if (observed === false) return 'no'
  return typeof observed === 'string' ? observed : JSON.stringify(observed)
}
