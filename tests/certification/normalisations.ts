import { asBoolean } from '../engine/data/records.ts'
import { sameNumber } from '../requirements/checks/updates/kept.ts'

/** Ways in which a stored text may differ from the one that was sent, with its meaning kept. */
const NORMALISATIONS: Readonly<Record<string, (text: string) => string>> = {
  'surrounding blanks are cut off': (text) => text.trim(),
  'line breaks are one character': (text) => text.replaceAll(/\r\n?/g, '\n'),
  'blanks are joined': (text) => text.replaceAll(/\s+/g, ' '),
  'characters are composed': (text) => text.normalize('NFC'),
}

/** How a value was read back: as it was sent, normalised in ways that have names, or as something else. */
export type ReadBack = 'equal' | { readonly normalised: readonly string[] } | 'another'

/**
 * Compares what an update sent for a field with what the contact shows.
 * @param before what the contact showed before the update.
 */
export function readBackOf(field: string, sent: string | boolean, shown: unknown, before: unknown): ReadBack {
  if (typeof sent === 'boolean')
    return asBoolean(shown) === sent || (!sent && shown === undefined) ? 'equal' : 'another'
  if (sent === shown) return 'equal'
  if (field === 'number')
    return typeof shown === 'string' && sameNumber(sent, shown)
      ? { normalised: ['numbers have another notation'] }
      : 'another'
  if (sent.trim() === '') return ofEmptyText(shown, before)
  if (typeof shown !== 'string') return 'another'
  const isAddress = field === 'email'
  if (canonical(sent, isAddress) !== canonical(shown, isAddress)) return 'another'
  const ways = Object.entries(NORMALISATIONS).flatMap(([name, apply]) =>
    apply(sent) !== sent && apply(shown) === shown ? [name] : [],
  )
  return {
    normalised: isAddress && sent.toLowerCase() !== sent ? [...ways, 'letter case of addresses is folded'] : ways,
  }
}

/** An empty text may stand for none, or for nothing to be changed: the document shows neither. */
function ofEmptyText(shown: unknown, before: unknown): ReadBack {
  if (shown === undefined || shown === null || shown === '')
    return { normalised: ['an empty text is left out or null'] }
  return shown === before ? { normalised: ['an empty text changes nothing'] } : 'another'
}

function canonical(text: string, isAddress: boolean): string {
  const whole = Object.values(NORMALISATIONS).reduce((now, apply) => apply(now), text)
  return (isAddress ? whole.toLowerCase() : whole).trim()
}
