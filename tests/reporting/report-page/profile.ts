import { html, type Markup } from '../pages/markup.ts'
import { value } from '../pages/value.ts'
import type { Report } from '../result/report-format.ts'

/** What the target does where the document is silent, by operation. */
export function profile({ observations, profile: sentences = [] }: Report): Markup | string {
  if (observations.length === 0) return ''
  const operations = [...new Set(observations.map(({ operation }) => operation))]
  return html`<section id="profile">
    <h2>Profile <span class="count">${observations.length}</span></h2>
    <p>What this target does where the interface document is silent. None of it is right or wrong.</p>
    ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
    <div class="profile">
      ${operations.map(
        (operation) =>
          html`<section>
            <h3>${operation}</h3>
            <dl>
              ${observations
                .filter((observation) => observation.operation === operation)
                .map(
                  (observation) =>
                    html`<div>
                      <dt><a href="#${observation.id}">${observation.topic}</a></dt>
                      <dd>${value(observation.value)}</dd>
                    </div>`,
                )}
            </dl>
          </section>`,
      )}
    </div>
  </section>`
}
