const MOST_LEVELS = 3
const ESCAPE =
  /\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}|\\[/\\"'bfnrt]|(?:%[0-9a-f]{2})+|&#\d{1,7};?|&#x[0-9a-f]{1,6};?|&(?:amp|lt|gt|quot|apos);/gi
const SINGLE: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** A reading of a text that knows where in the original each of its characters stands. */
export interface Reading {
  readonly text: string
  /** The original's range that the characters from `start` to `end` of this reading were made from. */
  readonly range: (start: number, end: number) => readonly [start: number, end: number]
}

/** The text as it is, and with its JSON, percent and HTML escapes undone, level by level while there are any. */
export function readings(text: string): Reading[] {
  const all: Reading[] = [{ text, range: (start, end) => [start, end] }]
  while (all.length <= MOST_LEVELS) {
    const next = undo(all.at(-1)!)
    if (!next) break
    all.push(next)
  }
  return all
}

/** Replaces ranges of a text; of ranges that meet, the first one's replacement stands for them all. */
export function replaceRanges(text: string, ranges: readonly Replacement[]): string {
  if (ranges.length === 0) return text
  const sorted = ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)
  let result = ''
  let done = 0
  for (const { start, end, by } of sorted) {
    if (start >= done) result += text.slice(done, start) + by
    done = Math.max(done, end)
  }
  return result + text.slice(done)
}

export interface Replacement {
  readonly start: number
  readonly end: number
  readonly by: string
}

/** A text in lower case whose characters stand where they stood. */
export function lowerCase(text: string): string {
  // The one letter whose small form is longer.
  return text
    .split('İ')
    .map((part) => part.toLowerCase())
    .join('İ')
}

function undo(reading: Reading): Reading | undefined {
  if (reading.text.search(ESCAPE) < 0) return undefined
  const parts: string[] = []
  let done = 0
  // Where each character of the new text, which is shorter, was read from; one made of several stands for them all.
  const starts = new Uint32Array(reading.text.length)
  const ends = new Uint32Array(reading.text.length)
  let length = 0
  const add = (start: number, end: number): void => {
    starts[length] = start
    ends[length++] = end
  }
  const take = (start: number, end: number): void => {
    for (let index = start; index < end; index++) add(index, index + 1)
    parts.push(reading.text.slice(start, end))
  }
  for (const match of reading.text.matchAll(ESCAPE)) {
    take(done, match.index)
    for (const { character, start, end } of decode(match[0], match.index)) {
      for (let index = 0; index < character.length; index++) add(start, end)
      parts.push(character)
    }
    done = match.index + match[0].length
  }
  take(done, reading.text.length)
  return { text: parts.join(''), range: (start, end) => reading.range(starts[start]!, ends[end - 1]!) }
}

interface Decoded {
  readonly character: string
  readonly start: number
  readonly end: number
}

function decode(escape: string, at: number): Decoded[] {
  const end = at + escape.length
  if (escape.startsWith('%')) return decodeBytes(escape, at)
  const numeric = /^(?:\\[ux]\{?|&#(x?))([0-9a-f]+)/i.exec(escape)
  if (numeric) {
    const code = Number.parseInt(numeric[2]!, escape.startsWith('\\') || numeric[1] ? 16 : 10)
    return [{ character: code <= 0x10ffff ? String.fromCodePoint(code) : '\u{FFFD}', start: at, end }]
  }
  const name = escape.slice(1).replace(';', '')
  return [{ character: (escape.startsWith('&') ? NAMED[name.toLowerCase()] : SINGLE[name]) ?? name, start: at, end }]
}

/** Reads percent-encoded bytes as UTF-8; what isn't UTF-8 is read as Latin-1. */
function decodeBytes(escape: string, at: number): Decoded[] {
  const bytes = Buffer.from(escape.replaceAll('%', ''), 'hex')
  const text = bytes.toString('utf8')
  const characters = text.includes('\u{FFFD}') ? Array.from(bytes.toString('latin1')) : Array.from(text)
  const width = text.includes('\u{FFFD}') ? () => 1 : (character: string) => Buffer.byteLength(character)
  let start = at
  return characters.map((character) => {
    const decoded = { character, start, end: start + 3 * width(character) }
    start = decoded.end
    return decoded
  })
}
