/** A line of an excerpt; `marked` where it is, or belongs to, the place that was pointed to. */
export interface ExcerptLine {
  readonly text: string
  readonly marked: boolean
}

const DEEPEST = 4
const LONGEST_VALUE = 160
const LONGEST_TEXT = 2000
const MOST_MEMBERS = 40

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
  const line = (text: string): ExcerptLine[] => [plain(`${inner}${text}`)]
  const missing = (label: string): ExcerptLine[] => [{ text: `${inner}${label}nothing`, marked: true }]
  if (Array.isArray(value)) {
    const index = Number(next)
    const before = Math.min(index, value.length)
    const after = value.length - index - 1
    return framed(`${indent}${name}[`, `${indent}]`, [
      ...(before > 0 ? [line(`… ${before} before`)] : []),
      index in value ? linesTo(value[index], rest, '', depth + 1) : missing(''),
      ...(after > 0 ? [line(`… ${after} after`)] : []),
    ])
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([key], index) => key === next || index < MOST_MEMBERS)
      .map(([key, member]) => {
        const label = `${quoted(key)}: `
        return key === next ? linesTo(member, rest, label, depth + 1) : line(`${label}${summary(member)}`)
      })
    if (!Object.hasOwn(value, next)) members.push(missing(`${quoted(next)}: `))
    return framed(`${indent}${name}{`, `${indent}}`, members)
  }
  // The way ends before the place: this is what stands in it.
  return [{ text: `${indent}${name}${summary(value)}`, marked: true }]
}

/** A value's lines, to a certain depth. */
function linesOf(value: unknown, name: string, depth: number): string[] {
  const indent = '  '.repeat(depth)
  if (typeof value !== 'object' || value === null || depth >= DEEPEST) return [`${indent}${name}${summary(value)}`]
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const shown = entries.slice(0, isList ? 1 : MOST_MEMBERS)
  const rest = entries.length - shown.length
  const members = [
    ...shown.map(([key, member]) => linesOf(member, isList ? '' : `${quoted(key)}: `, depth + 1).map(plain)),
    ...(rest > 0 ? [[plain(`${indent}  … ${rest} more`)]] : []),
  ]
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return framed(`${indent}${name}${open}`, `${indent}${close}`, members).map(({ text }) => text)
}

/** Members between brackets, with commas between them. */
function framed(open: string, close: string, members: readonly (readonly ExcerptLine[])[]): ExcerptLine[] {
  const separated = members.flatMap((lines, index) =>
    index === members.length - 1
      ? lines
      : lines.map((line, at) => (at === lines.length - 1 ? { ...line, text: `${line.text},` } : line)),
  )
  return [plain(open), ...separated, plain(close)]
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
