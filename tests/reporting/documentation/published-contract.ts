import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../../engine/settings/settings.ts'

const FILE = path.join(projectRoot, 'spec/openapi.yaml')

/** The contract as client generators take it: one file that refers to no other, as it was written and as JSON. */
export function publishedContract(): { readonly yaml: string; readonly json: string } {
  const yaml = readFileSync(FILE, 'utf8')
  return { yaml, json: `${JSON.stringify(parse(yaml), undefined, 2)}\n` }
}
