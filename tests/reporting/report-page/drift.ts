import { driftLines } from '../profile/drift.ts'
import { html, type Markup } from '../pages/markup.ts'
import type { Report } from '../result/report-format.ts'

/** What is no longer as it was pinned; nothing where all of it is. */
export function drift({ drift: all = [], profile = [] }: Report): Markup | string {
  if (all.length === 0) return ''
  return html`<section id="drift">
    <h2>Drift from the profile <span class="count">${all.length}</span></h2>
    <p>${profile.join(' ')}</p>
    <dl>
      ${all.map(
        (one) =>
          html`<div>
            <dt><a href="#${one.id}">${one.operation}: ${one.topic}</a></dt>
            <dd><pre tabindex="0">${driftLines(one).join('\n')}</pre></dd>
          </div>`,
      )}
    </dl>
  </section>`
}
