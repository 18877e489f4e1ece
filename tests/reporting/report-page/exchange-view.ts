import type { Header } from 'har-format'
import type { EvidenceEntry } from '../result/evidence-har.ts'
import { html, type Markup } from '../pages/markup.ts'
import { requestLineOf } from '../wording/request-line.ts'
import { curlOf } from './curl.ts'
import { excerptOf } from './excerpt.ts'

const MASKED = 'Personal values are masked here: a text that was searched for is not the one that was sent.'

/**
 * An exchange as it went over the wire, with the place that a finding points to marked, and how to send it again.
 * @param isMasked whether personal values are masked in it.
 */
export function exchangeView(entry: EvidenceEntry, pointer: string, isMasked: boolean): Markup {
  const { request, response, _failure: failure } = entry
  const { content } = response
  const sent = request.postData?.text
  const hasBody = content.text !== undefined && content.text !== ''
  return html`<h4>Request</h4>
    <pre tabindex="0">${requestLineOf(request)}
${inLines(request.headers)}${sent === undefined ? '' : `\n\n${sent}`}</pre>
    <h4>Response</h4>
    ${
      response.status === 0
        ? html`<p>None arrived: ${failure?.message ?? 'no reason was recorded'}.</p>`
        : html`<pre tabindex="0">${response.status} ${response.statusText}
${inLines(response.headers)}

${hasBody ? body(content.text!, content.encoding, pointer) : '(no body)'}</pre>`
    }
    <h4>Again</h4>
    <div class="command">
      <pre tabindex="0">${curlOf(request)}</pre>
      <button type="button" class="copy" hidden>Copy</button>
    </div>
    ${isMasked && /[?&]searchParam=/.test(request.url) ? html`<p class="note">${MASKED}</p>` : ''}`
}

function body(text: string, encoding: string | undefined, pointer: string): Markup | string {
  if (encoding === 'base64') return `(${Buffer.from(text, 'base64').length} bytes that are not text)`
  return html`${excerptOf(text, pointer).map(({ text: line, marked }) => [marked ? html`<mark>${line}</mark>` : line, '\n'])}`
}

function inLines(headers: readonly Header[]): string {
  return headers.map(({ name, value }) => `${name}: ${value}`).join('\n')
}
