import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Contract } from '../engine/contract.ts'
import { projectRoot } from '../engine/settings.ts'

const schema = JSON.parse(readFileSync(path.join(projectRoot, 'spec/report.schema.json'), 'utf8')) as object
const validate = new Contract().compile(schema)

/** In what a report differs from its schema; nothing where it doesn't. */
export function schemaErrors(report: unknown): string[] {
  return validate(report) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)
}
