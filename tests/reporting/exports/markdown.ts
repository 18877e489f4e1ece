import { withoutControls } from '../wording/finding-line.ts'

const LONGEST = 300

/**
 * Any text as a code span, in one line and cut short: in Markdown the only place where a text means nothing but itself,
 * be it a link, a mention or HTML. It must not stand in a table, where a bar would end its cell all the same.
 */
export function codeSpan(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  const line = withoutControls(short).replace(/[\n\p{Zl}\p{Zp}]+/gu, ' ')
  if (line.trim() === '') return 'nothing'
  // A run of backticks ends a span only where it is as long as the one that begins it.
  const runs = Array.from(line.matchAll(/`+/g), ([run]) => run.length)
  const fence = '`'.repeat(Math.max(0, ...runs) + 1)
  // One that stands at an end would lengthen the fence; of blanks at both ends, Markdown takes away one each.
  const apart = /^[` ]|[` ]$/.test(line) ? ' ' : ''
  return fence + apart + line + apart + fence
}

/** A table of words of the suite's own; the first row is its head, and its columns but the first hold numbers. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const [head, ...body] = rows.map((cells) => `| ${cells.join(' | ')} |`)
  return [head, `| --- |${' ---: |'.repeat(rows[0]!.length - 1)}`, ...body].join('\n')
}
