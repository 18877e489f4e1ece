import { html, type Markup } from '../pages/markup.ts'
import { reasonsOf } from '../wording/reasons.ts'
import type { Report } from '../result/report-format.ts'

/** What could have failed and was not exercised, by what would exercise it; what concerns most first. */
export function gaps({ requirements }: Report): Markup {
  const all = reasonsOf(requirements.filter(({ level }) => level !== 'observed'))
  return html`<section id="not-exercised">
    <h2>Not exercised <span class="count">${all.reduce((sum, [, ids]) => sum + ids.length, 0)}</span></h2>
    ${
      all.length === 0
        ? html`<p>Every stated and implied requirement was exercised.</p>`
        : html`<dl class="gaps">
            ${all.map(
              ([reason, mine]) =>
                html`<div>
                  <dt>${reason}</dt>
                  <dd>
                    <ul class="ids">
                      ${mine.map(
                        ({ id }) =>
                          html`<li>
                            <a href="#${id}"><code>${id}</code></a>
                          </li> `,
                      )}
                    </ul>
                  </dd>
                </div>`,
            )}
          </dl>`
    }
  </section>`
}
