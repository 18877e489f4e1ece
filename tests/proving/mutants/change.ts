/** A replacement of one piece of a source. Offsets count UTF-16 units. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

interface Token {
  readonly text: string
  readonly start: number
  readonly end: number
}

const TOKEN = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[\p{L}\p{N}_$]+|[<>=!&|+\-*%?]+|\S/gu
const LONGEST = 100

/** A replacement without what is the same before and after it, in its lines. */
interface Change {
  readonly lineStart: number
  /** The lines up to the change, the change, and what follows it in its last line. */
  readonly before: string
  readonly from: string
  readonly to: string
  readonly after: string
  /** The same for two changes where they come to the same. */
  readonly place: string
}

/**
 * Describes each replacement in a source by its line with what becomes of it, as in `start «> → >=» 0`. What is the
 * same before and after is left out of the mark, however the new text is laid out. Where another place of the source
 * would be described alike, the lines before are told too, as many as make the difference: two descriptions are the
 * same only where the mutated sources are.
 */
export function describeChanges(source: string, replacements: readonly Replacement[]): string[] {
  const changes = replacements.map((replacement) => changeOf(source, replacement))
  const told = new Map<Change, string>()
  for (let more = 0; told.size < changes.length; more++) {
    const described = changes.map((change) => [change, describe(source, change, more)] as const)
    const places = new Map<string, Set<string>>()
    for (const [{ place }, text] of described) places.set(text, (places.get(text) ?? new Set()).add(place))
    for (const [change, text] of described)
      if (!told.has(change) && places.get(text)!.size === 1) told.set(change, text)
  }
  return changes.map((change) => told.get(change)!)
}

function changeOf(source: string, { start, end, text }: Replacement): Change {
  const [old, young] = [tokensOf(source.slice(start, end)), tokensOf(text)]
  let head = 0
  while (same(old[head], young[head])) head++
  let tail = 0
  while (tail < Math.min(old.length, young.length) - head && same(old.at(-1 - tail), young.at(-1 - tail))) tail++
  const isBalanced = (tokens: readonly Token[]) => balanced(tokens.slice(head, tokens.length - tail))
  while (head > 0 && !(isBalanced(old) && isBalanced(young))) head--
  const [from, to] = [spanOf(old, head, tail), spanOf(young, head, tail)]
  const [first, last] = [start + from.start, start + from.end]
  const lineStart = source.lastIndexOf('\n', start - 1) + 1
  const replaced = inOneLine(text.slice(to.start, to.end))
  return {
    lineStart,
    before: inOneLine(source.slice(lineStart, first)).trimStart(),
    from: inOneLine(source.slice(first, last)),
    to: replaced,
    after: inOneLine(source.slice(last).split('\n', 1)[0]!).trimEnd(),
    place: JSON.stringify([first, last, replaced]),
  }
}

function same(a: Token | undefined, b: Token | undefined): boolean {
  return a !== undefined && a.text === b?.text
}

/** @param more how many lines are told before those of the change; with any, long ones are told in full. */
function describe(source: string, { lineStart, before, from, to, after }: Change, more: number): string {
  const cut = more === 0 ? shortened : (text: string) => text
  const earlier = inLines(source.slice(0, lineStart))
  const context = more === 0 ? [] : earlier.slice(-more)
  return [...context, `${cut(before)}«${`${cut(from)} → ${cut(to)}`.trim()}»${after}`].join(' ⏎ ')
}

/** The tokens, without what a formatter puts in or leaves out: semicolons, and commas behind the last of a list. */
function tokensOf(code: string): Token[] {
  const tokens = [...code.matchAll(TOKEN)].map(({ 0: text, index }) => ({
    text,
    start: index,
    end: index + text.length,
  }))
  return tokens.filter(({ text }, at) => text !== ';' && !(text === ',' && /^[)\]}]$/.test(tokens[at + 1]?.text ?? '')))
}

/** Where the tokens begin and end that are left without those at both ends. */
function spanOf(tokens: readonly Token[], head: number, tail: number): Pick<Token, 'start' | 'end'> {
  const left = tokens.slice(head, tokens.length - tail)
  if (left.length > 0) return { start: left[0]!.start, end: left.at(-1)!.end }
  const at = tokens[head - 1]?.end ?? tokens[0]?.start ?? 0
  return { start: at, end: at }
}

/** Whether every bracket that is opened is closed: what isn't so reads badly. */
function balanced(tokens: readonly Token[]): boolean {
  const open: string[] = []
  for (const { text } of tokens) {
    const opening = '([{'[')]}'.indexOf(text)]
    if ('([{'.includes(text)) open.push(text)
    else if (opening !== undefined && open.pop() !== opening) return false
  }
  return open.length === 0
}

function inLines(code: string): string[] {
  return code.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
}

function inOneLine(code: string): string {
  return code.replace(/\s+/g, ' ')
}

/** Without its middle where it is long. */
function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST * 0.6)}…${text.slice(-LONGEST * 0.3)}`
}
