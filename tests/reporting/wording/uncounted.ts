import { counts } from '../../engine/judging/verdict.ts'
import { counted } from './counted.ts'
import type { Report } from '../result/report-format.ts'

/** What failed and does not count at LEVEL, in a sentence that says first what does; undefined where all that failed counts. */
export function uncounted({ settings, requirements }: Report): string | undefined {
  const failed = requirements.filter(({ outcome }) => outcome === 'failed')
  const decisive = failed.filter(({ level }) => counts(level, settings?.level ?? 'implied')).length
  const others = failed.length - decisive
  if (others === 0) return undefined
  const stated = decisive === 0 ? 'Nothing stated' : counted(decisive, 'stated requirements')
  return `${stated} failed; ${counted(others, 'implied requirements')} failed, which LEVEL=stated does not count.`
}
