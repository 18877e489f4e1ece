const MOST_RECORDS = 2
const MOST_MEMBERS = 60
const LONGEST_TEXT = 300
const DEEPEST = 8

/** A JSON value as an example shows it: no list longer than two records, nothing endless. */
export function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return '…'
  if (Array.isArray(value)) return value.slice(0, MOST_RECORDS).map((item) => shortened(item, depth + 1))
  const members = Object.entries(value).slice(0, MOST_MEMBERS)
  return Object.fromEntries(members.map(([name, member]) => [shownName(name), shortened(member, depth + 1)]))
}

/** Redoc follows whatever is called a reference, also to other hosts and in the middle of an example. */
function shownName(name: string): string {
  return name === '$ref' ? '$ref (as answered)' : name
}
