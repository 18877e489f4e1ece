/** A line of an excerpt; `marked` where it is, or belongs to, the place that was pointed to. */
export interface ExcerptLine {
  readonly text: string
  readonly marked: boolean
}

const DEEPEST = 3
const LONGEST_VALUE = 160
const LONGEST_TEXT = 2000
const MOST_MEMBERS = 40
const MOST_ITEMS = 3

/**
 * The part of a body that shows a place: what leads to it and what stands beside it; the rest is counted.
 * @param pointer JSON pointer to the place; empty for the body as a whole. What is missing there is shown as missing.
 */
export function excerptOf(body: string, pointer: string): readonly ExcerptLine[] {
  const value = parsed(body)
  if (value === undefined) return cut(body, LONGEST_TEXT).split('\n').map(plain)
  if (pointer === '') return linesOf(value, '', 0).map(plain)
  const path = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return linesTo(value, path, '', 0)
}

/** Undefined where the text is no JSON: JSON itself has no such value. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The lines of a container on the way to a place, or of the place itself. */
function linesTo(value: unknown, path: readonly string[], name: string, depth: number): ExcerptLine[] {
  const [next, ...rest] = path
  if (next === undefined) return linesOf(value, name, depth).map((text) => ({ text, marked: true }))
  const indent = '  '.repeat(depth)
  const inner = '  '.repeat(depth + 1)
  const missing = (label: string): ExcerptLine => ({ text: `${inner}${label}nothing`, marked: true })
  if (Array.isArray(value)) {
    const index = Number(next)
    const line = (count: number, where: string): ExcerptLine[] =>
      count > 0 ? [plain(`${inner}… ${count} ${where}`)] : []
    const item = index in value ? linesTo(value[index], rest, '', depth + 1) : [missing('')]
    return [
      plain(`${indent}${name}[`),
      ...line(Math.min(index, value.length), 'before'),
      ...item,
      ...line(value.length - index - 1, 'after'),
      plain(`${indent}]`),
    ]
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
    const lines = members
      .filter(([key], index) => key === next || index < MOST_MEMBERS)
      .flatMap(([key, member]) =>
        key === next
          ? linesTo(member, rest, `${quoted(key)}: `, depth + 1)
          : [plain(`${inner}${quoted(key)}: ${summary(member)}`)],
      )
    const isThere = Object.hasOwn(value, next)
    return [
      plain(`${indent}${name}{`),
      ...lines,
      ...(isThere ? [] : [missing(`${quoted(next)}: `)]),
      plain(`${indent}}`),
    ]
  }
  // The way ends before the place: this is what stands in it.
  return [{ text: `${indent}${name}${summary(value)}`, marked: true }]
}

/** A value's lines, to a certain depth. */
function linesOf(value: unknown, name: string, depth: number): string[] {
  const indent = '  '.repeat(depth)
  if (typeof value !== 'object' || value === null || depth >= DEEPEST) return [`${indent}${name}${summary(value)}`]
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const entries = Object.entries(value)
  const shown = entries.slice(0, Array.isArray(value) ? MOST_ITEMS : MOST_MEMBERS)
  const rest = entries.length - shown.length
  return [
    `${indent}${name}${open}`,
    ...shown.flatMap(([key, member]) => linesOf(member, Array.isArray(value) ? '' : `${quoted(key)}: `, depth + 1)),
    ...(rest > 0 ? [`${indent}  … ${rest} more`] : []),
    `${indent}${close}`,
  ]
}

/** A value in a line; of a container, how much is in it. */
function summary(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[… ${value.length}]`
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : '{…}'
  return cut(JSON.stringify(value), LONGEST_VALUE)
}

function quoted(key: string): string {
  return cut(JSON.stringify(key), LONGEST_VALUE)
}

function plain(text: string): ExcerptLine {
  return { text, marked: false }
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
