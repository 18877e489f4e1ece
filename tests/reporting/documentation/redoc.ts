import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const BUNDLE = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js')

/** Redoc's logo, the one thing that its bundle asks of another host. */
const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'

/** The digest of the style that Redoc's bundle inserts, of scroll bars that aren't used; without it, browsers complain. */
const SCROLL_BAR_STYLE = 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='

/** The digest of nothing: Redoc's own style begins as an empty element and is filled by script, rule by rule. */
const EMPTY_STYLE = 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='

/** What a page with Redoc must allow: the styles it inserts, and the worker of its search, which is part of the bundle. */
export const REDOC_NEEDS = { styles: [EMPTY_STYLE, SCROLL_BAR_STYLE], workers: true }

/**
 * Redoc as a script to be put into a page, which asks nothing of any host.
 * @throws Error where the bundle is another than expected.
 */
export function redocScript(): string {
  const script = readFileSync(BUNDLE, 'utf8')
  if (!script.includes(LOGO)) throw new Error(`Redoc's bundle no longer asks for ${LOGO}: see what it asks for instead`)
  return (
    script
      .replace(LOGO, 'data:,')
      .replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n')
      // Inside an element, these would begin a comment or another script; all of them are in texts or patterns.
      .replace(/<(?=!--|script)/g, '\\x3c')
      // Pages are cleared of signs that can't be seen; as escapes, those of the script stay what they are.
      .replace(/[^\P{Cc}\n]|\p{Cf}/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  )
}

/** The licences of Redoc and of what its bundle contains; the bundle names the file in which it expects them. */
export const LICENCES_FILE = 'redoc.standalone.js.LICENSE.txt'

export function redocLicences(): string {
  const own = readFileSync(path.join(path.dirname(BUNDLE), '../LICENSE'), 'utf8')
  return `${own.trimEnd()}\n\n${readFileSync(path.join(path.dirname(BUNDLE), LICENCES_FILE), 'utf8')}`
}
