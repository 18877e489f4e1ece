import { isDeepStrictEqual } from 'node:util'
import type { Exchange } from '../engine/http/exchange.ts'
import { PLACEHOLDER } from '../reporting/redaction/redaction.ts'
import { RedactionPolicy } from '../reporting/redaction/redaction-policy.ts'
import { evidenceEntry, type EvidenceEntry } from '../reporting/result/evidence-har.ts'

const policy = RedactionPolicy.ofRedacted()

/**
 * Entries that are otherwise than this suite writes them, in sentences: other headers than those it sends, more than it
 * keeps, or what contradicts the answer.
 * @param exchanges what judging the entries again has recorded, in the same order.
 */
export function changedEntries(entries: readonly EvidenceEntry[], exchanges: readonly Exchange[]): string[] {
  return entries.flatMap((entry, index) => {
    const part = changedPart(entry, exchanges[index]!)
    return part === undefined
      ? []
      : [`Exchange ${entry['_exchange']} of the evidence has another ${part} than the suite would have recorded.`]
  })
}

/** Where an entry differs from the one that follows from its exchange, as the names of the members that lead there. */
function changedPart(entry: EvidenceEntry, exchange: Exchange): string | undefined {
  const { time, startedDateTime } = entry
  const recorded = { ...exchange, startedAt: new Date(startedDateTime), durationMs: time }
  const ought = JSON.parse(JSON.stringify(evidenceEntry(recorded, policy))) as EvidenceEntry
  keepSizes(ought, entry)
  const isCut = entry.response.content.comment !== undefined
  return firstDifference(isCut ? withoutContent(entry) : entry, isCut ? withoutContent(ought) : ought)
}

/** Of a body with a hidden token, nobody can tell again how long it was. */
function keepSizes(ought: EvidenceEntry, { request, response: { content } }: EvidenceEntry): void {
  const { text = '', encoding } = content
  const answer = encoding === 'base64' ? Buffer.from(text, 'base64').toString('latin1') : text
  if (answer.includes(PLACEHOLDER)) ought.response.content.size = content.size
  if (request.postData?.text?.includes(PLACEHOLDER)) ought.request.bodySize = request.bodySize
}

/** Of an answer that was cut short, nobody can tell again what the rest was. */
function withoutContent({ _found, response: { content: _content, ...response }, ...rest }: EvidenceEntry): object {
  return { ...rest, response }
}

function firstDifference(one: object, other: object): string | undefined {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])] as never[]
  const name = names.find((each) => !isDeepStrictEqual(one[each], other[each]))
  if (name === undefined) return undefined
  const [a, b] = [one[name], other[name]] as unknown[]
  const isInside = [a, b].every((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  return isInside ? `${String(name)}.${firstDifference(a as object, b as object)}` : name
}
