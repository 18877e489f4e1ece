import { distance } from 'fastest-levenshtein'
import type { Environment } from './environment.ts'

/** A name that nobody reads, and the setting that it is like. */
export interface Lookalike {
  readonly given: string
  readonly meant: string
}

/** Names of the environment that are no settings, but look like one: other letter case, other underscores, a slip. */
export function lookalikes(env: Environment, settings: readonly string[]): Lookalike[] {
  const own = new Set(settings.flatMap((name) => (name.endsWith('_PROXY') ? [name, name.toLowerCase()] : [name])))
  return Object.keys(env)
    .filter((name) => !own.has(name))
    .flatMap((given) => {
      const meant = settings.find((setting) => isLike(bare(given), bare(setting)))
      return meant === undefined ? [] : [{ given, meant }]
    })
}

/** A short name is like many another, so there only the underscores may differ, and a letter may follow. */
function isLike(given: string, meant: string): boolean {
  const slips = meant.length < 7 ? 0 : meant.length < 10 ? 1 : 2
  const isSwapped = slips > 0 && distance(given, meant) === 2 && sorted(given) === sorted(meant)
  const isLonger = given.startsWith(meant) && /^[A-Z]$/.test(given.slice(meant.length))
  return given !== '' && (distance(given, meant) <= slips || isSwapped || isLonger)
}

function sorted(name: string): string {
  return [...name].toSorted().join('')
}

function bare(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '')
}
