import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Contract } from '../../engine/contract.ts'
import { schemaFault } from '../../engine/data/schema-fault.ts'
import { projectRoot, SettingError } from '../../engine/settings/settings.ts'

/** A file is of a version of its format that this suite does not read. */
export class OtherFormatVersion extends SettingError {}

/**
 * Reads a JSON file; undefined where there is no such file.
 * @throws SettingError where it holds anything else.
 */
export function readJson(file: string): unknown {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new SettingError(`${file} can't be read as JSON (${(error as Error).message}).`)
  }
}

/**
 * Reads a file that the suite has written, of the kind that has a schema in `spec`; undefined where there is none.
 * @throws SettingError where it holds something else.
 */
export function readJsonAs<T>(
  contract: Contract,
  file: string,
  kind: 'report' | 'proof' | 'profile' | 'certificate',
): T | undefined {
  const value = readJson(file)
  if (value === undefined) return undefined
  const schema = JSON.parse(readFileSync(path.join(projectRoot, `spec/${kind}.schema.json`), 'utf8')) as object
  const validate = contract.compile(schema)
  if (validate(value)) return value as T
  const isOther = validate.errors?.some(({ instancePath }) => instancePath === '/formatVersion')
  throw new (isOther ? OtherFormatVersion : SettingError)(
    `${file} is not a ${kind} of this version: ${schemaFault(validate.errors)}.`,
  )
}
