import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { withoutControls } from '../wording/finding-line.ts'
import { html, raw, type Markup } from './markup.ts'

/** What a page is made of. */
export interface PageParts {
  readonly title: string
  readonly description: string
  readonly body: Markup
  /** Files of its own style and scripts; a script that is no file of ours is given as its text. */
  readonly styles?: readonly URL[]
  readonly scripts?: readonly (URL | string)[]
  /** What a library on the page needs beside: styles that it inserts, by digest, and workers made of its own text. */
  readonly allows?: { readonly styles: readonly string[]; readonly workers: boolean }
}

/**
 * A page that is one file: it works offline and opened from a disk, asks nothing of any host, and runs no script and
 * takes no style but its own, whatever a target's text may hold.
 */
export async function page(parts: PageParts): Promise<string> {
  const { title, description, body, styles = [], scripts = [], allows = { styles: [], workers: false } } = parts
  const style = textOf([new URL('pages.css', import.meta.url), ...styles])
  const script = textOf(scripts)
  const policy = [
    `default-src 'none'`,
    `style-src ${[digest(style), ...allows.styles].map((hash) => `'${hash}'`).join(' ')}`,
    `script-src '${digest(script)}'`,
    `img-src data:`,
    ...(allows.workers ? ['worker-src blob:'] : []),
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')
  const markup = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${description}" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <style>${raw(style)}</style>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        ${body}
        <script>${raw(script)}</script>
      </body>
    </html> `
  // A text that a target chose may be escaped and still hold what turns the direction of writing.
  return withoutControls(String(markup))
}

function textOf(files: readonly (URL | string)[]): string {
  return files.map((file) => (typeof file === 'string' ? file : readFileSync(file, 'utf8'))).join('\n')
}

/** The digest by which a content security policy knows a text. */
function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
