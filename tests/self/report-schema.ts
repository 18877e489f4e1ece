import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Contract } from '../engine/contract.ts'
import { projectRoot } from '../engine/settings/settings.ts'

const contract = new Contract()
const validators = new Map<string, ReturnType<typeof compiled>>()

/** In what a value differs from a schema in `spec/`; nothing where it doesn't. */
export function schemaErrors(value: unknown, file = 'report.schema.json'): string[] {
  const validate = validators.get(file) ?? compiled(file)
  validators.set(file, validate)
  return validate(value) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function compiled(file: string): ReturnType<Contract['compile']> {
  return contract.compile(JSON.parse(readFileSync(path.join(projectRoot, 'spec', file), 'utf8')) as object)
}
