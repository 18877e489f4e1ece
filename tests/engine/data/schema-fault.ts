import type { ErrorObject } from 'ajv'
import { printable } from '../settings/setting-values.ts'

/** What keeps a file's content from fitting its schema, in words that follow a colon. */
export function schemaFault(errors: readonly ErrorObject[] | null | undefined): string {
  const [error] = errors ?? []
  if (!error) return 'it does not fit'
  const { instancePath, keyword, params, message = 'does not fit' } = error
  const inside = instancePath === '' ? '' : `${instancePath}: `
  if (keyword === 'required') return printable(`${inside}${params['missingProperty']} is missing`)
  if (keyword === 'additionalProperties')
    return printable(`${inside}${params['additionalProperty']} does not belong there`)
  const must = keyword === 'const' ? `must be ${JSON.stringify(params['allowedValue'])}` : message
  return printable(`${instancePath === '' ? 'it' : instancePath} ${must}`)
}
